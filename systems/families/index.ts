import { DeliveryError, migrationsFrom } from '@posthorn/engine'
import { mail } from '@posthorn/simulators'
import { defineSystem } from '../system.ts'
import { createCommands } from './commands.ts'
import { graphiqlRoute } from './graphiql.ts'
import { invitationPage } from './invitation-page.ts'
import { createMailer } from './mailer.ts'
import { familyEvents, familyOutbox, TOPIC, TRANSPORT } from './outbox.ts'
import { familyRoutes } from './routes.ts'
import { familyRetention } from './retention.ts'
import { familySettings, SIMULATED } from './settings.ts'
import { invitationMails } from './invitation-mails.ts'

/** Events that the archive's queue keeps, the newest. */
const ARCHIVED = 100_000

/** Families, invitations by mail, and their domain events on `family-hub.events`. */
export const families = defineSystem({
  name: 'families',
  settings: familySettings,
  migrations: () => migrationsFrom('families', new URL('./migrations/', import.meta.url)),
  open({ pool, log, settings, sealing, production, baseUrl, simulatorAddress: simulated }) {
    const { SMTP_URL: smtpUrl, MAIL_FROM: from, FAMILIES_INVITATION_URL: page } = settings
    const outbox = familyOutbox(sealing)
    const commands = createCommands(pool, familyEvents(outbox, sealing))
    const mailer = createMailer({
      from,
      async address() {
        const found = smtpUrl === SIMULATED ? await simulated('mail') : smtpUrl
        if (found === undefined) {
          throw new DeliveryError('MAIL_SERVER_AWAY', 'no simulated mailbox is up yet', {
            unreachable: true,
          })
        }
        return found
      },
    })
    return {
      outboxes: [outbox],
      consumers: [
        invitationMails({
          pool,
          mailer,
          from,
          page: () => page ?? `${baseUrl()}/invitations`,
          log,
        }),
      ],
      // With a queue that takes everything, unroutable can only mean that the queue or its binding was removed.
      queues: [{ transport: TRANSPORT, topic: TOPIC, group: 'archive', maxLength: ARCHIVED }],
      retention: familyRetention,
      simulators: smtpUrl === SIMULATED ? [mail()] : [],
      routes(app) {
        familyRoutes(app, { pool, commands, log })
        if (page === undefined) invitationPage(app)
        if (!production) graphiqlRoute(app)
      },
    }
  },
})
