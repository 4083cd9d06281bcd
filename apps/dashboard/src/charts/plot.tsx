import 'uplot/dist/uPlot.min.css'
import { Button, Group, SimpleGrid, useComputedColorScheme } from '@mantine/core'
import { clamp, useElementSize, useMergedRef } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import {
  type PlotMark,
  type PlotSeries,
  type PlotTimes,
  type Stretch,
  stretchAt,
  summaryOf,
  timeText,
} from './plot-data.ts'
import type { Column } from '../parts/table/columns.tsx'
import { DataTable } from '../parts/table/data-table.tsx'
import { ChartFrame } from './chart-frame.tsx'
import classes from './plot.module.css'
import { type Axis, dataOf, type Drawn, optionsOf, wholeTime } from './uplot-options.ts'

/** A part of the time that is looked at closely, in seconds. */
interface Zoom {
  readonly min: number
  readonly max: number
}

interface PlotContent {
  readonly title: string
  /** What the numbers are: `messages a second`. */
  readonly unit: string
  readonly series: readonly PlotSeries[]
  readonly format: (value: number) => string
  /** On top of each other; otherwise each by itself. */
  readonly stacked?: boolean
  /** Default `numbers`. */
  readonly axis?: Axis
  /** Goes to what is behind a stretch. */
  readonly onPick?: (stretch: Stretch) => void
}

interface PlotProps extends PlotContent {
  readonly times: PlotTimes
  readonly marks: readonly PlotMark[]
  readonly zoom: Zoom | undefined
  readonly onZoom: (zoom: Zoom | undefined) => void
  /** Plots with the same key show the same moment. */
  readonly syncKey: string
}

/** Numbers over time, with axes: to look at, to hover, to zoom into; by keys and as a table, too. */
function Plot(props: PlotProps) {
  const { title, unit, series, times, zoom, onZoom, onPick } = props
  const [isTable, setIsTable] = useState(false)
  const [point, setPoint] = useState<number>()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  // Other series or colours are another plot; other numbers are not.
  const look = [scheme, ...series.map(({ id, color }) => `${id} ${color}`)].join('\n')
  const shown = Math.min(point ?? Math.max(0, times.count - 2), times.count - 1)
  const pick = onPick && ((index: number) => onPick(stretchAt(times, index)))
  return (
    <ChartFrame
      title={title}
      note={unit}
      actions={
        <Group gap={4} wrap="nowrap">
          {zoom && (
            <Button variant="subtle" size="compact-xs" onClick={() => onZoom(undefined)}>
              Reset zoom
            </Button>
          )}
          <Button
            variant="subtle"
            size="compact-xs"
            aria-pressed={isTable}
            aria-label={`${title} as a table`}
            onClick={() => setIsTable(!isTable)}
          >
            Table
          </Button>
        </Group>
      }
    >
      <Legend {...props} shown={shown} isPoint={point !== undefined} />
      {isTable ? (
        <PlotTable {...props} onPickIndex={pick} />
      ) : (
        <Canvas {...props} key={look} shown={shown} onPoint={setPoint} onPickIndex={pick} />
      )}
    </ChartFrame>
  )
}

interface LegendProps extends PlotProps {
  readonly shown: number
  readonly isPoint: boolean
}

/** The names of the series, each with its number at the moment that is pointed at, or at the last one. */
function Legend({ series, times, format, marks, shown, isPoint }: LegendProps) {
  const stretch = stretchAt(times, shown)
  return (
    <div className={classes['legend']} aria-hidden>
      <span className={classes['when']}>{momentText(stretch, times)}</span>
      {series.length === 0 && <span>nothing in this time</span>}
      {series.map(({ id, label, color, values }) => (
        <span key={id} className={classes['entry']}>
          <i
            style={{
              background: `light-dark(var(--mantine-color-${color}-7), var(--mantine-color-${color}-4))`,
            }}
          />
          {label} <b>{valueOf(values[shown], format)}</b>
        </span>
      ))}
      {isPoint &&
        marksIn(stretch, marks).map(({ at, text }) => <span key={`${at} ${text}`}>▾ {text}</span>)}
    </div>
  )
}

interface CanvasProps extends PlotProps {
  readonly shown: number
  readonly onPoint: (index: number | undefined) => void
  readonly onPickIndex: ((index: number) => void) | undefined
}

function Canvas(props: CanvasProps) {
  const { title, series, times, format, marks, zoom, onZoom, onPickIndex, shown, onPoint } = props
  const { stacked = false, axis = 'numbers', syncKey } = props
  const { ref: measured, width } = useElementSize<HTMLDivElement>()
  const box = useRef<HTMLDivElement>(null)
  const ref = useMergedRef(box, measured)
  const plot = useRef<uPlot>(undefined)
  const drawn = useMemo(
    (): Drawn => ({ series, times, marks, stacked, axis, format }),
    [series, times, marks, stacked, axis, format],
  )
  const now = { drawn, zoom, onPoint, onZoom, onPickIndex }
  const latest = useRef(now)
  useEffect(() => {
    latest.current = now
  })
  const isMeasured = width > 0

  useEffect(() => {
    const place = box.current
    if (!place || !isMeasured) return
    const events = {
      syncKey,
      onPoint: (index: number | undefined) => latest.current.onPoint(index),
      onZoom: (min: number, max: number) => latest.current.onZoom({ min, max }),
      onPick: (index: number) => latest.current.onPickIndex?.(index),
    }
    const get = () => latest.current.drawn
    const made = new uPlot(optionsOf(place.clientWidth, get, events), dataOf(get()), place)
    show(made, get(), latest.current.zoom)
    plot.current = made
    return () => {
      plot.current = undefined
      made.destroy()
    }
  }, [isMeasured, syncKey])

  useEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height: plot.current.height })
  }, [width])

  useEffect(() => {
    if (plot.current) show(plot.current, drawn, zoom)
  }, [drawn, zoom])

  const summary = useMemo(
    () => summaryOf({ title, series, times }, format),
    [title, series, times, format],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (!act(event.key, { ...props, plot: plot.current })) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={ref}
      className={classes['canvas']}
      data-pickable={onPickIndex !== undefined || undefined}
      role="slider"
      tabIndex={0}
      aria-label={summary}
      aria-valuemin={0}
      aria-valuemax={times.count - 1}
      aria-valuenow={shown}
      aria-valuetext={valueText(props, shown)}
      onKeyDown={onKeyDown}
    />
  )
}

