import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { codeSeries, filterOf, type Stretch } from '../../charts/plot-data.ts'
import { PlotGrid } from '../../charts/plot-grid.tsx'
import { useRange } from '../../charts/range.tsx'
import { everyMs, useTimes } from '../../charts/use-charts.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount } from '../../format/number.ts'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { useClock } from '../../shell/use-clock.ts'

type Figures =
  paths['/api/v1/payments/figures']['get']['responses']['200']['content']['application/json']

/** How the gateway took the payments: how many, how fast, and why not. */
export function GatewayCharts() {
  const api = useApi()
  const { minutes, picker } = useRange()
  const { aheadMs } = useClock()
  const query = useQuery({
    queryKey: ['payments', 'figures', minutes],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/payments/figures', { params: { query: { minutes } }, signal })),
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel
      title={aheadMs === 0 ? 'Gateway over time' : 'Gateway over time, by the business clock'}
      actions={picker}
    >
      <QueryState query={query}>{(figures) => <Plots figures={figures} />}</QueryState>
    </Panel>
  )
}

function Plots({ figures }: { figures: Figures }) {
  const navigate = useNavigate()
  const times = useTimes(figures)
  const series = useMemo(() => seriesOf(figures), [figures])
  const show = (more: object) => (stretch: Stretch) =>
    void navigate({
      to: '/payments',
      search: (before: object) => ({ ...before, ...more, ...filterOf(stretch) }),
    } as never)
  return (
    <PlotGrid
      times={times}
      cols={3}
      plots={[
        {
          title: 'Payments',
          unit: 'created',
          series: series.outcomes,
          format: formatCount,
          stacked: true,
          onPick: show({}),
        },
        {
          title: 'Time to settle',
          unit: 'p50, p95',
          series: series.settle,
          format: inSeconds,
          onPick: show({}),
        },
        {
          title: 'Failures by code',
          unit: 'refused',
          series: series.codes,
          format: formatCount,
          stacked: true,
          onPick: show({ status: 'failed' }),
        },
      ]}
    />
  )
}

function inSeconds(seconds: number): string {
  return formatDuration(Math.round(seconds * 1_000))
}

function seriesOf({ succeeded, failed, pending, settleSeconds, codes }: Figures) {
  return {
    outcomes: [
      // The line of the last is on top of all.
      { id: 'failed', label: 'failed', color: 'red', values: failed },
      { id: 'pending', label: 'pending', color: 'blue', values: pending },
      { id: 'succeeded', label: 'succeeded', color: 'teal', values: succeeded },
    ],
    settle: [
      { id: 'p50', label: 'p50', color: 'teal', values: settleSeconds.median },
      { id: 'p95', label: 'p95', color: 'orange', values: settleSeconds.p95 },
    ],
    codes: codeSeries(codes),
  }
}
