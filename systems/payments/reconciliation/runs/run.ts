import { Id, NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { FORMATS } from '../formats/format.ts'
import {
  amountsOf,
  countByReason,
  Counts,
  MATCHED,
  percent,
  recordsOf,
  type Tally,
} from '../reason.ts'

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

/** How many balances of a file tie out: opening balance and entries give the closing one. */
export const Balances = nullable(
  Type.Object({ tied: Type.Integer(), differing: Type.Integer(), unknown: Type.Integer() }),
  {
    description:
      'Number of balances, by statement and currency, that tie out, differ or are unknown; null for formats without balances',
  },
)
export type BalanceCounts = NonNullable<Static<typeof Balances>>

/** What a run comes to. */
export const Result = {
  matched: Type.Integer(),
  unmatched: Type.Integer(),
  total: Type.Integer(),
  matchRate: Type.Number({ description: 'Percentage with two decimals' }),
}

export const RunResource = Type.Object({
  id: Id,
  filename: Type.String(),
  status: Type.Enum([...RUN_STATES]),
  uploadedBy: Type.String(),
  ...Result,
  duplicates: Type.Integer(),
  sums: Type.Record(Type.String(), Type.Object({ records: Type.Integer(), amount: Type.String() })),
  runNo: Type.Integer({ description: 'Number of runs so far' }),
  profileId: NullableText,
  profileVersion: nullable(Type.Integer()),
  createdAt: time(),
  ranAt: nullable(time()),
  format: Type.Enum([...FORMATS]),
  balances: Balances,
  pending: Type.Integer({
    description: 'Entries that the bank has not booked yet; they are not records',
  }),
  discarded: nullable(Type.Object({ at: Type.String(), by: Type.String(), reason: Type.String() })),
})

/** A row of `payments.reconciliation_runs`. */
export interface Run extends RowOf<typeof RunResource, 'uploadedBy' | 'matchRate' | 'discarded'> {
  readonly org_id: string
  readonly user_id: string
  readonly discarded_at: Date | null
  readonly discarded_by: string | null
  readonly discard_reason: string | null
}

export const runResource = resource(RunResource, {
  uploadedBy: (run: Run) => run.user_id,
  matchRate: ({ matched, total }) => percent(matched, total),
  discarded: discardOf,
})

function discardOf({ discarded_at: at, discarded_by: by, discard_reason: reason }: Run) {
  return at === null || by === null || reason === null ? null : { at: at.toISOString(), by, reason }
}

/** What a run came to. */
export const RunOutcome = Type.Object({ ...Result, reasons: Counts })
export type RunResult = Static<typeof RunOutcome>

export function resultOf(tallies: readonly Tally[], { total }: Pick<Run, 'total'>): RunResult {
  const reasons = countByReason(tallies)
  const matched = recordsOf(tallies, MATCHED)
  const matchRate = percent(matched, total)
  return { matched, unmatched: total - matched, total, matchRate, reasons }
}
