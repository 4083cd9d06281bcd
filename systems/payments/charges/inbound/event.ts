import type { Transaction } from '@posthorn/engine'
import { uuidIn } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { enqueueEvent } from '../../webhooks/index.ts'
import {
  alertConflict,
  alertDispute,
  alertMismatch,
  alertUnknownPayment,
  partOf,
  recoverEvent,
  recoverOverdue,
  recoverUnknownPayment,
  watchNet,
} from '../alerts.ts'
import { recordAudit } from '../../queries.ts'
import { findEvent } from '../events/queries.ts'
import { gatewayOutbox } from '../follow-up/outbox.ts'
import { tasks } from '../../tasks.ts'
import type { Payment } from '../payment.ts'
import {
  lockPayment,
  lockPaymentByRef,
  readNet,
  saveDispute,
  selectDisputes,
  selectRefunds,
} from '../queries.ts'
import { markAuthorised, markCaptured, markFree } from '../settle/queries.ts'
import { decide, kindOf, type Books, type Decision } from './decision.ts'
import {
  adoptEvents,
  confirmRefund,
  failCharge,
  failRefund,
  insertEvent,
  insertRefundOfGateway,
  movePayment,
  selectUndone,
  settleEvent,
  type DecidedEvent,
  type NamedByEvent,
} from './queries.ts'
import { REFUND_FAILED, textOf, type Reported } from './parts.ts'

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
  /** What it came as, where the text is a translation of it. */
  readonly original?: Buffer
  /** Default `webhook`. */
  readonly source?: EventSource | undefined
}

/** `lookup`: the gateway was asked, since its webhook did not come. */
export type EventSource = 'webhook' | 'lookup'

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
  const named = namedBy(event)
  const payment = await paymentOf(tx, named)
  if (!payment) {
    const stored = await insertEvent(tx, received, { outcome: 'unknown_payment', named })
    return stored ? leaveUnknown(tx, event, named) : undefined
  }
  const decision = decide(payment, await booksFor(tx, payment.id, event), reportedBy(event))
  // A second copy at the same moment waits here for the first one's commit.
  if (!(await insertEvent(tx, received, { ...decision, payment, named }))) return undefined
  await carryOut(tx, payment, { ...received, decision })
  if (decision.outcome === 'applied') await reconsiderParked(tx, payment.id)
  return decision.outcome
}

async function leaveUnknown(
  tx: Transaction,
  event: GatewayEvent,
  { paymentId, gatewayRef }: NamedByEvent,
): Promise<EventOutcome> {
  const outcome = 'unknown_payment'
  await audit(tx, event, { outcome })
  const what = paymentId === undefined ? `charge ${gatewayRef}` : `payment ${paymentId}`
  const detail = `Event ${event.id} of the gateway (${event.type}) is about ${what}, which is not here. It is applied when that appears.`
  if (paymentId === undefined && gatewayRef === undefined) return outcome
  await alertUnknownPayment(tx, event.id, detail)
  await tasks.enqueue(tx, 'event.adopt', { id: event.id }, { delay: '1m' })
  return outcome
}

/**
 * Gives a payment the events that named it before it was here, or before its reference was. The
 * caller has locked the payment.
 */
export async function adoptUnknown(tx: Transaction, payment: Payment): Promise<void> {
  const adopted = await adoptEvents(tx, payment)
  if (adopted.length === 0) return
  for (const eventId of adopted) await recoverUnknownPayment(tx, eventId)
  await reconsiderParked(tx, payment.id)
}

/** Looks once more for the payment that an event named in vain. */
export async function adopt(tx: Transaction, eventId: string): Promise<void> {
  const event = await findEvent(tx, { id: eventId, orgs: [null] })
  if (!event) return
  const { named_payment: paymentId, gateway_ref: gatewayRef } = event
  const payment = await paymentOf(tx, {
    ...(paymentId !== null && { paymentId }),
    ...(gatewayRef !== null && { gatewayRef }),
  })
  if (payment) await adoptUnknown(tx, payment)
}

/**
 * Looks again at the events of a payment that could not be applied when they came. The caller has
 * locked the payment, and has just changed it, a refund or the answer to one.
 */
export async function reconsiderParked(tx: Transaction, paymentId: string): Promise<void> {
  for (;;) {
    let hasMoved = false
    for (const event of await selectUndone(tx, paymentId)) {
      const outcome = await reconsider(tx, paymentId, event)
      hasMoved ||= outcome === 'applied'
    }
    if (!hasMoved) return
  }
}

/** Decides again about an event that is kept, and does what was decided if that is something else. */
export async function reconsider(
  tx: Transaction,
  paymentId: string,
  { text, outcome: before }: DecidedEvent,
): Promise<EventOutcome> {
  const event = JSON.parse(text) as GatewayEvent
  // Read anew: the one before may have moved it.
  const payment = await lockPayment(tx, { id: paymentId })
  if (!payment) return 'unknown_payment'
  const decision = decide(payment, await booksFor(tx, paymentId, event), reportedBy(event))
  await settleEvent(tx, event.id, decision)
  if (decision.outcome === before) return before
  if (before === 'forbidden' || before === 'mismatch') await recoverEvent(tx, payment, event.id)
  if (decision.outcome !== 'parked') await carryOut(tx, payment, { event, text, decision })
  return decision.outcome
}

