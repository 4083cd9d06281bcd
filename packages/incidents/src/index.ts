import { migrationsFrom } from '@posthorn/engine'
import { mail } from '@posthorn/simulators'
import { createGuard, parseCidrs } from '@posthorn/transports/webhook'
import { SIMULATED_MAILBOX, createMailer, mailSettings } from '@posthorn/system/mailer'
import { defineSystem } from '@posthorn/system'
import { Type } from 'typebox'
import { groupingTask } from './grouping.ts'
import { notices, TRANSPORT } from './outbox.ts'
import { incidentRetention } from './retention.ts'
import { incidentRoutes } from './routes.ts'
import { noticeTransport } from './transport.ts'

const incidentSettings = Type.Object({
  ...mailSettings,
  NOTICES_ALLOW_CIDRS: Type.String({
    description:
      'private networks that notices of incidents may reach, separated by commas: 10.1.0.0/16',
    pattern: '^[0-9a-fA-F:./, ]*$',
    default: '',
  }),
})

/** Alerts grouped by their cause, and notices of them by mail, Slack and PagerDuty. */
export const incidents = defineSystem({
  name: 'incidents',
  settings: incidentSettings,
  migrations: () => migrationsFrom('incidents', new URL('./migrations/', import.meta.url)),
  open({ pool, settings, sealing, production, receivers, baseUrl, ...host }) {
    const { nameDestinations = async () => new Map(), simulatorAddress } = host
    const { NOTICES_ALLOW_CIDRS: cidrs, SMTP_URL: smtpUrl, MAIL_FROM: from } = settings
    const guard = createGuard({
      opened: parseCidrs(cidrs),
      httpsOnly: production,
      exempt: (url) => receivers?.includes(url) === true,
    })
    const mailer = createMailer({ settings, simulatorAddress })
    return {
      outboxes: [notices],
      transports: {
        [TRANSPORT]: noticeTransport({ pool, sealing, guard, mailer, from, baseUrl }),
      },
      workers: [groupingTask(pool, nameDestinations)],
      retention: incidentRetention,
      simulators: smtpUrl === SIMULATED_MAILBOX ? [mail()] : [],
      routes: (app) => incidentRoutes(app, { pool, sealing, guard, nameDestinations }),
    }
  },
})
