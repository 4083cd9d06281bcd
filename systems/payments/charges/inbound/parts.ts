import {
  takenOf,
  type Authorisation,
  type Dispute,
  type DisputeStatus,
  type PaymentStatus,
  type Refund,
} from '../payment.ts'
import type { Decision, PaymentFacts } from './decision.ts'

/*
 * Decisions about what is a part of a payment: money that is held, refunds, disputes.
 */

/** What an event says; what it leaves out is not compared. */
export interface Reported {
  readonly eventId: string
  readonly type: string
  readonly gatewayRef?: unknown
  /** Of the refund, where a payment has several. */
  readonly refundId?: unknown
  /** The gateway's, of a dispute. */
  readonly disputeId?: unknown
  readonly amount?: unknown
  readonly currency?: unknown
  /** Why a dispute was opened, or why a refund failed. */
  readonly reason?: unknown
  /** Until when a dispute takes evidence. */
  readonly evidenceDueAt?: unknown
}

/** What an event says in a word: `succeeded`, `refund_failed`. */
export function wordOf({ type }: Reported): string {
  return type.replace(/^payment\./, '')
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A refund has come to nothing, also one that was made. Gateways may say `refund.failed`. */
export const REFUND_FAILED = 'payment.refund_failed'

const MOST_CHARACTERS = 500

/** A text of the gateway that is kept; null if there is none. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MOST_CHARACTERS) : null
}

/** A date of the gateway that is kept; null for none, and for one that no calendar needs. */
export function timeOf(value: unknown): Date | null {
  const at = new Date(typeof value === 'string' ? value : Number.NaN)
  const year = at.getUTCFullYear()
  return year >= 2000 && year < 2200 ? at : null
}

/** An event that is about something else than we have, or that contradicts what came first. */
function differs(outcome: 'mismatch' | 'forbidden', to: PaymentStatus) {
  return (said: Reported, why: string): Decision => {
    const reason = `Event ${said.eventId} of the gateway says ${wordOf(said)}, but ${why}.`
    return { outcome, to, reason }
  }
}

/** Whether an event is about money that is held. */
export function isAboutAuthorisation(type: string): boolean {
  return /^payment\.(authorised|voided|expired)$/.test(type)
}

/** Decides about an event that says that money is held, or that it is free again. */
export function decideAuthorisation(payment: PaymentFacts, said: Reported): Decision {
  const { status, authorisation, capture_method: method } = payment
  const word = wordOf(said) as Exclude<Authorisation, 'captured'>
  const to = word === 'authorised' ? status : 'failed'
  const isFree = authorisation === 'voided' || authorisation === 'expired'
  const isSaid = word === 'authorised' ? authorisation !== null : isFree
  if (isSaid) return { outcome: 'unchanged', to }
  if (method === 'manual' && authorisation !== 'captured') {
    if (status === 'pending') return { outcome: 'applied', to, authorisation: word }
    // Declined before: there is nothing to set free.
    if (word !== 'authorised') return { outcome: 'unchanged', to }
  }
  const ours = method === 'automatic' ? 'is charged at once' : `is ${authorisation ?? status} here`
  return differs('forbidden', to)(said, `the payment ${ours}`)
}

/** What an event does to a dispute. What is known of it already stays. */
export interface DisputeChange {
  readonly ref: string
  readonly status: DisputeStatus
  readonly amount: number
  readonly currency: string
  readonly reason: string | null
  readonly evidenceDueAt: Date | null
}

/** How far a dispute is. */
const PROGRESS: Readonly<Record<DisputeStatus, number>> = {
  ...{ inquiry: 0, opened: 1, won: 2, lost: 2, withdrawn: 2 },
}

/**
 * Decides about an event of a dispute. A later state may be said before an earlier one, which then
 * only adds the reason and the date; of two ends the first stands. Banks may claim more than the
 * payment, and in another currency.
 */
export function decideDispute(
  payment: PaymentFacts,
  disputes: readonly Dispute[],
  said: Reported,
): Decision {
  const to = payment.status
  const status = said.type.slice('dispute.'.length) as DisputeStatus
  if (!isGiven(said.disputeId)) return differs('mismatch', to)(said, 'names no dispute')
  const ref = String(said.disputeId)
  const known = disputes.find((dispute) => dispute.gateway_ref === ref)
  const amount = isGiven(said.amount) ? Number(said.amount) : undefined
  const currency = isGiven(said.currency) ? String(said.currency) : undefined
  const change = {
    ...{ ref, status, reason: textOf(said.reason), evidenceDueAt: timeOf(said.evidenceDueAt) },
    amount: amount ?? Number(known?.amount ?? takenOf(payment)),
    currency: currency ?? known?.currency ?? payment.currency,
  }
  if (!known) {
    if (amount === undefined && PROGRESS[status] === PROGRESS.won) {
      const reason = 'how much is disputed is not known yet'
      return { outcome: 'parked', to, reason }
    }
    return { outcome: 'applied', to, dispute: change }
  }
  if (change.amount !== Number(known.amount) || change.currency !== known.currency) {
    const [ours, theirs] = [known, change].map((each) => `${each.amount} ${each.currency}`)
    return differs('mismatch', to)(said, `dispute ${ref} is of ${ours}, not ${theirs}`)
  }
  if (PROGRESS[status] > PROGRESS[known.status]) {
    return { outcome: 'applied', to, dispute: change }
  }
  if (PROGRESS[status] < PROGRESS[known.status] || status === known.status) {
    return { outcome: 'unchanged', to, dispute: { ...change, status: known.status } }
  }
  return differs('forbidden', to)(said, `dispute ${ref} is ${known.status} here`)
}

/** What an event does to a refund: one that we asked for, or one that was made at the gateway. */
export type RefundChange =
  | { readonly kind: 'confirmed' | 'failed'; readonly id: string }
  | {
      readonly kind: 'new' | 'new-failed'
      readonly ref: string
      readonly amount: number
    }

const mismatch = differs('mismatch', 'refunded')
const SAID_BEFORE: Decision = { outcome: 'unchanged', to: 'refunded' }

/** A refund was made: the payment is refunded once all of it is confirmed. */
export function decideRefund(
  payment: PaymentFacts,
  refunds: readonly Refund[],
  said: Reported,
): Decision {
  const { amount, standing, known } = findRefund(refunds, said)
  if (known) {
    if (amount !== undefined && amount !== known.amount) {
      return mismatch(said, `refund ${known.id} is of ${known.amount}, not ${amount}`)
    }
    // Failed is final: that it was made was said before, and came later.
    if (known.isFailed || known.isConfirmed) return SAID_BEFORE
    const refund = { kind: 'confirmed', id: known.id } as const
    return applyRefund(payment, standing, { refund, of: known.amount })
  }
  const isNamed = isGiven(said.refundId)
  if (!isNamed && standing.length > 0) return mismatch(said, `no refund of it is of ${amount}`)
  // It may be ours, whose answer has its name.
  if (standing.some(({ ref }) => ref === null)) return parked('a refund has no answer yet')
  const left = takenOf(payment) - sumOf(standing)
  const of = amount ?? left
  const isConfirmed = standing.filter((each) => each.isConfirmed)
  if (of === 0 || of > takenOf(payment) - sumOf(isConfirmed)) {
    return mismatch(said, `only ${left} of ${takenOf(payment)} is left of it`)
  }
  // One that is not confirmed may still fail, and make room for this one.
  if (of > left) return parked('other refunds are not confirmed yet')
  const ref = isNamed ? String(said.refundId) : said.eventId
  return applyRefund(payment, standing, { refund: { kind: 'new', ref, amount: of }, of })
}

/** A refund came to nothing, perhaps days after it was made: what it gave back is here again. */
export function decideRefundFailure(
  payment: PaymentFacts,
  refunds: readonly Refund[],
  said: Reported,
): Decision {
  const { amount, standing, known } = findRefund(refunds, said)
  // A payment that is refunded has no refund but those that were made.
  const to = payment.status === 'refunded' ? 'succeeded' : payment.status
  if (known) {
    if (amount !== undefined && amount !== known.amount) {
      return mismatch(said, `refund ${known.id} is of ${known.amount}, not ${amount}`)
    }
    if (known.isFailed) return { outcome: 'unchanged', to: payment.status }
    return { outcome: 'applied', to, refund: { kind: 'failed', id: known.id } }
  }
  if (standing.some(({ ref }) => ref === null)) {
    return parked('a refund has no answer yet', to)
  }
  if (!isGiven(said.refundId) || amount === undefined) {
    return mismatch(said, 'no refund of it waits to be made')
  }
  // Kept, so that a word of its success that comes later is known to have been said before.
  const refund = { kind: 'new-failed', ref: String(said.refundId), amount } as const
  return { outcome: 'applied', to: payment.status, refund }
}

function applyRefund(
  payment: PaymentFacts,
  standing: readonly Refund[],
  { refund, of }: { readonly refund: RefundChange; readonly of: number },
): Decision {
  const total = sumOf(standing.filter(({ isConfirmed }) => isConfirmed)) + of
  const to = total === takenOf(payment) ? 'refunded' : 'succeeded'
  return { outcome: 'applied', to, refund }
}

function parked(reason: string, to: PaymentStatus = 'refunded'): Decision {
  return { outcome: 'parked', to, reason }
}

/** The refund that is meant, by its name, ours or the gateway's; without one by its amount. */
function findRefund(refunds: readonly Refund[], said: Reported) {
  const amount = isGiven(said.amount) ? Number(said.amount) : undefined
  const standing = refunds.filter(({ isFailed }) => !isFailed)
  const name = said.refundId
  if (isGiven(name)) {
    const known = refunds.find(({ id, ref }) => name === id || name === ref)
    return { amount, standing, known }
  }
  const alike = standing.filter((refund) => amount === undefined || refund.amount === amount)
  const waiting = alike.find(({ isConfirmed }) => !isConfirmed)
  return { amount, standing, known: waiting ?? alike[0] }
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}
