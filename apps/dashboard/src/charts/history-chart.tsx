import { AreaChart } from '@mantine/charts'
import { Text } from '@mantine/core'
import classes from './history-chart.module.css'

export interface HistoryPoint {
  readonly at: string
  /** Null where nothing was counted. */
  readonly value: number | null
}

export interface HistoryChartProps {
  readonly title: string
  readonly points: readonly HistoryPoint[]
  readonly format: (value: number) => string
  readonly color: string
  /** What the last point means: its stretch may not be over. Default the value itself. */
  readonly now?: string
  /** The top of the scale, where there is one: 1 for shares. */
  readonly most?: number
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** One number over the last hour; the same is there as a sentence for screen readers. */
export function HistoryChart(props: HistoryChartProps) {
  const { title, points, format, color, now, most: top = 'auto' } = props
  const known = points.flatMap(({ value }) => value ?? [])
  const last = known.at(-1)
  const most = known.length === 0 ? undefined : Math.max(...known)
  const said = now ?? (last === undefined ? '–' : format(last))
  return (
    <figure className={classes['figure']}>
      <figcaption>
        <Text size="xs" c="dimmed">
          {title}
        </Text>
        <Text fw={600} size="lg">
          {said}
        </Text>
      </figcaption>
      <div
        role="img"
        aria-label={`${title}: ${said} now, at most ${most === undefined ? 'unknown' : format(most)} in the time shown`}
      >
        <AreaChart
          h={96}
          data={points.map(({ at, value }) => ({ at: CLOCK.format(new Date(at)), value }))}
          dataKey="at"
          series={[{ name: 'value', label: title, color }]}
          valueFormatter={format}
          curveType="stepAfter"
          connectNulls={false}
          // A line needs two points: one or two alone are shown as such.
          withDots={known.length < 3}
          withGradient={false}
          fillOpacity={0.18}
          strokeWidth={1.5}
          tickLine="none"
          gridAxis="x"
          xAxisProps={{ minTickGap: 60, tickMargin: 4 }}
          yAxisProps={{ width: 44, tickCount: 3, allowDecimals: false, domain: [0, top] }}
          areaProps={{ isAnimationActive: false }}
        />
      </div>
    </figure>
  )
}
