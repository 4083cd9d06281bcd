import { bigint, Id, NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { ReasonEnum } from '../reason.ts'

export const AdjustmentKind = Type.Enum(['fee', 'rounding', 'other'])
export type AdjustmentKind = Static<typeof AdjustmentKind>

export const RecordResource = Type.Object({
  id: Type.String(),
  lineNumber: Type.Integer(),
  externalTransactionId: Type.String(),
  amount: bigint({ description: 'Amount in minor units' }),
  currency: Type.String(),
  bookedOn: Type.String(),
  occurrenceNo: Type.Integer(),
  duplicateOf: nullable(Type.Integer()),
  status: Type.Enum(['unmatched', 'matched']),
  matchedPaymentId: NullableText,
  matchedAs: nullable(Type.Enum(['payment', 'part', 'refund', 'dispute']), {
    description: 'Type of the match; for a refund or dispute, `matchedPaymentId` is its payment',
  }),
  paymentIds: Type.Array(Type.String()),
  refundIds: Type.Array(Type.String()),
  disputeIds: Type.Array(Type.String()),
  fee: nullable(Type.Integer(), {
    description: 'Fee deducted by the bank, in minor units: from the match, else from the file',
  }),
  gross: Type.Integer({ description: 'Amount plus fee, in minor units' }),
  adjustment: nullable(Type.Object({ amount: Type.Integer(), kind: Type.String() })),
  decidedBy: NullableText,
  version: Type.Integer(),
  reason: nullable(ReasonEnum),
})

/** A row of `payments.reconciliation_records` with its current detail. */
export interface StatementRecord extends RowOf<
  typeof RecordResource,
  'id' | 'matchedAs' | 'paymentIds' | 'refundIds' | 'disputeIds' | 'fee' | 'gross' | 'adjustment'
> {
  readonly run_id: string
  /** Null where it is a whole payment. */
  readonly matched_as: 'part' | 'refund' | 'dispute' | null
  /** What the bank took off, where the file names it. */
  readonly fee: string | null
  readonly refunds: readonly string[]
  readonly disputes: readonly string[]
  /** The further payments of a line that settles several. */
  readonly linked: readonly string[]
  readonly adjustment: string | null
  readonly adjustment_kind: AdjustmentKind | null
}

export const recordResource = resource(RecordResource, {
  id: (record: StatementRecord) => String(record.line_number),
  matchedAs: ({ matched_payment_id: id, matched_as: as }) =>
    id === null ? null : (as ?? 'payment'),
  paymentIds: ({ matched_payment_id: id, matched_as: as, linked }) =>
    id === null || as === 'refund' || as === 'dispute' ? [] : [id, ...linked],
  refundIds: ({ refunds }) => [...refunds],
  disputeIds: ({ disputes }) => [...disputes],
  fee: takenOff,
  // Gross, less the fee, is the amount.
  gross: (record) => Number(record.amount) + (takenOff(record) ?? 0),
  adjustment: ({ adjustment: amount, adjustment_kind: kind }) =>
    amount === null || kind === null ? null : { amount: Number(amount), kind },
})

/** By the match, else by what the file says. */
function takenOff({ fee, adjustment, adjustment_kind: kind }: StatementRecord): number | null {
  if (kind === 'fee' && adjustment !== null) return -Number(adjustment)
  return fee === null ? null : Number(fee)
}

/** A row of `payments.reconciliation_details`, or of what it was before. */
export const DetailResource = Type.Object({
  recordId: Type.String(),
  runNo: Type.Integer(),
  reason: ReasonEnum,
  paymentId: NullableText,
  note: NullableText,
  actor: NullableText,
  createdAt: time(),
})

export interface Detail extends RowOf<typeof DetailResource, 'recordId'> {
  readonly line_number: number
}

export const detailResource = resource(DetailResource, {
  recordId: (detail: Detail) => String(detail.line_number),
})

/** A payment beside a record. */
export const PaymentSideResource = Type.Object({
  id: Id,
  amount: bigint({ description: 'Amount in minor units' }),
  currency: Type.String(),
  externalPaymentId: NullableText,
  status: Type.String(),
  createdAt: time(),
})

/** A refund or dispute beside a record. */
export const RefundSideResource = Type.Object({
  ...PaymentSideResource.properties,
  paymentId: Id,
  gatewayRef: NullableText,
})

export type PaymentSide = RowOf<typeof PaymentSideResource>
export type RefundSide = RowOf<typeof RefundSideResource>

export const paymentSide = resource(PaymentSideResource)
export const refundSide = resource(RefundSideResource)
