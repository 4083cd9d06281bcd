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

/** What an event says in a word: `succeeded`, `refund.failed`. */
export function wordOf({ type }: Reported): string {
  return type.replace(/^payment\./, '')
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

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
