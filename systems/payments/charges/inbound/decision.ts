import { MOVES, type Payment, type PaymentStatus, type Refund } from '../payment.ts'

/** What an event says; what it leaves out is not compared. */
export interface Reported {
  readonly eventId: string
  readonly type: string
  readonly gatewayRef?: unknown
  /** Of the refund, where a payment has several. */
  readonly refundId?: unknown
  readonly amount?: unknown
  readonly currency?: unknown
}

/** Which refund an event confirms: one that we asked for, or one that was made at the gateway. */
export type ConfirmedRefund =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'new'; readonly ref: string; readonly amount: number }

/** What an event does to its payment. */
export type Decision =
  | { readonly outcome: 'applied'; readonly to: PaymentStatus; readonly refund?: ConfirmedRefund }
  /** Said before. */
  | { readonly outcome: 'unchanged'; readonly to: PaymentStatus }
  /** Not yet: looked at again with each later event of the payment. */
  | { readonly outcome: 'parked'; readonly to: PaymentStatus; readonly reason: string }
  /** Contradicts what came first. */
  | { readonly outcome: 'forbidden'; readonly to: PaymentStatus; readonly reason: string }
  /** About something else than the payment. */
  | { readonly outcome: 'mismatch'; readonly to: PaymentStatus; readonly reason: string }
  /** Of a type that moves nothing. */
  | { readonly outcome: 'kept'; readonly to?: undefined }

type PaymentFacts = Pick<Payment, 'status' | 'amount' | 'currency' | 'gateway_ref' | 'settled_at'>

const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  'payment.succeeded': 'succeeded',
  'payment.failed': 'failed',
  'payment.refunded': 'refunded',
}

/**
 * Decides about one event. Every arrival order of the events of one legal history ends in the same
 * state: what came too early is parked, what was said before changes nothing.
 */
export function decide(
  payment: PaymentFacts,
  /** Of the payment, those that have not failed. */
  refunds: readonly Refund[],
  said: Reported,
): Decision {
  const to = STATUSES[said.type]
  if (to === undefined) return { outcome: 'kept' }
  const difference = differenceOf(payment, said, to)
  if (difference !== undefined) return { outcome: 'mismatch', to, reason: difference }
  if (to === 'refunded' && payment.status !== 'failed') return decideRefund(payment, refunds, said)
  // A payment that is refunded has succeeded.
  if (to === payment.status || (to === 'succeeded' && payment.status === 'refunded')) {
    return { outcome: 'unchanged', to }
  }
  if (MOVES[payment.status].includes(to)) return { outcome: 'applied', to }
  const since = payment.settled_at?.toISOString() ?? 'now'
  const reason = `Event ${said.eventId} of the gateway says ${to}, but the payment is ${payment.status} here since ${since}.`
  return { outcome: 'forbidden', to, reason }
}

function differenceOf(
  payment: PaymentFacts,
  said: Reported,
  to: PaymentStatus,
): string | undefined {
  const { eventId, currency, gatewayRef, refundId, amount } = said
  const differs = (what: string, theirs: unknown, ours: string) =>
    `Event ${eventId} of the gateway says ${to} with ${what} ${JSON.stringify(theirs)}, but the payment's is ${ours}.`
  if (isGiven(currency) && currency !== payment.currency) {
    return differs('currency', currency, payment.currency)
  }
  if (isGiven(gatewayRef) && payment.gateway_ref !== null && gatewayRef !== payment.gateway_ref) {
    return differs('reference', gatewayRef, payment.gateway_ref)
  }
  for (const name of [gatewayRef, refundId].filter(isGiven)) {
    if (!isName(name))
      return `Event ${eventId} of the gateway has ${JSON.stringify(name)} for a name.`
  }
  if (!isGiven(amount)) return undefined
  const isRight =
    to === 'refunded'
      ? Number.isSafeInteger(amount) && Number(amount) > 0 && Number(amount) <= +payment.amount
      : amount === Number(payment.amount)
  return isRight ? undefined : differs('amount', amount, payment.amount)
}

function decideRefund(payment: PaymentFacts, refunds: readonly Refund[], said: Reported): Decision {
  const mismatch = (why: string): Decision => {
    const reason = `Event ${said.eventId} of the gateway says refunded, but ${why}.`
    return { outcome: 'mismatch', to: 'refunded', reason }
  }
  if (payment.status === 'pending') return parked('the payment has not succeeded yet')
  const amount = isGiven(said.amount) ? Number(said.amount) : undefined
  const known = findRefund(refunds, said.refundId, amount)
  if (known) {
    if (amount !== undefined && amount !== known.amount) {
      return mismatch(`refund ${known.id} is of ${known.amount}, not ${amount}`)
    }
    // Refunded before refunds were confirmed one by one: it was said once already.
    if (known.isConfirmed || payment.status === 'refunded') return SAID_BEFORE
    return confirmed(payment, refunds, {
      refund: { kind: 'known', id: known.id },
      of: known.amount,
    })
  }
  const isNamed = isGiven(said.refundId)
  if (!isNamed && refunds.length > 0) return mismatch(`no refund of it is of ${amount}`)
  // It may be ours, whose answer has its name.
  if (refunds.some(({ ref }) => ref === null)) return parked('a refund has no answer yet')
  const left = Number(payment.amount) - sumOf(refunds)
  if (payment.status === 'refunded' && refunds.length === 0) return SAID_BEFORE
  const of = amount ?? left
  if (of > left || of === 0) return mismatch(`only ${left} of ${payment.amount} is left of it`)
  const ref = isNamed ? String(said.refundId) : said.eventId
  return confirmed(payment, refunds, { refund: { kind: 'new', ref, amount: of }, of })
}

const SAID_BEFORE: Decision = { outcome: 'unchanged', to: 'refunded' }

function parked(reason: string): Decision {
  return { outcome: 'parked', to: 'refunded', reason }
}

/** The payment is refunded once all of it is confirmed. */
function confirmed(
  payment: PaymentFacts,
  refunds: readonly Refund[],
  { refund, of }: { readonly refund: ConfirmedRefund; readonly of: number },
): Decision {
  const total = sumOf(refunds.filter(({ isConfirmed }) => isConfirmed)) + of
  const to = total === Number(payment.amount) ? 'refunded' : 'succeeded'
  return { outcome: 'applied', to, refund }
}

/** By its name, ours or the gateway's; an event without a name means the one of its amount. */
function findRefund(
  refunds: readonly Refund[],
  name: unknown,
  amount: number | undefined,
): Refund | undefined {
  if (isGiven(name)) return refunds.find(({ id, ref }) => name === id || name === ref)
  const alike = refunds.filter((refund) => amount === undefined || refund.amount === amount)
  return alike.find(({ isConfirmed }) => !isConfirmed) ?? alike[0]
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[^\0]{1,255}$/.test(value)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
