import { createHmac, timingSafeEqual } from 'node:crypto'
import { field, idOf } from '../exchange.ts'
import { fromStripe, REFERENCE, foundIn, metadataOf } from './intent.ts'

/** An event in the words that all gateways share here. */
export interface TranslatedEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly data: Readonly<Record<string, unknown>>
}

/** One of Stripe's events, as far as it is looked at. */
export interface StripeEvent {
  readonly id: string
  readonly type: string
  /** In seconds since 1970. */
  readonly created: number
  readonly data: { readonly object: unknown }
}

/** What an event says; undefined for one that says nothing of a payment's state. */
type Saying =
  | { readonly type: string; readonly amount?: unknown; readonly more?: Record<string, unknown> }
  | undefined

const SAYINGS: Readonly<Record<string, (object: unknown) => Saying>> = {
  'payment_intent.succeeded': (intent) => ({
    type: 'payment.succeeded',
    amount: field(intent, 'amount_received'),
  }),
  // Nothing here tries a PaymentIntent again: its first failure is its last.
  'payment_intent.payment_failed': (intent) => ({
    type: 'payment.failed',
    amount: field(intent, 'amount'),
  }),
  'payment_intent.amount_capturable_updated': (intent) => ({
    type: 'payment.authorised',
    amount: field(intent, 'amount'),
  }),
  'payment_intent.canceled': ofCancelled,
  'charge.expired': (charge) => ({ type: 'payment.expired', amount: field(charge, 'amount') }),
  'refund.created': ofRefund,
  'refund.updated': ofRefund,
  'refund.failed': ofRefund,
  // The names of refunds' events in older versions of the API.
  'charge.refund.updated': ofRefund,
  'charge.dispute.created': ofDispute,
  'charge.dispute.updated': ofDispute,
  'charge.dispute.funds_withdrawn': ofDispute,
  'charge.dispute.closed': ofDispute,
}

/** Disputes by Stripe's status. An inquiry takes no money; one that is closed was never a dispute. */
const DISPUTES: Readonly<Record<string, string>> = {
  warning_needs_response: 'dispute.inquiry',
  warning_under_review: 'dispute.inquiry',
  needs_response: 'dispute.opened',
  under_review: 'dispute.opened',
  won: 'dispute.won',
  lost: 'dispute.lost',
  warning_closed: 'dispute.withdrawn',
  prevented: 'dispute.withdrawn',
}

/**
 * Says an event of Stripe in our words: the same id, the payment by our own id where Stripe has it in
 * its metadata, the PaymentIntent as `gatewayRef`, amounts in our minor units. Undefined for events
 * that move nothing here, such as `charge.succeeded` beside `payment_intent.succeeded`.
 */
export function translateStripe({
  id,
  type,
  created,
  data,
}: StripeEvent): TranslatedEvent | undefined {
  const { object } = data
  const said = Object.hasOwn(SAYINGS, type) ? SAYINGS[type]?.(object) : undefined
  if (!said) return undefined
  const isIntent = field(object, 'object') === 'payment_intent'
  const gatewayRef = isIntent ? idOf(object) : field(object, 'payment_intent')
  // A refund's own metadata is a copy of nothing: its payment is known by the PaymentIntent.
  const paymentId = metadataOf(object, REFERENCE)
  const currency = String(field(object, 'currency')).toUpperCase()
  return {
    ...{ id, type: said.type, createdAt: new Date(created * 1_000).toISOString() },
    data: {
      ...(paymentId !== undefined && { paymentId }),
      ...{ gatewayRef, status: said.type.split('.')[1], currency },
      // What is no amount of ours is compared as it came, and found to differ.
      amount: fromStripe(said.amount, currency) ?? said.amount,
      ...said.more,
    },
  }
}

function ofCancelled(intent: unknown): Saying {
  const amount = field(intent, 'amount')
  if (foundIn(intent).kind !== 'voided') return { type: 'payment.failed', amount }
  const reason = field(intent, 'cancellation_reason')
  const isExpired = reason === 'automatic' || reason === 'expired'
  return { type: isExpired ? 'payment.expired' : 'payment.voided', amount }
}

function ofRefund(refund: unknown): Saying {
  const status = field(refund, 'status')
  const amount = field(refund, 'amount')
  const refundId = idOf(refund)
  if (status === 'succeeded') return { type: 'payment.refunded', amount, more: { refundId } }
  if (status !== 'failed' && status !== 'canceled') return undefined
  const reason = field(refund, 'failure_reason') ?? `refund_${status}`
  return { type: 'payment.refund_failed', amount, more: { refundId, status: 'failed', reason } }
}

function ofDispute(dispute: unknown): Saying {
  const status = String(field(dispute, 'status'))
  const type = Object.hasOwn(DISPUTES, status) ? DISPUTES[status] : undefined
  if (type === undefined) return undefined
  const due = field(field(dispute, 'evidence_details'), 'due_by')
  return {
    type,
    amount: field(dispute, 'amount'),
    more: {
      disputeId: idOf(dispute),
      reason: field(dispute, 'reason'),
      ...(typeof due === 'number' && { evidenceDueAt: new Date(due * 1_000).toISOString() }),
    },
  }
}

/** A header that is right, and when it was signed, or what is wrong with it. */
type Verified =
  | { readonly ok: true; readonly timestamp: number }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'signature' }

/**
 * Checks `Stripe-Signature: t=…,v1=…` over the raw body. It may have several `v1`, while a secret is
 * rotated at Stripe, and there may be several secrets, while it is rotated here: one pair suffices.
 * Other schemes (`v0`) are passed over. The time is the caller's to judge.
 */
export function verifyStripe(
  header: string | undefined,
  body: Buffer,
  secrets: readonly string[],
): Verified {
  if (header === undefined || header === '') return { ok: false, reason: 'missing' }
  const parts = header.split(',').map((part) => part.trim().split(/=(.*)/s))
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  const given = parts.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []))
  if (!/^\d{1,12}$/.test(timestamp) || given.length === 0) return { ok: false, reason: 'malformed' }
  const isRight = secrets.some((secret) => {
    const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body)
    const wanted = Buffer.from(hmac.digest('hex'))
    return given.some((each) => isSame(Buffer.from(each), wanted))
  })
  return isRight ? { ok: true, timestamp: Number(timestamp) } : { ok: false, reason: 'signature' }
}

function isSame(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
