/** Both count: the larger one decides. */
export interface Tolerance {
  /** In minor units. */
  readonly absolute?: number
  /** Hundredths of a percent of the record's amount. */
  readonly bps?: number
}

export type Pass =
  /** The payment that the record names, with nearly its amount. */
  | ({ readonly kind: 'amount_tolerance' } & Tolerance)
  /** The same amount under another name, a few days before or after the record's date. */
  | { readonly kind: 'date_window'; readonly before: number; readonly after: number }
  /**
   * All payments of a payout, by the metadata field that names it as the record does, or all of a
   * day; less a fee.
   */
  | {
      readonly kind: 'many_to_one'
      readonly by: 'date' | { readonly metadata: string }
      readonly fee?: Tolerance
      /** By date: the payments' day is so many days before the record's, or less. */
      readonly before?: number
    }
  /** One payment that was paid in several records of its name; less a fee. */
  | { readonly kind: 'one_to_many'; readonly fee?: Tolerance }

/** A row of `payments.reconciliation_suggestions`. */
export interface Suggestion {
  readonly id: string
  readonly run_id: string
  readonly line_number: number
  readonly kind: Pass['kind']
  readonly payment_ids: readonly string[]
  readonly refund_ids: readonly string[]
  /** All records of a payment in parts; else null. */
  readonly line_numbers: readonly number[] | null
  readonly difference: string
  readonly ambiguous: boolean
  readonly status: 'open' | 'accepted' | 'dismissed'
  readonly created_at: Date
}

export function suggestionResource(suggestion: Suggestion) {
  return {
    id: suggestion.id,
    recordId: String(suggestion.line_number),
    kind: suggestion.kind,
    paymentIds: [...suggestion.payment_ids],
    refundIds: [...suggestion.refund_ids],
    recordIds: (suggestion.line_numbers ?? [suggestion.line_number]).map(String),
    difference: Number(suggestion.difference),
    ambiguous: suggestion.ambiguous,
    status: suggestion.status,
    createdAt: suggestion.created_at.toISOString(),
  }
}
