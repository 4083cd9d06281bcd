import { Stack } from '@mantine/core'
import {
  formatCount,
  formatMoney,
  QueryState,
  Sparkline,
  StackedBar,
  Stat,
  StatStrip,
  useRead,
} from '@posthorn/dashboard/kit'
import type { Overview, Run } from './run.tsx'
import { balanceWords } from '../statements/statements.tsx'

/** The exceptions of a file by tab, reason and age. */
export function useCounts(id: string) {
  const { data } = useRead(
    '/api/v1/reconciliations/{id}/exceptions',
    ['reconciliation', id, 'counts'],
    { params: { path: { id }, query: { limit: 1 } } },
  )
  return data?.counts
}

/** Leaves out days without a run; one day alone is not a trend. */
function Trend({ days }: Pick<Overview, 'days'>) {
  const values = days.filter(({ total }) => total > 0).map(({ reconciliationRate: rate }) => rate)
  if (values.length < 2) return null
  const label = 'Share of records reconciled, by the day of a run, in the last 14 days'
  return <Sparkline values={values} color="green" label={label} />
}

/** All files of the organisation in five numbers. */
export function OverviewFigures() {
  const query = useRead('/api/v1/reconciliations/overview', ['reconciliation', 'overview'])
  return (
    <QueryState query={query}>
      {({ days, ...figures }) => (
        <Stack gap="sm">
          <StatStrip>
            <Stat
              label="Reconciled"
              value={`${figures.reconciliationRate}%`}
              hint={<Trend days={days} />}
            />
            <Stat label="Money matched" value={<MoneyList sums={figures.moneyMatched} />} />
            <Stat label="Money at risk" value={<MoneyList sums={figures.moneyAtRisk} />} />
            <OpenStats open={figures.openExceptions} stale={figures.staleExceptions} />
          </StatStrip>
          {figures.openExceptions > 0 && <AgingBar ages={figures.ages} />}
        </Stack>
      )}
    </QueryState>
  )
}

export function RunFigures({ run: { id, matched, total, matchRate, balances } }: { run: Run }) {
  const totals = useRead('/api/v1/reconciliations/{id}/totals', ['reconciliation', id, 'totals'], {
    params: { path: { id } },
  })
  const counts = useCounts(id)
  const open = counts?.tabs['all'] ?? 0
  return (
    <QueryState query={totals}>
      {({ currencies }) => (
        <Stack gap="sm">
          <StatStrip>
            <Stat
              label="Reconciled"
              value={`${matchRate}%`}
              hint={`${formatCount(matched)} of ${formatCount(total)} records`}
            />
            <Stat
              label="Money matched"
              value={<MoneyList sums={sumsOf(currencies, ['opening', 'matched'])} />}
            />
            <Stat
              label="Money not matched"
              value={<MoneyList sums={sumsOf(currencies, ['unmatched'])} />}
            />
            {balances && <Balances balances={balances} />}
            <OpenStats open={open} stale={counts?.tabs['stale'] ?? 0} />
          </StatStrip>
          {counts && open > 0 && <AgingBar ages={counts.ages} />}
        </Stack>
      )}
    </QueryState>
  )
}

function OpenStats({ open, stale }: { open: number; stale: number }) {
  return (
    <>
      <Stat
        label="Open exceptions"
        value={formatCount(open)}
        tone={open > 0 ? 'warning' : 'normal'}
      />
      <Stat label="Open 7+ days" value={formatCount(stale)} tone={stale > 0 ? 'bad' : 'normal'} />
    </>
  )
}

/** Whether the bank's own figures add up. */
export function Balances({ balances }: { balances: NonNullable<Run['balances']> }) {
  const { value, tone } = balanceWords(balances)
  return <Stat label="Balances" value={value} tone={tone} hint="opening + entries = closing" />
}

type Part = 'opening' | 'matched' | 'unmatched'

/** Sums may exceed a safe integer. */
function sumsOf(
  currencies: readonly ({ readonly currency: string } & Readonly<Record<Part, string>>)[],
  parts: readonly Part[],
): Record<string, string> {
  return Object.fromEntries(
    currencies.map((each) => [
      each.currency,
      String(parts.reduce((sum, part) => sum + BigInt(each[part]), 0n)),
    ]),
  )
}

const AGES = [
  { age: '<1d', label: 'open under 1 day', color: 'blue' },
  { age: '1-7d', label: 'open 1–7 days', color: 'teal' },
  { age: '7-30d', label: 'open 7–30 days', color: 'orange' },
  { age: '30d+', label: 'open over 30 days', color: 'red' },
] as const

function AgingBar({ ages }: { ages: Readonly<Record<string, number>> }) {
  const parts = AGES.map(({ age, label, color }) => ({ label, color, count: ages[age] ?? 0 }))
  return <StackedBar label="Open exceptions by age" parts={parts} />
}

/** Sums of several currencies, each on its own line; zeros are left out. */
function MoneyList({ sums }: { sums: Readonly<Record<string, string>> }) {
  const entries = Object.entries(sums).filter(([, sum]) => sum !== '0')
  if (entries.length === 0) return '–'
  return entries.map(([currency, sum]) => (
    <span key={currency} style={{ display: 'block' }}>
      {formatMoney(sum, currency)}
    </span>
  ))
}
