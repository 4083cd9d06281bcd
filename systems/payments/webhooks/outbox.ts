import { defineOutbox, exponential, outbox, type Outbox } from '@posthorn/engine'
import type { WebhookDelivery, WebhookPayload } from './deliveries/delivery.ts'
import { settleAttempts } from './deliveries/settling.ts'

/** Name under which the relay finds the webhook transport. */
export const TRANSPORT = 'webhooks'

/** How the engine names the destination of an endpoint. */
export function destinationNamed(endpointId: string): string {
  return `${TRANSPORT}:${endpointId}`
}

/**
 * Events on their way to merchants' endpoints: attempts at 0, 2, 6, 14 and 30 s, or as the endpoint's
 * own policy says.
 */
export const webhookDeliveries: Outbox<WebhookDelivery> = defineOutbox<WebhookDelivery>({
  name: 'payments.webhook-deliveries',
  table: 'payments.webhook_deliveries',
  states: {
    ready: 'pending',
    sent: 'delivered',
    retry: 'failed',
    dead: 'abandoned',
    cancelled: 'skipped_disabled',
  },
  columns: {
    dueAt: 'next_attempt_at',
    createdAt: 'created_at',
    sentAt: 'delivered_at',
    tenant: 'org_id',
    type: 'event_type',
    traceparent: 'traceparent',
    error: 'error',
    errorCode: 'error_code',
    dedupe: ['endpoint_id', 'event_id'],
  },
  label: ['payload.data.gatewayRef', 'payload.data.paymentId', 'payload.data.filename'],
  counter: {
    column: 'attempts',
    bumps: 'on-failure',
    limit: 'max_attempts',
    unreachable: 'charged',
  },
  claim: { batch: 100, atOnce: 400, every: '30s', lease: '2m' },
  // One with hundreds of endpoints, or with endpoints that stay silent, does not hold up another's events.
  fair: { by: 'org_id' },
  retry: exponential('2s', { factor: 2, attempts: 5 }),
  breaker: {},
  // The endpoint, not its URL: each has a breaker and a queue of requests of its own.
  destination: ({ endpoint_id: topic, attempts, max_attempts: most }) => ({
    ...{ transport: TRANSPORT, topic, label: TRANSPORT },
    ...(most !== null && { options: { failures: attempts } }),
  }),
  message: (row) => ({
    id: row.id,
    type: row.event_type,
    tenant: row.org_id,
    occurredAt: row.created_at,
    payload: row.payload,
    ...(row.order_key !== null && { key: row.order_key }),
  }),
  audit: {
    actor: 'WEBHOOK_RELAY',
    settled: (tx, changes) => settleAttempts(tx, webhookDeliveries, changes),
  },
})

/** An event whose deliveries are still to be written. */
export interface FanOut {
  readonly org: string
  readonly id: string
  readonly type: string
  readonly payload: WebhookPayload
  /** Sent byte for byte instead of the payload. */
  readonly body?: string
  readonly key?: string
  readonly except?: string
}

/** Events for many endpoints. Those of one merchant go out in sequence, and wait for no other merchant's. */
export const fanOuts = outbox<{ 'webhook.fan-out': FanOut }>('payments.fan_outs', {
  order: 'key',
  dead: 'skip',
  retention: { after: '1d', archive: '0d' },
})
