import type { Reason } from '../reason.ts'

/** A row of `payments.reconciliation_records` with its current detail. */
export interface StatementRecord {
  readonly run_id: string
  readonly line_number: number
  readonly external_transaction_id: string
  readonly amount: string
  readonly currency: string
  readonly booked_on: string
  readonly occurrence_no: number
  readonly duplicate_of: number | null
  readonly status: 'unmatched' | 'matched'
  readonly matched_payment_id: string | null
  /** Null where it is a whole payment. */
  readonly matched_as: 'part' | 'refund' | null
  /** What the bank took off, where the file names it. */
  readonly fee: string | null
  readonly refunds: readonly string[]
  /** The further payments of a line that settles several. */
  readonly linked: readonly string[]
  readonly adjustment: string | null
  readonly adjustment_kind: AdjustmentKind | null
  readonly decided_by: 'auto' | 'manual' | 'ignored' | null
  readonly version: number
  readonly reason: Reason | null
}

export type AdjustmentKind = 'fee' | 'rounding' | 'other'

export function recordResource(record: StatementRecord) {
  const { matched_payment_id: first, linked, adjustment, adjustment_kind: kind } = record
  const isRefund = record.matched_as === 'refund'
  return {
    id: String(record.line_number),
    lineNumber: record.line_number,
    externalTransactionId: record.external_transaction_id,
    amount: Number(record.amount),
    currency: record.currency,
    bookedOn: record.booked_on,
    occurrenceNo: record.occurrence_no,
    duplicateOf: record.duplicate_of,
    status: record.status,
    matchedPaymentId: first,
    matchedAs: first === null ? null : (record.matched_as ?? ('payment' as const)),
    paymentIds: first === null || isRefund ? [] : [first, ...linked],
    refundIds: [...record.refunds],
    ...feeOf(record),
    adjustment: adjustment === null || kind === null ? null : { amount: Number(adjustment), kind },
    decidedBy: record.decided_by,
    version: record.version,
    reason: record.reason,
  }
}

/** Gross, less the fee, is the amount: by the match, else by what the file says. */
function feeOf(record: StatementRecord): { fee: number | null; gross: number } {
  const { amount, fee, adjustment, adjustment_kind: kind } = record
  const named = fee === null ? null : Number(fee)
  const taken = kind === 'fee' && adjustment !== null ? -Number(adjustment) : named
  return { fee: taken, gross: Number(amount) + (taken ?? 0) }
}

/** A row of `payments.reconciliation_details`, or of what it was before. */
export interface Detail {
  readonly line_number: number
  readonly run_no: number
  readonly reason: Reason
  readonly payment_id: string | null
  readonly note: string | null
  readonly actor: string | null
  readonly created_at: Date
}

export function detailResource(detail: Detail) {
  return {
    recordId: String(detail.line_number),
    runNo: detail.run_no,
    reason: detail.reason,
    paymentId: detail.payment_id,
    note: detail.note,
    actor: detail.actor,
    createdAt: detail.created_at.toISOString(),
  }
}

/** A payment beside a record. */
export interface PaymentSide {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly external_payment_id: string | null
  readonly status: string
  readonly created_at: Date
}

export function paymentSide(payment: PaymentSide) {
  return {
    id: payment.id,
    amount: Number(payment.amount),
    currency: payment.currency,
    externalPaymentId: payment.external_payment_id,
    status: payment.status,
    createdAt: payment.created_at.toISOString(),
  }
}

/** A refund beside a record. */
export interface RefundSide extends PaymentSide {
  readonly payment_id: string
  readonly gateway_ref: string | null
}

export function refundSide(refund: RefundSide) {
  return {
    ...paymentSide(refund),
    paymentId: refund.payment_id,
    gatewayRef: refund.gateway_ref,
  }
}
