import { bigint, Id, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { AdjustmentKind } from '../records/record.ts'

const Absolute = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: 'Tolerance in minor units' }),
)
const Bps = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Tolerance in hundredths of a percent',
  }),
)
const Days = Type.Integer({ minimum: 0, maximum: 31 })

/** Both count: the larger one decides. */
const tolerance = { absolute: Absolute, bps: Bps }
const Tolerance = Type.Object(tolerance)
export type Tolerance = Static<typeof Tolerance>

/** The payment that the record names, with nearly its amount. */
const AmountPass = Type.Object({ kind: Type.Literal('amount_tolerance'), ...tolerance })
/** The same amount under another name, a few days before or after the record's date. */
const DatePass = Type.Object({ kind: Type.Literal('date_window'), before: Days, after: Days })
/** All payments of a payout, by the metadata field that names it as the record does; less a fee. */
const PayoutPass = Type.Object({
  kind: Type.Literal('many_to_one'),
  by: Type.Object({ metadata: Type.String({ minLength: 1, maxLength: 100 }) }),
  fee: Type.Optional(Tolerance),
})

/** One payment that was paid in several records of its name; less a fee. */
const SplitPass = Type.Object({
  kind: Type.Literal('one_to_many'),
  fee: Type.Optional(Tolerance),
})

export const Pass = Type.Union([AmountPass, DatePass, PayoutPass, SplitPass])
export type Pass = Static<typeof Pass>

export const SuggestionResource = Type.Object({
  id: Id,
  recordId: Type.String(),
  kind: Type.String(),
  paymentIds: Type.Array(Type.String()),
  refundIds: Type.Array(Type.String()),
  recordIds: Type.Array(Type.String(), {
    description: 'Records that together pay one payment; otherwise the single record',
  }),
  difference: bigint({ description: "Record's amount less that of the payments, in minor units" }),
  adjustment: nullable(Type.Object({ amount: Type.Integer(), kind: AdjustmentKind }), {
    description:
      'Adjustment that accepting the suggestion records for the difference; a fee is negative',
  }),
  ambiguous: Type.Boolean(),
  status: Type.String(),
  createdAt: time(),
})

/** A row of `payments.reconciliation_suggestions`. */
export interface Suggestion extends RowOf<
  typeof SuggestionResource,
  'recordId' | 'recordIds' | 'adjustment'
> {
  readonly run_id: string
  readonly line_number: number
  readonly kind: Pass['kind']
  /** All records of a payment in parts; else null. */
  readonly line_numbers: readonly number[] | null
}

/** What payments and refunds leave over: a fee of a payout or of parts, else it was rounded. */
export function adjustmentOf({ difference, kind }: Suggestion) {
  const isFee = kind === 'many_to_one' || kind === 'one_to_many'
  const amount = Number(difference)
  return amount === 0 ? null : { amount, kind: isFee ? ('fee' as const) : ('rounding' as const) }
}

export const suggestionResource = resource(SuggestionResource, {
  recordId: (suggestion: Suggestion) => String(suggestion.line_number),
  adjustment: adjustmentOf,
  recordIds: ({ line_numbers: lines, line_number: line }) => (lines ?? [line]).map(String),
})
