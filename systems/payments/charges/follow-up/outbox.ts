import { defineOutbox, schedule, type DefinedOutbox } from '@posthorn/engine'
import type { TransactionType } from '../payment.ts'

/** What the outbox reads of `payments.transactions`. */
interface OpenTransaction {
  readonly id: string
  readonly payment_id: string
  readonly type: TransactionType
  readonly follow_up: 'open' | 'closed'
  readonly lookup_at: Date
  readonly lookups: number
  readonly created_at: Date
}

const NAME = 'payments.gateway'

/**
 * What was asked of the gateway, for as long as the gateway owes its word: the answer to the request, and
 * then the webhook. Whoever begins a transaction, or gets its answer, writes when it is looked at next; most
 * are closed before.
 */
export const gatewayOutbox: DefinedOutbox<OpenTransaction> = defineOutbox<OpenTransaction>({
  name: NAME,
  table: 'payments.transactions',
  states: { ready: 'open', sent: 'closed' },
  // Without createdAt, which is business time here: a message is as old as its id says.
  columns: { status: 'follow_up', dueAt: 'lookup_at', type: 'type' },
  label: ['payment_id'],
  counter: { column: 'lookups', bumps: 'on-failure' },
  claim: { batch: 10, every: '30s', lease: '1m' },
  // Of questions about a webhook that does not come.
  retry: schedule(['1m', '2m', '4m', '8m', '16m', '32m', '1h'], { then: 'repeat-last' }),
  destination: { transport: 'handlers', topic: NAME },
  reads: ['type', 'payment_id', 'created_at'],
  message: ({ id, type, payment_id: paymentId, created_at: occurredAt }) => ({
    ...{ id, type, occurredAt, payload: { paymentId } },
  }),
  audit: { actor: 'payments.completer' },
})
