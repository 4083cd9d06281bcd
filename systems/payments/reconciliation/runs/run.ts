import type { BalanceCounts } from '../formats/findings.ts'
import type { Format } from '../formats/format.ts'
import { countByReason, percent, type Tally } from '../reason.ts'

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
