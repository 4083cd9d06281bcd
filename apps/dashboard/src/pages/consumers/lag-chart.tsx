import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { colorOf, filterOf } from '../../charts/plot-data.ts'
import { PlotGrid } from '../../charts/plot-grid.tsx'
import { useRange } from '../../charts/range.tsx'
import { everyMs, marksOf, useTimes } from '../../charts/use-charts.ts'
import { formatCount } from '../../format/number.ts'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'

type Lags =
  paths['/api/v1/charts/consumers']['get']['responses']['200']['content']['application/json']

/** How far the consumer groups were behind. */
export function LagChart() {
  const api = useApi()
  const { minutes, picker } = useRange()
  const query = useQuery({
    queryKey: ['charts', 'consumers', minutes],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/charts/consumers', { params: { query: { minutes } }, signal })),
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel title="Lag over time" actions={picker}>
      <QueryState query={query}>{(lags) => <Lines lags={lags} />}</QueryState>
    </Panel>
  )
}

const MOST_GROUPS = 10

function Lines({ lags }: { lags: Lags }) {
  const navigate = useNavigate()
  const marks = useMemo(() => marksOf(lags), [lags])
  const times = useTimes(lags)
  const series = useMemo(
    () =>
      lags.consumers.slice(0, MOST_GROUPS).map(({ topic, group, lag }, i) => ({
        id: `${topic} ${group}`,
        label: `${group} of ${topic}`,
        color: colorOf(i),
        values: lag,
      })),
    [lags],
  )
  return (
    <PlotGrid
      times={times}
      marks={marks}
      cols={1}
      plots={[
        {
          title: 'Not acknowledged',
          unit: 'messages, the most of each stretch',
          series,
          format: formatCount,
          onPick: (stretch) =>
            void navigate({ to: '/messages', search: filterOf(stretch) } as never),
        },
      ]}
    />
  )
}
