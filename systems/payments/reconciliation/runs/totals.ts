import { MATCHED, amountsOf, type Tally } from '../reason.ts'
import type { Run } from './run.ts'

export interface TotalsInput {
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
