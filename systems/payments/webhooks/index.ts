import { Type, type Static, type TObject } from 'typebox'
import { createGuard, parseCidrs, webhookTransport } from '@posthorn/transports/webhook'
import { wholeNumber, type Host, type OpenSystem } from '@posthorn/system'
import { deliveryRoutes } from './deliveries/routes.ts'
import { selectUrls } from './endpoints/queries.ts'
import { endpointRoutes } from './endpoints/routes.ts'
import { eventTypeRoutes, filterRoutes } from './filters/routes.ts'
import {
  alertNotices,
  TRANSPORT as NOTICE_TRANSPORT,
  noticeWriter,
} from './notices/notice-writer.ts'
import { fanOutHandlers } from './event.ts'
import { fanOuts, TRANSPORT, webhookDeliveries } from './outbox.ts'
import { portalRoutes } from './portal/routes.ts'
import { webhookMaintenance } from './maintenance.ts'
import { resolveDeliveries } from './worker.ts'

export { selectEventDeliveries } from './deliveries/queries.ts'
export { enqueueEvent } from './event.ts'
export type { WebhookEvent } from './event.ts'

/** What the webhooks of the system read from the environment. */
export const webhookSettings = {
  WEBHOOK_ALLOW_CIDRS: Type.String({
    description: 'private networks that webhooks may reach, separated by commas: 10.1.0.0/16',
    pattern: '^[0-9a-fA-F:./, ]*$',
    default: '',
  }),
  WEBHOOK_HTTPS_ONLY: Type.Optional(
    Type.Boolean({
      description: 'true refuses endpoints with http://; default true in production',
    }),
  ),
  WEBHOOK_TIMEOUT_MS: wholeNumber(
    'milliseconds for a whole exchange with an endpoint, 100 to 60000',
    [100, 60_000, 15_000],
  ),
  WEBHOOK_CONCURRENCY: wholeNumber(
    'concurrent requests of one relay to one endpoint, 1 to 100',
    [1, 100, 10],
  ),
  WEBHOOK_ATTEMPTS_DAYS: wholeNumber(
    'days that requests and answers of attempts are kept',
    [1, 3_650, 30],
  ),
  WEBHOOK_DISABLE_AFTER_DAYS: wholeNumber(
    'days with failures only until an endpoint is disabled, with a warning at half; 0: never',
    [0, 90, 5],
  ),
  ALERTS_WEBHOOK_URL: Type.Optional(
    Type.String({
      description: 'address for notices of alerts, http(s)://…; none by default',
      pattern: '^https?://.+$',
      secret: true,
    }),
  ),
  ALERTS_WEBHOOK_SECRET: Type.Optional(
    Type.String({
      description: 'secret that signs notices of alerts, whsec_…',
      pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
      secret: true,
    }),
  ),
}

type Settings = Static<TObject<typeof webhookSettings>>

/** The outbound webhooks of the system: its parts, to be put beside those of payments. */
export function openWebhooks(host: Host<Settings>): Required<
  Pick<OpenSystem, 'outboxes' | 'handlers' | 'transports' | 'workers' | 'destinationNames'>
> & {
  routes: NonNullable<OpenSystem['routes']>
} {
  const { pool, settings, sealing, production, receivers } = host
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
  })
  const parts = {
    outboxes: [webhookDeliveries, fanOuts],
    handlers: [fanOutHandlers()],
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