/** Does what was decided: moves, alerts, and tells the merchant what has changed. */
async function carryOut(
  tx: Transaction,
  payment: Payment,
  { event, text, source, decision }: ReceivedEvent & { readonly decision: Decision },
): Promise<void> {
  await audit(tx, event, { ...decision, payment })
  const occurrence = event.id
  if (decision.outcome === 'forbidden') {
    await alertConflict(tx, payment, { detail: decision.reason, occurrence })
  }
  if (decision.outcome === 'mismatch') {
    await alertMismatch(tx, payment, { detail: decision.reason, occurrence })
  }
  if (decision.outcome === 'unchanged' && decision.dispute) {
    await saveDispute(tx, payment, decision.dispute)
  }
  if (decision.outcome === 'applied') await apply(tx, payment, { event, source, decision })
  // Each state is sent to the merchant once: neither what contradicts it nor what was said before.
  if (decision.outcome === 'applied' || decision.outcome === 'kept') {
    await forward(tx, payment, { event, text })
  }
}

interface Applied extends Pick<ReceivedEvent, 'event' | 'source'> {
  readonly decision: Extract<Decision, { outcome: 'applied' }>
}

async function apply(tx: Transaction, payment: Payment, applied: Applied): Promise<void> {
  const { event, source, decision } = applied
  const { id } = payment
  const { to } = decision
  await applyRefund(tx, payment, applied)
  if (decision.dispute) {
    await alertDispute(tx, payment, await saveDispute(tx, payment, decision.dispute))
  }
  await applyAuthorisation(tx, id, decision)
  const ref = textOf(reportedBy(event).gatewayRef)
  // With what it was given to authenticate with, a customer could still pay at the gateway. A look
  // has called it off.
  const callsOff = to === 'failed' && payment.next_action !== null && source !== 'lookup'
  if (await movePayment(tx, { id, to, ref, callsOff })) await recoverOverdue(tx, id)
  if (callsOff) tx.ringLater(gatewayOutbox.bell)
  if (decision.refund ?? decision.dispute) await watchNet(tx, payment, await readNet(tx, id))
  if (payment.gateway_ref === null && ref !== null) {
    await adoptUnknown(tx, { ...payment, gateway_ref: ref })
  }
  // What is set free was never taken: nothing contradicts it.
  if (to !== 'failed' || decision.authorisation) return
  const charged = await failCharge(tx, id)
  if (charged === undefined) return
  const detail = `The gateway answered that it took the money (${charged}), but its event ${event.id} says failed: the payment is failed here.`
  await alertConflict(tx, payment, { detail, occurrence: event.id })
}

/** Before the payment moves: it succeeds by a capture only, and fails with what is set free. */
async function applyAuthorisation(
  tx: Transaction,
  id: string,
  { authorisation, captured }: Applied['decision'],
): Promise<void> {
  if (captured !== undefined) await markCaptured(tx, id, captured)
  if (authorisation === undefined) return
  if (authorisation === 'authorised') await markAuthorised(tx, id)
  else await markFree(tx, id, authorisation)
}

async function applyRefund(
  tx: Transaction,
  { id: paymentId, org_id: orgId, currency }: Payment,
  { event, decision: { refund } }: Applied,
): Promise<unknown> {
  const reason = textOf(reportedBy(event).reason) ?? 'The gateway reported the refund as failed.'
  switch (refund?.kind) {
    case undefined:
      return
    case 'confirmed':
      await confirmRefund(tx, refund.id)
      return recoverOverdue(tx, partOf(paymentId, refund.id))
    case 'failed':
      await failRefund(tx, refund.id, reason)
      return recoverOverdue(tx, partOf(paymentId, refund.id))
    case 'new':
      return insertRefundOfGateway(tx, { paymentId, orgId, currency, ...refund })
    case 'new-failed':
      return insertRefundOfGateway(tx, { paymentId, orgId, currency, ...refund, failure: reason })
  }
}

/** Owes the event to every endpoint of the payment's organisation that wants it, as it came. */
async function forward(
  tx: Transaction,
  { org_id: org, id: key }: Payment,
  { event, text }: ReceivedEvent,
): Promise<void> {
  const { id, data } = event
  const { type } = reportedBy(event)
  const body = type === event.type ? text : JSON.stringify({ ...event, type })
  await enqueueEvent(tx, { id, type, data, body, org, key })
}

/** What an event names that could be ours. A name of another form is another system's. */
export function namedBy({ data }: GatewayEvent): NamedByEvent {
  const { paymentId, gatewayRef } = data as { paymentId?: string; gatewayRef?: unknown }
  if (paymentId !== undefined) return uuidIn(paymentId) === null ? {} : { paymentId }
  const isName = typeof gatewayRef === 'string' && gatewayRef !== '' && gatewayRef.length <= 255
  return isName ? { gatewayRef } : {}
}

/** The payment that is named, locked. */
export async function paymentOf(
  tx: Transaction,
  named: NamedByEvent,
): Promise<Payment | undefined> {
  if (named.paymentId !== undefined) return lockPayment(tx, { id: named.paymentId })
  return named.gatewayRef === undefined ? undefined : lockPaymentByRef(tx, named.gatewayRef)
}

/** What the decision about an event needs to know of its payment. */
async function booksFor(tx: Transaction, id: string, event: GatewayEvent): Promise<Books> {
  const kind = kindOf(reportedBy(event).type)
  return {
    refunds: kind === 'refund' ? await selectRefunds(tx, id) : [],
    disputes: kind === 'dispute' ? await selectDisputes(tx, id) : [],
  }
}

function reportedBy({ id: eventId, type: given, data }: GatewayEvent): Reported {
  const type = given === 'refund.failed' ? REFUND_FAILED : given
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
  await recordAudit(tx, {
    ...{ org: payment?.org_id ?? null, actor: 'gateway', action: 'webhook.processed' },
    ...{ entity: payment ? 'payment' : 'webhook_event', entityId: payment?.id ?? eventId },
    details: {
      ...{ eventId, type, outcome },
      ...(payment && to !== undefined && { from: payment.status, to }),
      ...(reason !== undefined && { reason }),
    },
  })
}
