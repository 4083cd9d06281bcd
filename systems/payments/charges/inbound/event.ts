import type { Transaction } from '@posthorn/engine'
import { Type, type Static } from 'typebox'
import { enqueueEvent } from '../../webhooks/index.ts'
import { alertConflict, alertMismatch } from '../conflict.ts'
import type { Payment } from '../payment.ts'
import { createAuditLog, lockPayment, selectRefunds } from '../queries.ts'
import { decide, type Decision, type Reported } from './decision.ts'
import {
  confirmRefund,
  failCharge,
  insertConfirmedRefund,
  insertEvent,
  movePayment,
  selectParked,
  settleEvent,
} from './queries.ts'

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

/** An event with the text that it came as. */
export interface ReceivedEvent {
  readonly event: GatewayEvent
  readonly text: string
}

/** What an event did to its payment. */
export type EventOutcome = Decision['outcome'] | 'unknown_payment'

/**
 * Takes an event in, once: the event, its deliveries, the payment's move and the audit commit
 * together. Returns undefined for an event that is known.
 */
export async function receiveEvent(
  tx: Transaction,
  received: ReceivedEvent,
): Promise<EventOutcome | undefined> {
  const { event } = received
  const payment = await paymentOf(tx, event)
  if (!payment) {
    if (!(await insertEvent(tx, received, { outcome: 'unknown_payment' }))) return undefined
    await audit(tx, event, { outcome: 'unknown_payment' })
    return 'unknown_payment'
  }
  const decision = decide(payment, await selectRefunds(tx, payment.id), reportedBy(event))
  // A second copy at the same moment waits here for the first one's commit.
  if (!(await insertEvent(tx, received, { ...decision, payment }))) return undefined
  await carryOut(tx, payment, { ...received, decision })
  if (decision.outcome === 'applied') await reconsiderParked(tx, payment.id)
  return decision.outcome
}

/**
 * Looks again at the events of a payment that could not be applied when they came. The caller has
 * locked the payment, and has just changed it, a refund or the answer to one.
 */
export async function reconsiderParked(tx: Transaction, paymentId: string): Promise<void> {
  for (;;) {
    let hasMoved = false
    for (const text of await selectParked(tx, paymentId)) {
      const event = JSON.parse(text) as GatewayEvent
      // Read anew: the one before may have moved it.
      const payment = await lockPayment(tx, { id: paymentId })
      if (!payment) return
      const decision = decide(payment, await selectRefunds(tx, paymentId), reportedBy(event))
      if (decision.outcome === 'parked') continue
      await settleEvent(tx, event.id, decision)
      await carryOut(tx, payment, { event, text, decision })
      hasMoved ||= decision.outcome === 'applied'
    }
    if (!hasMoved) return
  }
}

/** Does what was decided: moves, alerts, and tells the merchant what has changed. */
async function carryOut(
  tx: Transaction,
  payment: Payment,
  { event, text, decision }: ReceivedEvent & { readonly decision: Decision },
): Promise<void> {
  await audit(tx, event, { ...decision, payment })
  if (decision.outcome === 'forbidden') await alertConflict(tx, payment, decision.reason)
  if (decision.outcome === 'mismatch') await alertMismatch(tx, payment, decision.reason)
  if (decision.outcome === 'applied') await apply(tx, payment, { event, decision })
  // A merchant is told each state once: neither what contradicts it nor what was said before.
  if (decision.outcome === 'applied' || decision.outcome === 'kept') {
    await forward(tx, payment, { event, text })
  }
}

async function apply(
  tx: Transaction,
  payment: Payment,
  {
    event,
    decision: { to, refund },
  }: {
    readonly event: GatewayEvent
    readonly decision: Extract<Decision, { outcome: 'applied' }>
  },
): Promise<void> {
  const { id, currency } = payment
  if (refund?.kind === 'known') await confirmRefund(tx, refund.id)
  if (refund?.kind === 'new')
    await insertConfirmedRefund(tx, { paymentId: id, currency, ...refund })
  const { gatewayRef } = reportedBy(event)
  await movePayment(tx, { id, to, ref: typeof gatewayRef === 'string' ? gatewayRef : null })
  if (to !== 'failed') return
  const charged = await failCharge(tx, id)
  if (charged === undefined) return
  const detail = `The gateway answered that it took the money (${charged}), but its event ${event.id} says failed: the payment is failed here.`
  await alertConflict(tx, payment, detail)
}

/** Owes the event to every endpoint of the payment's organisation that wants it, as it came. */
async function forward(
  tx: Transaction,
  payment: Payment,
  { event: { id, type, data }, text }: ReceivedEvent,
): Promise<void> {
  await enqueueEvent(tx, { id, type, data, body: text, org: payment.org_id, key: payment.id })
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

async function paymentOf(tx: Transaction, { data }: GatewayEvent): Promise<Payment | undefined> {
  const { paymentId: id } = data
  return id !== undefined && UUID.test(id) ? lockPayment(tx, { id }) : undefined
}

function reportedBy({ id: eventId, type, data }: GatewayEvent): Reported {
  return { ...(data as Partial<Reported>), eventId, type }
}

async function audit(
  tx: Transaction,
  { id: eventId, type }: GatewayEvent,
  done: {
    readonly outcome: EventOutcome
    readonly to?: string | undefined
    readonly reason?: string
    readonly payment?: Payment
  },
): Promise<void> {
  const { outcome, payment, to, reason } = done
  await createAuditLog(tx, {
    orgId: payment?.org_id ?? null,
    actor: 'gateway',
    action: 'webhook.processed',
    entity: payment ? 'payment' : 'webhook_event',
    entityId: payment?.id ?? eventId,
    details: {
      ...{ eventId, type, outcome },
      ...(payment && to !== undefined && { from: payment.status, to }),
      ...(reason !== undefined && { reason }),
    },
  })
}
