import { takenOf } from '../payment.ts'
import type { Refund } from '../transaction.ts'
import type { Decision, PaymentFacts } from './decision.ts'
import { isGiven, wordOf, type Reported } from './reported.ts'

/** What an event does to a refund: one that we asked for, or one that was made at the gateway. */
export type RefundChange =
  | { readonly kind: 'confirmed' | 'failed'; readonly id: string }
  | {
      readonly kind: 'new' | 'new-failed'
      readonly ref: string
      readonly amount: number
    }

const SAID_BEFORE: Decision = { outcome: 'unchanged', to: 'refunded' }

/** A refund was made: the payment is refunded once all of it is confirmed. */
export function decideRefund(
  payment: PaymentFacts,
  refunds: readonly Refund[],
  said: Reported,
): Decision {
  const amount = isGiven(said.amount) ? Number(said.amount) : undefined
  const standing = refunds.filter(({ isFailed }) => !isFailed)
  const known = isGiven(said.refundId)
    ? findNamed(refunds, said.refundId)
    : ofAmount(standing, amount, 'confirmed-too')
  if (known) {
    if (amount !== undefined && amount !== known.amount) {
      return mismatch(said, `refund ${known.id} is of ${known.amount}, not ${amount}`)
    }
    if (known.isFailed) return contradicts(said, `refund ${known.id} has failed here`)
    // Refunded before refunds were confirmed one by one: it was said once already.
    if (known.isConfirmed || payment.status === 'refunded') return SAID_BEFORE
    const refund = { kind: 'confirmed', id: known.id } as const
    return applyRefund(payment, standing, { refund, of: known.amount })
  }
  const isNamed = isGiven(said.refundId)
  if (!isNamed && standing.length > 0) return mismatch(said, `no refund of it is of ${amount}`)
  // It may be ours, whose answer has its name.
  if (standing.some(({ ref }) => ref === null)) return parked('a refund has no answer yet')
  if (payment.status === 'refunded' && standing.length === 0) return SAID_BEFORE
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

/** A refund came to nothing at the gateway: what it would have given back is free again. */
export function decideRefundFailure(
  payment: PaymentFacts,
  refunds: readonly Refund[],
  said: Reported,
): Decision {
  const amount = isGiven(said.amount) ? Number(said.amount) : undefined
  const known = isGiven(said.refundId)
    ? findNamed(refunds, said.refundId)
    : ofAmount(
        refunds.filter(({ isFailed }) => !isFailed),
        amount,
        'unconfirmed',
      )
  const to = payment.status
  if (known) {
    if (amount !== undefined && amount !== known.amount) {
      return mismatch(said, `refund ${known.id} is of ${known.amount}, not ${amount}`)
    }
    if (known.isFailed) return { outcome: 'unchanged', to }
    if (known.isConfirmed || payment.status === 'refunded') {
      return contradicts(said, `refund ${known.id} was made`)
    }
    return { outcome: 'applied', to, refund: { kind: 'failed', id: known.id } }
  }
  if (refunds.some(({ ref, isFailed }) => ref === null && !isFailed)) {
    return parked('a refund has no answer yet', to)
  }
  if (!isGiven(said.refundId) || amount === undefined) {
    return mismatch(said, 'no refund of it waits to be made')
  }
  // Kept, so that a word of its success that comes later is known to contradict this one.
  const refund = { kind: 'new-failed', ref: String(said.refundId), amount } as const
  return { outcome: 'applied', to, refund }
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

function parked(reason: string, to: PaymentFacts['status'] = 'refunded'): Decision {
  return { outcome: 'parked', to, reason }
}

function mismatch(said: Reported, why: string): Decision {
  const reason = `Event ${said.eventId} of the gateway says ${wordOf(said)}, but ${why}.`
  return { outcome: 'mismatch', to: 'refunded', reason }
}

function contradicts(said: Reported, why: string): Decision {
  const reason = `Event ${said.eventId} of the gateway says ${wordOf(said)}, but ${why}.`
  return { outcome: 'forbidden', to: 'refunded', reason }
}

/** By its name, ours or the gateway's. */
function findNamed(refunds: readonly Refund[], name: unknown): Refund | undefined {
  return refunds.find(({ id, ref }) => name === id || name === ref)
}

/** An event without a name means the one of its amount. */
function ofAmount(
  refunds: readonly Refund[],
  amount: number | undefined,
  which: 'unconfirmed' | 'confirmed-too',
): Refund | undefined {
  const alike = refunds.filter((refund) => amount === undefined || refund.amount === amount)
  const waiting = alike.find(({ isConfirmed }) => !isConfirmed)
  return waiting ?? (which === 'confirmed-too' ? alike[0] : undefined)
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}
