import { MATCHED, OPEN, amountsOf, percent, recordsOf } from '../reason.ts'
import { countsOf, type OpenTally } from './exception.ts'
import type { DayTally } from './queries.ts'

export interface OverviewInput {
  /** The last days, oldest first. */
  readonly days: readonly string[]
  readonly tallies: readonly DayTally[]
  readonly open: readonly OpenTally[]
}

/** What a dashboard shows of an organisation's reconciliations. */
export function overviewOf({ days, tallies, open }: OverviewInput) {
  const { tabs, ages } = countsOf(open, 0)
  return {
    ...figuresOf(tallies),
    moneyAtRisk: amountsOf(tallies, OPEN),
    openExceptions: tabs.all,
    staleExceptions: tabs.stale,
    ages,
    days: days.map((day) => ({
      day,
      ...figuresOf(tallies.filter((tally) => tally.day === day)),
      moneyAtRisk: amountsOf(
        tallies.filter((tally) => tally.day === day),
        OPEN,
      ),
    })),
  }
}

/** Of files by the day of their last run. */
function figuresOf(tallies: readonly DayTally[]) {
  const total = tallies.reduce((sum, { records }) => sum + records, 0)
  const matched = recordsOf(tallies, MATCHED)
  return {
    total,
    matched,
    reconciliationRate: percent(matched, total),
    moneyMatched: amountsOf(tallies, MATCHED),
  }
}
