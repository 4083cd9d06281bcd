import type { Transaction } from '@posthorn/engine'
import { raiseAlert } from '@posthorn/engine/operate'
import { Type, type Static } from 'typebox'
import { enqueueEvent } from '../../webhooks/index.ts'
import { MOVES, type Payment, type PaymentStatus } from '../payment.ts'
import { createAuditLog, lockPayment } from '../queries.ts'
import { insertEvent, movePayment } from './queries.ts'

/** What the gateway tells. Types and data that we do not know are kept, so little is asked of them. */
export const GatewayEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
    createdAt: Type.Optional(Type.String({ maxLength: 64 })),
    data: Type.Object(
      { paymentId: Type.Optional(Type.String({ maxLength: 255 })) },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true },
)
export type GatewayEvent = Static<typeof GatewayEvent>

/** What an event did to its payment. */
export type EventOutcome = 'applied' | 'unchanged' | 'forbidden' | 'kept' | 'unknown_payment'

const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  'payment.succeeded': 'succeeded',
  'payment.failed': 'failed',
  'payment.refunded': 'refunded',
}

/** What an event of this type does to a payment that stands so. */
export function decideMove(
  status: PaymentStatus,
  type: string,
): { readonly outcome: EventOutcome; readonly to?: PaymentStatus | undefined } {
  const to = STATUSES[type]
  if (to === undefined) return { outcome: 'kept' }
  if (to === status) return { outcome: 'unchanged', to }
  return { outcome: MOVES[status].includes(to) ? 'applied' : 'forbidden', to }
}

/**
 * Takes an event in, once: the event, its deliveries, the payment's move and the audit commit
 * together. Returns undefined for an event that is known.
 */
export async function receiveEvent(
  tx: Transaction,
  event: GatewayEvent,
): Promise<EventOutcome | undefined> {
  const payment = await paymentOf(tx, event)
  const { outcome, to } = payment
    ? decideMove(payment.status, event.type)
    : ({ outcome: 'unknown_payment', to: undefined } as const)
  // A second copy at the same moment waits here for the first one's commit.
  if (!(await insertEvent(tx, event, { outcome, payment }))) return undefined
  await audit(tx, event, { outcome, payment, to })
  if (!payment) return outcome
  if (outcome === 'applied' && to) await movePayment(tx, payment.id, to)
  if (outcome === 'forbidden' && to) await warn(tx, payment, to)
  await forward(tx, event, payment)
  return outcome
}

/** Owes the event to every endpoint of the payment's organisation that wants it. */
async function forward(tx: Transaction, event: GatewayEvent, payment: Payment): Promise<void> {
  const { id, type, data } = event
  const createdAt = new Date(event.createdAt ?? Number.NaN)
  await enqueueEvent(tx, {
    ...{ id, type, data, org: payment.org_id, key: payment.id },
    ...(!Number.isNaN(createdAt.getTime()) && { createdAt }),
  })
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

async function paymentOf(tx: Transaction, { data }: GatewayEvent): Promise<Payment | undefined> {
  const { paymentId: id } = data
  return id !== undefined && UUID.test(id) ? lockPayment(tx, { id }) : undefined
}

async function audit(
  tx: Transaction,
  { id: eventId, type }: GatewayEvent,
  done: {
    readonly outcome: EventOutcome
    readonly payment: Payment | undefined
    readonly to: PaymentStatus | undefined
  },
): Promise<void> {
  const { outcome, payment, to } = done
  await createAuditLog(tx, {
    orgId: payment?.org_id ?? null,
    actor: 'gateway',
    action: 'webhook.processed',
    entity: payment ? 'payment' : 'webhook_event',
    entityId: payment?.id ?? eventId,
    details: { eventId, type, outcome, ...(payment && to && { from: payment.status, to }) },
  })
}

/** The gateway and we disagree about money. Late news of what is past is no disagreement. */
async function warn(tx: Transaction, payment: Payment, to: PaymentStatus): Promise<void> {
  const { id, org_id: tenant, status } = payment
  if (status === 'refunded' && to === 'succeeded') return
  await raiseAlert(tx, {
    source: 'payments.webhooks',
    subject: id,
    tenant,
    code: 'PAYMENT_STATE_CONFLICT',
    detail: `The gateway says that the payment is ${to}, but it is ${status} here.`,
  })
}
