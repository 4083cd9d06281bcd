import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { Sparkline } from '../../charts/sparkline.tsx'
import { formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { Stat, StatStrip } from '../../parts/stat.tsx'
import { AgingBar } from './aging-bar.tsx'
import { MoneyList } from './money-list.tsx'
import type { Overview } from './run.ts'

/** Days without a run say nothing; one day alone is no trend. */
function Trend({ days }: Pick<Overview, 'days'>) {
  const values = days.filter(({ total }) => total > 0).map(({ reconciliationRate: rate }) => rate)
  if (values.length < 2) return null
  const label = 'Share of records reconciled, by the day of a run, in the last 14 days'
  return <Sparkline values={values} color="green.7" label={label} />
}

/** All files of the user in five numbers. */
export function OverviewFigures() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['reconciliation', 'overview'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/reconciliations/overview', { signal })),
  })
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
            <Stat
              label="Open exceptions"
              value={formatCount(figures.openExceptions)}
              tone={figures.openExceptions > 0 ? 'warning' : 'normal'}
            />
            <Stat
              label="Open for 7 days or more"
              value={formatCount(figures.staleExceptions)}
              tone={figures.staleExceptions > 0 ? 'bad' : 'normal'}
            />
          </StatStrip>
          {figures.openExceptions > 0 && <AgingBar ages={figures.ages} />}
        </Stack>
      )}
    </QueryState>
  )
}
