import type { BalanceCounts } from '../formats/findings.ts'
import type { Format } from '../formats/format.ts'
import { countByReason, percent, MATCHED, amountsOf, type Tally } from '../reason.ts'

interface TotalsInput {
  readonly run: Run
  /** Of its last run. */
  readonly present: readonly Tally[]
  /** Of the one before. */
  readonly before: readonly Tally[]
  readonly adjustments: Readonly<Record<string, string>>
}

/** What a file adds up to, by currency: opening + matched + unmatched = file total, to the cent. */
export function totalsOf({ run, present, before, adjustments }: TotalsInput) {
  const opening = amountsOf(before, MATCHED)
  const matched = amountsOf(present, MATCHED)
  const currencies = Object.entries(run.sums).map(([currency, { amount: fileTotal }]) => {
    const openingAmount = BigInt(opening[currency] ?? 0)
    const matchedAmount = BigInt(matched[currency] ?? 0)
    const mine = present.filter((tally) => tally.currency === currency)
    return {
      currency,
      fileTotal,
      opening: String(openingAmount),
      matched: String(matchedAmount - openingAmount),
      unmatched: String(sumUnmatched(mine, fileTotal)),
      adjustments: adjustments[currency] ?? '0',
      records: Object.fromEntries(mine.map(({ reason, records }) => [reason, records])),
    }
  })
  return { runNo: run.run_no, currencies }
}

/** Added up by itself, not as what is left over: that the three tie out is then worth something. */
function sumUnmatched(tallies: readonly Tally[], fileTotal: string): bigint {
  // Never reconciled: all of it.
  if (tallies.length === 0) return BigInt(fileTotal)
  return tallies
    .filter(({ reason }) => !MATCHED.includes(reason))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

export const RUN_STATES = ['loaded', 'running', 'completed', 'discarded'] as const

/** A row of `payments.reconciliation_runs`. */
export interface Run {
  readonly id: string
  readonly org_id: string
  /** Who uploaded it. */
  readonly user_id: string
  readonly filename: string
  readonly file_bytes: string
  readonly profile_id: string | null
  readonly profile_version: number | null
  readonly status: (typeof RUN_STATES)[number]
  readonly total: number
  readonly matched: number
  readonly unmatched: number
  readonly duplicates: number
  readonly sums: Readonly<Record<string, { readonly records: number; readonly amount: string }>>
  readonly run_no: number
  readonly created_at: Date
  readonly ran_at: Date | null
  readonly format: Format
  readonly balances: BalanceCounts | null
  readonly pending: number
  readonly discarded_at: Date | null
  readonly discarded_by: string | null
  readonly discard_reason: string | null
}

export function runResource(run: Run) {
  return {
    id: run.id,
    filename: run.filename,
    status: run.status,
    uploadedBy: run.user_id,
    total: run.total,
    matched: run.matched,
    unmatched: run.unmatched,
    matchRate: percent(run.matched, run.total),
    duplicates: run.duplicates,
    sums: run.sums,
    runNo: run.run_no,
    profileId: run.profile_id,
    profileVersion: run.profile_version,
    createdAt: run.created_at.toISOString(),
    ranAt: run.ran_at?.toISOString() ?? null,
    format: run.format,
    balances: run.balances,
    pending: run.pending,
    discarded: discardOf(run),
  }
}

function discardOf({ discarded_at: at, discarded_by: by, discard_reason: reason }: Run) {
  return at === null || by === null || reason === null ? null : { at: at.toISOString(), by, reason }
}

/** What a run came to. */
export interface RunResult {
  readonly matched: number
  readonly unmatched: number
  readonly total: number
  /** Percent with two decimals. */
  readonly matchRate: number
  readonly reasons: Readonly<Record<string, number>>
}

export function resultOf(tallies: readonly Tally[], { total }: Pick<Run, 'total'>): RunResult {
  const reasons = countByReason(tallies)
  const matched = reasons.exact_match + reasons.manual_match
  const matchRate = percent(matched, total)
  return { matched, unmatched: total - matched, total, matchRate, reasons }
}