function show(plot: uPlot, drawn: Drawn, zoom: Zoom | undefined): void {
  plot.batch(() => {
    plot.setData(dataOf(drawn), false)
    plot.setScale('x', zoom ?? wholeTime(drawn.times))
  })
}

function valueText({ series, times, format, marks }: PlotProps, index: number): string {
  const stretch = stretchAt(times, index)
  return [
    `${timeText(stretch.from, times)}${stretch.isRunning ? ', not over yet' : ''}`,
    ...series.map(({ label, values }) => `${label} ${valueOf(values[index], format)}`),
    ...marksIn(stretch, marks).map(({ text }) => text),
  ].join(', ')
}

/** Arrows move along the time, plus and minus zoom, Escape shows the whole, Enter goes there. */
function act(key: string, props: CanvasProps & { plot: uPlot | undefined }): boolean {
  const { times, shown, zoom, onZoom, onPickIndex, plot } = props
  const go = (index: number) => {
    const at = clamp(index, 0, times.count - 1)
    const middle = (times.from + (at + 0.5) * times.stretchMs) / 1_000
    plot?.setCursor({ left: plot.valToPos(middle, 'x'), top: 10 })
    return true
  }
  const scaleBy = (factor: number) => {
    const whole = wholeTime(times)
    const { min, max } = zoom ?? whole
    const middle = (times.from + (shown + 0.5) * times.stretchMs) / 1_000
    const half = Math.max(((max - min) / 2) * factor, times.stretchMs / 1_000)
    const next = {
      min: Math.max(middle - half, whole.min),
      max: Math.min(middle + half, whole.max),
    }
    const isWhole = next.max - next.min >= whole.max - whole.min
    onZoom(isWhole ? undefined : next)
    return true
  }
  switch (key) {
    case 'ArrowLeft':
      return go(shown - 1)
    case 'ArrowRight':
      return go(shown + 1)
    case 'Home':
      return go(0)
    case 'End':
      return go(times.count - 1)
    case '+':
      return scaleBy(0.5)
    case '-':
      return scaleBy(2)
    case 'Enter':
      onPickIndex?.(shown)
      return onPickIndex !== undefined
    case 'Escape':
      onZoom(undefined)
      return zoom !== undefined
    default:
      return false
  }
}

interface PlotTableProps extends PlotProps {
  readonly onPickIndex: ((index: number) => void) | undefined
}

/** The numbers of a plot, the newest first, in the same room. */
function PlotTable({ title, series, times, format, marks, onPickIndex }: PlotTableProps) {
  const indexes = Array.from({ length: times.count }, (_, i) => times.count - 1 - i)
  const columns: readonly Column<number>[] = [
    { id: 'time', title: 'Time', cell: (i) => momentText(stretchAt(times, i), times) },
    ...series.map(({ id, label, values }) => ({
      id,
      title: label,
      cell: (i: number) => valueOf(values[i], format),
    })),
    {
      id: 'marks',
      title: 'Marks',
      cell: (i) =>
        marksIn(stretchAt(times, i), marks)
          .map(({ text }) => text)
          .join(', '),
    },
  ]
  return (
    <DataTable
      label={title}
      list={indexes}
      columns={columns}
      idOf={String}
      height="190px"
      onOpen={onPickIndex}
    />
  )
}

function valueOf(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

function momentText({ from, isRunning }: Stretch, times: PlotTimes): string {
  return `${timeText(from, times)}${isRunning ? ' (running)' : ''}`
}

function marksIn({ from, until }: Stretch, marks: readonly PlotMark[]): readonly PlotMark[] {
  return marks.filter(({ at }) => at >= from && at < until)
}

interface PlotGridProps {
  readonly times: PlotTimes
  readonly marks?: readonly PlotMark[]
  /** Plots side by side where there is room. */
  readonly cols: number
  readonly plots: readonly PlotContent[]
}

const NO_MARKS: readonly PlotMark[] = []

/** Plots of the same time: they show the same moment, and zoom together. */
export function PlotGrid({ times, marks = NO_MARKS, cols, plots }: PlotGridProps) {
  const [zoom, setZoom] = useState<Zoom>()
  const syncKey = useId()
  return (
    <SimpleGrid cols={{ base: 1, md: Math.min(cols, 2), lg: cols }} spacing="sm">
      {plots.map((plot) => (
        <Plot key={plot.title} {...plot} {...{ times, marks, zoom, syncKey }} onZoom={setZoom} />
      ))}
    </SimpleGrid>
  )
}
