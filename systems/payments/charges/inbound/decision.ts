import {
  MOVES,
  takenOf,
  type Authorisation,
  type Dispute,
  type Payment,
  type PaymentStatus,
  type Refund,
} from '../payment.ts'
import {
  decideAuthorisation,
  decideDispute,
  decideRefund,
  decideRefundFailure,
  isAboutAuthorisation,
  isGiven,
  REFUND_FAILED,
  wordOf,
  type DisputeChange,
  type RefundChange,
  type Reported,
} from './parts.ts'

/** What an event does to its payment. */
export type Decision =
  | {
      readonly outcome: 'applied'
      readonly to: PaymentStatus
      readonly refund?: RefundChange
      readonly dispute?: DisputeChange
      readonly authorisation?: Exclude<Authorisation, 'captured'>
      /** What was taken of what was held, in minor units. */
      readonly captured?: number
    }
  /** Said before. */
  | {
      readonly outcome: 'unchanged'
      readonly to: PaymentStatus
      /** What it adds to a dispute whose end was said first. */
      readonly dispute?: DisputeChange
    }
  /** Not yet: looked at again with each later event of the payment. */
  | { readonly outcome: 'parked'; readonly to: PaymentStatus; readonly reason: string }
  /** Contradicts what came first. */
  | { readonly outcome: 'forbidden'; readonly to: PaymentStatus; readonly reason: string }
  /** About something else than the payment. */
  | { readonly outcome: 'mismatch'; readonly to: PaymentStatus; readonly reason: string }
  /** Of a type that moves nothing. */
  | { readonly outcome: 'kept'; readonly to?: undefined }

export type PaymentFacts = Pick<
  Payment,
  | 'status'
  | 'amount'
  | 'currency'
  | 'gateway_ref'
  | 'settled_at'
  | 'capture_method'
  | 'authorisation'
  | 'captured_amount'
>

/** What belongs to a payment. An event is given what its kind is about, see `kindOf`. */
export interface Books {
  readonly refunds: readonly Refund[]
  readonly disputes: readonly Dispute[]
}

const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  'payment.succeeded': 'succeeded',
  'payment.failed': 'failed',
}

/** What an event is about, by its type. */
export function kindOf(
  type: string,
): 'payment' | 'authorisation' | 'refund' | 'dispute' | undefined {
  if (Object.hasOwn(STATUSES, type)) return 'payment'
  if (isAboutAuthorisation(type)) return 'authorisation'
  if (type === 'payment.refunded' || type === REFUND_FAILED) return 'refund'
  return /^dispute\.(inquiry|opened|won|lost|withdrawn)$/.test(type) ? 'dispute' : undefined
}

/**
 * Decides about one event. Every arrival order of the events of one legal history ends in the same
 * state: what came too early is parked, what was said before changes nothing.
 */
export function decide(payment: PaymentFacts, books: Books, said: Reported): Decision {
  const kind = kindOf(said.type)
  if (kind === undefined) return { outcome: 'kept' }
  const stated = kind === 'payment' ? STATUSES[said.type] : undefined
  const to = stated ?? (said.type === 'payment.refunded' ? 'refunded' : payment.status)
  const difference = differenceOf(payment, said)
  if (difference !== undefined) return { outcome: 'mismatch', to, reason: difference }
  if (kind === 'authorisation') return decideAuthorisation(payment, said)
  if (kind !== 'payment') {
    if (payment.status === 'failed') return forbidden(payment, said, to)
    if (payment.status === 'pending') {
      return { outcome: 'parked', to, reason: 'the payment has not succeeded yet' }
    }
    if (kind === 'dispute') return decideDispute(payment, books.disputes, said)
    return said.type === REFUND_FAILED
      ? decideRefundFailure(payment, books.refunds, said)
      : decideRefund(payment, books.refunds, said)
  }
  // A payment that is refunded has succeeded.
  if (to === payment.status || (to === 'succeeded' && payment.status === 'refunded')) {
    return { outcome: 'unchanged', to }
  }
  if (MOVES[payment.status].includes(to)) {
    const isCapture = to === 'succeeded' && payment.capture_method === 'manual'
    if (!isCapture) return { outcome: 'applied', to }
    const captured = isGiven(said.amount) ? Number(said.amount) : takenOf(payment)
    return { outcome: 'applied', to, captured }
  }
  return forbidden(payment, said, to)
}

function forbidden(payment: PaymentFacts, said: Reported, to: PaymentStatus): Decision {
  const since = payment.settled_at?.toISOString() ?? 'now'
  const says = wordOf(said)
  const reason = `Event ${said.eventId} of the gateway says ${says}, but the payment is ${payment.status} here since ${since}.`
  return { outcome: 'forbidden', to, reason }
}

function differenceOf(payment: PaymentFacts, said: Reported): string | undefined {
  const { eventId, currency, gatewayRef, refundId, disputeId, amount } = said
  const differs = (what: string, theirs: unknown, ours: string) =>
    `Event ${eventId} of the gateway says ${wordOf(said)} with ${what} ${JSON.stringify(theirs)}, but the payment's is ${ours}.`
  const isClaim = kindOf(said.type) === 'dispute'
  const isCurrency = isClaim ? /^[A-Z]{3}$/.test(String(currency)) : currency === payment.currency
  if (isGiven(currency) && !isCurrency) return differs('currency', currency, payment.currency)
  if (isGiven(gatewayRef) && payment.gateway_ref !== null && gatewayRef !== payment.gateway_ref) {
    return differs('reference', gatewayRef, payment.gateway_ref)
  }
  for (const name of [gatewayRef, refundId, disputeId].filter(isGiven)) {
    if (!isName(name))
      return `Event ${eventId} of the gateway has ${JSON.stringify(name)} for a name.`
  }
  if (!isGiven(amount)) return undefined
  // Banks claim more than was taken: currencies move, and fees come on top.
  if (isClaim && Number.isSafeInteger(amount) && Number(amount) > 0) return undefined
  const most = isOfTaken(said) ? takenOf(payment) : Number(payment.amount)
  const isRight = isPart(payment, said)
    ? Number.isSafeInteger(amount) && Number(amount) > 0 && Number(amount) <= most
    : amount === most
  return isRight ? undefined : differs('amount', amount, String(most))
}

/** Whether an event's amount is of what was taken, not of what was asked for. */
function isOfTaken({ type }: Reported): boolean {
  const kind = kindOf(type)
  return kind === 'refund' || kind === 'dispute' || type === 'payment.succeeded'
}

/** Whether an event's amount may be less. */
function isPart(payment: PaymentFacts, { type }: Reported): boolean {
  const kind = kindOf(type)
  if (kind === 'refund' || kind === 'dispute') return true
  // Of what is held, less may be captured; how much is not known before.
  const isUncaptured = payment.capture_method === 'manual' && payment.captured_amount === null
  return isUncaptured && type === 'payment.succeeded'
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[^\0]{1,255}$/.test(value)
}
