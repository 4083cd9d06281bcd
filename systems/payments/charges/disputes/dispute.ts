import type { Decision, PaymentFacts } from '../inbound/decision.ts'
import { takenOf } from '../payment.ts'
import { isGiven, textOf, timeOf, type Reported } from '../inbound/reported.ts'

/*
 *   opened ──▶ won | lost | withdrawn
 *
 * The table's trigger holds the same moves: see migrations/0007_events_disputes_search.sql.
 */
export type DisputeStatus = 'opened' | 'won' | 'lost' | 'withdrawn'

/** A row of `payments.disputes`: money of a payment that the cardholder's bank claims back. */
export interface Dispute {
  readonly id: string
  readonly payment_id: string
  readonly org_id: string
  /** The gateway's own id. */
  readonly gateway_ref: string
  readonly status: DisputeStatus
  /** In minor units; text, since pg reads a bigint so. */
  readonly amount: string
  readonly currency: string
  readonly reason: string | null
  readonly evidence_due_at: Date | null
  readonly opened_at: Date
  readonly closed_at: Date | null
}

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

/** A dispute as it is read. */
export function toDispute(dispute: Dispute) {
  return {
    id: dispute.id,
    paymentId: dispute.payment_id,
    gatewayRef: dispute.gateway_ref,
    status: dispute.status,
    amount: Number(dispute.amount),
    currency: dispute.currency,
    reason: dispute.reason,
    evidenceDueAt: dispute.evidence_due_at?.toISOString() ?? null,
    openedAt: dispute.opened_at.toISOString(),
    closedAt: dispute.closed_at?.toISOString() ?? null,
  }
}
