import { migrationsFrom, type Duration } from '@posthorn/engine'
import { gateway as simulatedGateway, stripe } from '@posthorn/gateway/simulators'
import { merchant } from './simulators/index.ts'
import { type Simulator } from '@posthorn/simulators'
import type { Static } from 'typebox'
import { SIMULATED, createGateway } from '@posthorn/gateway'
import { auditSource, defineSystem } from '@posthorn/system'
import { demo } from './demo/index.ts'
import { createExecutors, expire } from './approvals/decide.ts'
import { readLimits } from './approvals/proposal.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { adopt } from './charges/inbound/event.ts'
import { eventRoutes } from './charges/events/routes.ts'
import { inboundRoutes, stripeRoutes } from './charges/inbound/routes.ts'
import { paymentKeys } from './charges/work.ts'
import { sealActions } from './charges/next-action.ts'
import { returnRoutes } from './charges/returns/routes.ts'
import { paymentRoutes } from './charges/routes.ts'
import { followUps } from './charges/follow-up/follow-up.ts'
import { gatewayOutbox } from './charges/follow-up/outbox.ts'
import { oldestPending } from './charges/follow-up/queries.ts'
import { reconciliationRoutes } from './reconciliation/index.ts'
import { paymentRetention } from './retention.ts'
import { paymentSettings, webhookSecrets } from './settings.ts'
import { tasks } from './tasks.ts'
import { openWebhooks } from './webhooks/index.ts'
import {
  followDeliveries,
  followLines,
  followPayments,
  searchDeliveries,
  searchLines,
  searchPayments,
} from './search/queries.ts'

export { enqueueEvent, selectEventDeliveries } from './webhooks/index.ts'
export type { WebhookEvent } from './webhooks/index.ts'

/** Payments that are charged once, webhooks from the gateway and to customers, reconciliation. */
export const payments = defineSystem({
  name: 'payments',
  demo,
  settings: paymentSettings,
  migrations: () => migrationsFrom('payments', new URL('./migrations/', import.meta.url)),
  web: new URL('./web/', import.meta.url),
  open(host) {
    const { pool, log, settings, sealing, baseUrl, production } = host
    const gateway = sealActions(createGateway({ settings, baseUrl }), sealing)
    const keys = paymentKeys({
      expires: settings.PAYMENTS_KEY_EXPIRES as Duration,
      lockMs: settings.PAYMENTS_LOCK_MS,
      gatewayTimeoutMs: settings.GATEWAY_TIMEOUT_MS,
    })
    const secrets = webhookSecrets(settings.PAYMENTS_WEBHOOK_SECRET)
    const isTimeRequired = settings.PAYMENTS_WEBHOOK_REQUIRE_TIMESTAMP
    const webhooks = openWebhooks(host)
    const fourEyes = { defaults: readLimits(settings.PAYMENTS_FOUR_EYES_ABOVE) }
    const executors = createExecutors({ pool, keys, gateway })
    return {
      outboxes: [gatewayOutbox, tasks, ...webhooks.outboxes],
      handlers: [
        followUps({ pool, keys, gateway, log }),
        tasks.handle({
          'proposal.expire': ({ payload, tx }) => expire(tx, payload.id),
          'event.adopt': ({ payload, tx }) => adopt(tx, payload.id),
        }),
        ...webhooks.handlers,
      ],
      transports: webhooks.transports,
      workers: webhooks.workers,
      audits: [auditSource('payments.audit_log', 'business')],
      searches: [searchPayments, searchDeliveries, searchLines],
      follows: [followDeliveries, followLines, followPayments],
      destinationNames: webhooks.destinationNames,
      measures: [
        {
          name: 'posthorn_payments_oldest_pending_seconds',
          help: 'Age of the oldest charge or refund without the answer of the gateway',
          async read() {
            const ages = await oldestPending(pool)
            return Object.entries(ages).map(([type, value]) => ({ labels: { type }, value }))
          },
        },
      ],
      retention: paymentRetention({
        keys,
        keyExpires: settings.PAYMENTS_KEY_EXPIRES as Duration,
        attemptsDays: settings.WEBHOOK_ATTEMPTS_DAYS,
      }),
      simulators: [...simulatedGateways(settings), merchant()],
      async routes(app) {
        paymentRoutes(app, { pool, keys, gateway, sealing, fourEyes })
        returnRoutes(app, pool)
        approvalRoutes(app, { pool, fourEyes, executors, log })
        // In production the secret of the other one may be that of development.
        if (!production || settings.GATEWAY === 'posthorn') {
          inboundRoutes(app, { pool, secrets, isTimeRequired })
        }
        if (!production || settings.GATEWAY === 'stripe') {
          stripeRoutes(app, { pool, secrets: settings.STRIPE_WEBHOOK_SECRET.split(' ') })
        }
        eventRoutes(app, pool)
        await webhooks.routes(app)
        await reconciliationRoutes(app, { pool, settings, fourEyes })
      },
    }
  },
})

/** Who plays the gateway that is chosen, unless it has an address. */
function simulatedGateways(settings: Static<typeof paymentSettings>): Simulator[] {
  if (settings.GATEWAY === 'stripe') {
    const [secret = ''] = settings.STRIPE_WEBHOOK_SECRET.split(' ')
    return settings.STRIPE_API_URL === SIMULATED
      ? [stripe({ webhooks: { to: '/api/v1/webhooks/stripe', secret } })]
      : []
  }
  const [secret = ''] = webhookSecrets(settings.PAYMENTS_WEBHOOK_SECRET)
  return settings.GATEWAY_URL === SIMULATED
    ? [simulatedGateway({ webhooks: { to: '/api/v1/webhooks/payments', secret } })]
    : []
}
