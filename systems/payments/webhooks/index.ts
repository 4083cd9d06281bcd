import type { Static, TObject } from 'typebox'
import { createGuard, parseCidrs, webhookTransport } from '@posthorn/transports/webhook'
import type { Host, OpenSystem } from '@posthorn/system'
import { deliveryRoutes } from './deliveries/routes.ts'
import { selectUrls } from './endpoints/queries.ts'
import { endpointRoutes } from './endpoints/routes.ts'
import { eventTypeRoutes, filterRoutes } from './filters/routes.ts'
import {
  alertNotices,
  TRANSPORT as NOTICE_TRANSPORT,
  noticeWriter,
} from './notices/notice-writer.ts'
import { TRANSPORT, webhookDeliveries } from './outbox.ts'
import { portalRoutes } from './portal/routes.ts'
import type { webhookSettings } from './settings.ts'
import { webhookMaintenance } from './maintenance.ts'
import { keepLateAnswer, resolveDeliveries } from './worker.ts'

export { selectEventDeliveries } from './deliveries/queries.ts'
export { enqueueEvent } from './event.ts'
export type { WebhookEvent } from './event.ts'
export { webhookSettings } from './settings.ts'

type Settings = Static<TObject<typeof webhookSettings>>

/** The outbound webhooks of the system: its parts, to be put beside those of payments. */
export function openWebhooks(host: Host<Settings>): Required<
  Pick<OpenSystem, 'outboxes' | 'transports' | 'workers' | 'destinationNames'>
> & {
  routes: NonNullable<OpenSystem['routes']>
} {
  const { pool, log, settings, sealing, production, receivers } = host
  const guard = createGuard({
    opened: parseCidrs(settings.WEBHOOK_ALLOW_CIDRS),
    httpsOnly: settings.WEBHOOK_HTTPS_ONLY ?? production,
    exempt: (url) => receivers?.includes(url) === true,
  })
  const timeout = `${settings.WEBHOOK_TIMEOUT_MS}ms` as const
  const webhooks = webhookTransport({
    guard,
    timeout,
    perEndpoint: settings.WEBHOOK_CONCURRENCY,
    resolve: resolveDeliveries({ pool, sealing, receivers }),
    late: keepLateAnswer(pool, log),
  })
  const parts = {
    outboxes: [webhookDeliveries],
    transports: { [TRANSPORT]: webhooks },
    workers: [webhookMaintenance(pool, settings.WEBHOOK_DISABLE_AFTER_DAYS)],
    destinationNames: [
      { transport: TRANSPORT, read: (ids: readonly string[]) => selectUrls(pool, ids) },
    ],
    routes(app: Parameters<NonNullable<OpenSystem['routes']>>[0]) {
      endpointRoutes(app, { pool, sealing, guard })
      deliveryRoutes(app, pool)
      eventTypeRoutes(app)
      filterRoutes(app)
      portalRoutes(app, { pool, sealing, baseUrl: () => host.baseUrl() })
    },
  }
  const { ALERTS_WEBHOOK_URL: url, ALERTS_WEBHOOK_SECRET: secret } = settings
  if (url === undefined) return parts
  // The operator's own address: it may well be a private one.
  const onDuty = { url, secrets: secret === undefined ? [] : [secret], trusted: true }
  const notices = webhookTransport({
    guard,
    timeout,
    resolve: async (batch) => batch.map(() => onDuty),
  })
  return {
    ...parts,
    outboxes: [...parts.outboxes, alertNotices],
    transports: { ...parts.transports, [NOTICE_TRANSPORT]: notices },
    workers: [...parts.workers, noticeWriter(pool)],
  }
}
