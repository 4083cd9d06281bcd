import { useMemo } from 'react'
import { Plot, type PlotProps } from './plot.tsx'
import type { Stretch } from './plot-data.ts'

interface HistoryPoint {
  readonly at: string
  /** Null where nothing was counted. */
  readonly value: number | null
}

interface HistoryChartProps extends Pick<PlotProps, 'zoom' | 'onZoom' | 'syncKey'> {
  readonly title: string
  readonly points: readonly HistoryPoint[]
  readonly format: (value: number) => string
  /** A colour of the theme: `teal`. */
  readonly color: string
  /** What all of it comes to. */
  readonly now?: string
  readonly onPick?: (stretch: Stretch) => void
}

const HOUR_MS = 3_600_000

/** One number over a time of stretches. */
export function HistoryChart(props: HistoryChartProps) {
  const { title, points, format, color, now: all, onPick, ...linked } = props
  const times = useMemo(() => {
    const [first, second] = points.map(({ at }) => Date.parse(at))
    const from = first ?? 0
    const stretchMs = second === undefined ? HOUR_MS : second - from
    const now = from + stretchMs * points.length
    return { from, stretchMs, count: points.length, now }
  }, [points])
  const series = useMemo(
    () => [{ id: 'value', label: '', color, values: points.map(({ value }) => value) }],
    [points, color],
  )
  return (
    <Plot
      {...linked}
      title={title}
      unit={all ?? ''}
      times={times}
      series={series}
      format={format}
      {...(onPick && { onPick })}
    />
  )
}
