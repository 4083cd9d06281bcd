import type { Authorisation } from './authorisations/authorisation.ts'
import type { DisputeStatus } from './disputes/dispute.ts'

/*
 *   pending ──▶ succeeded ──▶ refunded
 *      └──────▶ failed
 *
 * The table's trigger holds the same moves: see migrations/0001_payments.sql.
 */

export type PaymentStatus = 'pending' | 'succeeded' | 'failed' | 'refunded'

export const MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['succeeded', 'failed'],
  succeeded: ['refunded'],
  failed: [],
  refunded: [],
}

/** A row of `payments.payments`. */
export interface Payment {
  readonly id: string
  readonly org_id: string
  readonly user_id: string
  /** In minor units; text, since pg reads a bigint so. */
  readonly amount: string
  readonly currency: string
  readonly external_payment_id: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly status: PaymentStatus
  readonly gateway_ref: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly settled_at: Date | null
  readonly refunded_at: Date | null
  /** How often the gateway was asked what became of it. */
  readonly lookups: number
  readonly capture_method: CaptureMethod
  /** Of a manual one; null while the gateway has not answered, and if it declined. */
  readonly authorisation: Authorisation | null
  /** What was taken of a manual one, in minor units. */
  readonly captured_amount: string | null
}

/** `manual`: the money is held, and taken by a request of its own. */
export type CaptureMethod = 'automatic' | 'manual'

/** What was taken of a payment that has succeeded, in minor units: less than it is, where less was captured. */
export function takenOf(payment: Pick<Payment, 'amount' | 'captured_amount'>): number {
  return Number(payment.captured_amount ?? payment.amount)
}

/** A payment with what became of its money, in minor units; text as above. */
export interface PaymentWithSums extends Payment {
  readonly refunded_amount: string
  readonly disputed_amount: string
  readonly net_amount: string
  /** Of the dispute that is open, else of the latest; null where there was none. */
  readonly dispute_status: DisputeStatus | null
}

/** What a client asks for. */
export interface NewPayment {
  readonly amount: number
  readonly currency: string
  readonly externalPaymentId?: string
  readonly description?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** What the gateway charges, by its own name. */
  readonly paymentMethod?: string
  /** Default automatic. */
  readonly capture?: CaptureMethod
}

export type TransactionType = 'charge' | 'authorisation' | 'capture' | 'void' | 'refund'

/** What the gateway was asked to do for a payment: a row of `payments.transactions`. */
export interface GatewayTransaction {
  readonly id: string
  readonly payment_id: string
  readonly type: TransactionType
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly amount: string
  readonly currency: string
  /** Ours: the gateway does the same key once. */
  readonly gateway_key: string
  readonly gateway_ref: string | null
  readonly created_at: Date
}

/** The same with how it went. */
export interface KeptTransaction extends GatewayTransaction {
  readonly error_code: string | null
  readonly error_message: string | null
  readonly updated_at: Date
  /** Of a refund: when the gateway's webhook said that it was made. */
  readonly confirmed_at: Date | null
}

/** What of a payment is given back, or about to be. */
export interface Refund {
  /** Ours. */
  readonly id: string
  /** In minor units. */
  readonly amount: number
  /** The gateway's own; null while it has not answered. */
  readonly ref: string | null
  /** The gateway's webhook said so. */
  readonly isConfirmed: boolean
  /** Nothing of it is given back. */
  readonly isFailed: boolean
}

/** The answer to a creation. */
export function toReceipt(payment: Payment) {
  return {
    id: payment.id,
    status: payment.status,
    amount: Number(payment.amount),
    currency: payment.currency,
    externalPaymentId: payment.external_payment_id,
    gatewayRef: payment.gateway_ref,
    createdAt: payment.created_at.toISOString(),
    ...(payment.capture_method === 'manual' && toAuthorisation(payment)),
  }
}

function toAuthorisation({ authorisation, captured_amount: captured }: Payment) {
  return { authorisation, capturedAmount: captured === null ? null : Number(captured) }
}

/** A payment as it is read. */
export function toResource(payment: PaymentWithSums) {
  return {
    ...toReceipt(payment),
    capture: payment.capture_method,
    ...toAuthorisation(payment),
    refundedAmount: Number(payment.refunded_amount),
    disputedAmount: Number(payment.disputed_amount),
    netAmount: Number(payment.net_amount),
    disputeStatus: payment.dispute_status,
    userId: payment.user_id,
    description: payment.description,
    metadata: payment.metadata,
    errorCode: payment.error_code,
    errorMessage: payment.error_message,
    updatedAt: payment.updated_at.toISOString(),
    settledAt: payment.settled_at?.toISOString() ?? null,
    refundedAt: payment.refunded_at?.toISOString() ?? null,
  }
}

export function toRefund(refund: GatewayTransaction) {
  return {
    id: refund.id,
    paymentId: refund.payment_id,
    status: refund.status,
    amount: Number(refund.amount),
    currency: refund.currency,
    gatewayRef: refund.gateway_ref,
    createdAt: refund.created_at.toISOString(),
  }
}

/** A refund as it stands now: the answer to the request that made it says how it stood then. */
export function toRefundResource(refund: KeptTransaction) {
  return {
    ...toRefund(refund),
    errorCode: refund.error_code,
    errorMessage: refund.error_message,
    updatedAt: refund.updated_at.toISOString(),
    confirmedAt: refund.confirmed_at?.toISOString() ?? null,
  }
}

export function toTransaction(row: KeptTransaction) {
  const { paymentId: _paymentId, ...asked } = toRefund(row)
  return {
    ...asked,
    type: row.type,
    gatewayKey: row.gateway_key,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    updatedAt: row.updated_at.toISOString(),
  }
}
