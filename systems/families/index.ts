import { migrationsFrom } from '@posthorn/engine'
import { mail } from '@posthorn/simulators'
import { SIMULATED_MAILBOX, createMailer } from '@posthorn/system/mailer'
import { defineSystem } from '@posthorn/system'
import { demo } from './demo.ts'
import { createCommands } from './commands.ts'
import { invitationPage, familyRoutes } from './routes.ts'
import { endTopologyAlert, familyEvents, familyOutbox, TOPIC, TRANSPORT } from './outbox.ts'
import { familyRetention } from './retention.ts'
import { familySettings } from './settings.ts'
import { invitationMails } from './invitation-mails.ts'

/** Events that the archive's queue keeps, the newest. */
const ARCHIVED = 100_000

/** Families, invitations by mail, and their domain events on `family-hub.events`. */
export const families = defineSystem({
  name: 'families',
  demo,
  settings: familySettings,
  migrations: () => migrationsFrom('families', new URL('./migrations/', import.meta.url)),
  web: new URL('./web/', import.meta.url),
  open({ pool, log, settings, production, sealing, baseUrl, simulatorAddress }) {
    const { SMTP_URL: smtpUrl, MAIL_FROM: from, FAMILIES_INVITATION_URL: page } = settings
    const outbox = familyOutbox(sealing, settings.FAMILIES_EVENT_TOKEN)
    const commands = createCommands(pool, familyEvents(outbox, sealing))
    const mailer = createMailer({ settings, simulatorAddress })
    return {
      outboxes: [outbox],
      consumers: [
        invitationMails({
          pool,
          mailer,
          sealing,
          from,
          page: () => page ?? `${baseUrl()}/invitations`,
          log,
        }),
      ],
      // With a queue that takes everything, unroutable can only mean that the queue or its binding was removed.
      queues: [
        {
          ...{ transport: TRANSPORT, topic: TOPIC, group: 'archive', maxLength: ARCHIVED },
          declared: endTopologyAlert,
        },
      ],
      retention: familyRetention,
      simulators: smtpUrl === SIMULATED_MAILBOX ? [mail()] : [],
      routes(app) {
        familyRoutes(app, { pool, commands, log, production })
        if (page === undefined) invitationPage(app)
      },
    }
  },
})
