import { Type } from 'typebox'
import { Id, NullableText, bigint, nullable, resource, time, type RowOf } from '@posthorn/system'
import type { Decision, PaymentFacts } from '../inbound/decision.ts'
import { DISPUTE_STATES, takenOf } from '../payment.ts'
import { isGiven, textOf, timeOf, type Reported } from '../inbound/reported.ts'

/*
 *   opened ──▶ won | lost | withdrawn
 *
 * The table's trigger holds the same moves: see migrations/0001_payments.sql.
 */
export type DisputeStatus = (typeof DISPUTE_STATES)[number]

/** Money of a payment that the cardholder's bank claims back. */
export const DisputeResource = Type.Object({
  id: Id,
  paymentId: Id,
  gatewayRef: Type.String({ description: 'what the gateway calls it' }),
  status: Type.Enum(DISPUTE_STATES),
  amount: bigint(),
  currency: Type.String(),
  reason: NullableText,
  evidenceDueAt: nullable(time()),
  openedAt: time(),
  closedAt: nullable(time()),
})

/** A row of `payments.disputes`. */
export interface Dispute extends RowOf<typeof DisputeResource> {
  readonly org_id: string
}

export const toDispute = resource(DisputeResource)

/** What an event does to a dispute. What is known of it already stays. */
export interface DisputeChange {
  readonly ref: string
  readonly status: DisputeStatus
  readonly amount: number
  readonly reason: string | null
  readonly evidenceDueAt: Date | null
}

/**
 * Decides about an event of a dispute. Its end may be said before its opening, which then only adds
 * the reason and the date; of two ends the first stands.
 */
export function decideDispute(
  payment: PaymentFacts,
  disputes: readonly Dispute[],
  said: Reported,
): Decision {
  const to = payment.status
  const status = said.type.slice('dispute.'.length) as DisputeStatus
  const differs = (outcome: 'mismatch' | 'forbidden', why: string): Decision => {
    const reason = `Event ${said.eventId} of the gateway says ${said.type}, but ${why}.`
    return { outcome, to, reason }
  }
  if (!isGiven(said.disputeId)) return differs('mismatch', 'names no dispute')
  const ref = String(said.disputeId)
  const known = disputes.find((dispute) => dispute.gateway_ref === ref)
  const facts = { reason: textOf(said.reason), evidenceDueAt: timeOf(said.evidenceDueAt) }
  const amount = isGiven(said.amount) ? Number(said.amount) : undefined
  if (!known) {
    if (amount === undefined && status !== 'opened') {
      const reason = 'how much is disputed is not known yet'
      return { outcome: 'parked', to, reason }
    }
    const change = { ref, status, amount: amount ?? takenOf(payment), ...facts }
    return { outcome: 'applied', to, dispute: change }
  }
  if (amount !== undefined && amount !== Number(known.amount)) {
    return differs('mismatch', `dispute ${ref} is of ${known.amount}, not ${amount}`)
  }
  const change = { ref, amount: Number(known.amount), ...facts }
  if (status === 'opened' || status === known.status) {
    return { outcome: 'unchanged', to, dispute: { ...change, status: known.status } }
  }
  if (known.status === 'opened') return { outcome: 'applied', to, dispute: { ...change, status } }
  return differs('forbidden', `dispute ${ref} is ${known.status} here`)
}
