import { Type } from 'typebox'

/** A part below this and one more amount are exact. */
const MOST_PART = 2 ** 52

/** Adds up whole numbers, each of which is exact: the sum may be larger than a number can say. */
export class ExactSum {
  #whole = 0n
  /** Added to the whole before it can lose a unit. */
  #part = 0

  add(amount: number): void {
    if (Math.abs(amount) >= MOST_PART) {
      this.#whole += BigInt(amount)
      return
    }
    this.#part += amount
    if (Math.abs(this.#part) < MOST_PART) return
    this.#whole += BigInt(this.#part)
    this.#part = 0
  }

  get value(): bigint {
    return this.#whole + BigInt(this.#part)
  }
}

/** Why a record is as it is. */
export const REASONS = [
  'exact_match',
  'payment_not_succeeded',
  'no_match',
  'duplicate',
  'amount_mismatch',
  'currency_mismatch',
  'manual_match',
  'manual_unmatch',
  'ignored',
  'reopened',
  'discarded',
] as const

export type Reason = (typeof REASONS)[number]

export const ReasonEnum = Type.Enum([...REASONS])
export const Counts = Type.Record(Type.String(), Type.Integer())

/** Those of matched records. */
export const MATCHED: readonly Reason[] = ['exact_match', 'manual_match', 'payment_not_succeeded']

/** Those that need a user's decision: all others are settled. */
export const OPEN: readonly Reason[] = [
  'payment_not_succeeded',
  'no_match',
  'duplicate',
  'amount_mismatch',
  'currency_mismatch',
  'manual_unmatch',
  'reopened',
]

/** Records of a run, by currency and reason: a row of `payments.reconciliation_tallies`. */
export interface Tally {
  readonly currency: string
  readonly reason: Reason
  readonly records: number
  /** In minor units; text, since a sum may be larger than a number can say. */
  readonly amount: string
}

export type CountsByReason = Readonly<Record<Reason, number>>

export function countByReason(tallies: readonly Tally[]): CountsByReason {
  const count = (reason: Reason) =>
    tallies.filter((each) => each.reason === reason).reduce((sum, each) => sum + each.records, 0)
  return Object.fromEntries(REASONS.map((reason) => [reason, count(reason)])) as CountsByReason
}

/** Records with one of these reasons. */
export function recordsOf(tallies: readonly Tally[], reasons: readonly Reason[]): number {
  return tallies
    .filter(({ reason }) => reasons.includes(reason))
    .reduce((sum, { records }) => sum + records, 0)
}

/** What records with one of these reasons add up to, by currency. */
export function amountsOf(
  tallies: readonly Tally[],
  reasons: readonly Reason[],
): Record<string, string> {
  const sums = new Map<string, bigint>()
  for (const { currency, reason, amount } of tallies) {
    if (!reasons.includes(reason)) continue
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount))
  }
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, String(sum)]))
}

/** A share in percent with two decimals. */
export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100
}
