import uPlot from 'uplot'
import { type PlotMark, type PlotSeries, type PlotTimes, stack, timeText } from './plot-data.ts'

const PLOT_HEIGHT = 190

/** Numbers, or milliseconds in the steps in which people count time. */
export type Axis = 'numbers' | 'time' | 'log time'

export interface Drawn {
  readonly series: readonly PlotSeries[]
  readonly times: PlotTimes
  readonly marks: readonly PlotMark[]
  readonly stacked: boolean
  readonly axis: Axis
  readonly format: (value: number) => string
}

interface PlotEvents {
  readonly syncKey: string
  onPoint(index: number | undefined): void
  onZoom(from: number, until: number): void
  onPick(index: number): void
}

/** The numbers as uPlot wants them: seconds, and what is on top of each other added up. */
export function dataOf({ series, times, stacked }: Drawn): uPlot.AlignedData {
  const xs = Array.from(
    { length: times.count },
    (_, i) => (times.from + i * times.stretchMs) / 1_000,
  )
  const lines = stacked ? stack(series) : series.map(({ values }) => values)
  return [xs, ...lines.map((line) => [...line])]
}

/** The whole time, in seconds. */
export function wholeTime({ from, stretchMs, count }: PlotTimes): { min: number; max: number } {
  return { min: from / 1_000, max: (from + stretchMs * count) / 1_000 }
}

/** What the numbers at an axis may be apart: 1, 2, 2.5, 5, 10 … */
const STEPS = Array.from({ length: 24 }, (_, i) =>
  [1, 2, 2.5, 5].map((n) => n * 10 ** (i - 9)),
).flat()
/** Times as people count them, in ms: 1, 2, 5 … 500 ms, then seconds, minutes, hours and days. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * 60_000),
  ...[1, 2, 3, 6, 12].map((n) => n * 3_600_000),
  ...[1, 2, 7, 14, 28].map((n) => n * 86_400_000),
]

/** The lines of a log scale of times: powers of ten below a minute, then minutes, hours, days. */
const TIME_POWERS = [
  ...[0.1, 1, 10, 100, 1_000, 10_000],
  ...[60_000, 600_000, 3_600_000, 36_000_000, 86_400_000, 864_000_000],
]

const WHOLE_STEPS = STEPS.filter((step) => Number.isInteger(step))

/** Counts have no halves: a tick between two of them would say one of the two. */
export function isWhole({ series }: Pick<Drawn, 'series'>): boolean {
  return series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
}

/** `drawn` is asked at every drawing, so that new numbers need no new plot. */
export function optionsOf(width: number, drawn: () => Drawn, events: PlotEvents): uPlot.Options {
  const { series, stacked, axis } = drawn()
  const isLog = axis === 'log time'
  const floorsOf = (): Floors => [undefined, undefined, ...stack(drawn().series).slice(0, -1)]
  const font = '11px "Inter Variable", system-ui, sans-serif'
  const look = { stroke: () => variable('--mantine-color-dimmed'), font }
  const grid = { stroke: () => variable('--rule'), width: 1 }
  return {
    width,
    height: PLOT_HEIGHT,
    // On the right there is room for half of the last label.
    padding: [10, 18, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: true, range: (_, min, max) => [min, max] },
      y: {
        ...(isLog && LOGARITHMIC),
        range: (_, min, max) => (isLog ? logRange(min, max) : linearRange(max)),
      },
    },
    axes: [
      {
        ...look,
        grid: { show: false },
        ticks: { ...grid, size: 4 },
        size: 28,
        space: 64,
        values: (_, splits) => splits.map((at) => axisTime(at * 1_000, drawn().times)),
      },
      {
        ...look,
        grid,
        ticks: { show: false },
        // As wide as its longest label, so that the rest is for the numbers.
        size: (_, labels: readonly string[] | null) =>
          14 + 6.5 * Math.max(4, ...(labels ?? []).map((label) => label.length)),
        space: 34,
        ...(isLog
          ? { splits: (...[, , min, max]) => TIME_POWERS.filter((at) => at >= min && at <= max) }
          : {
              incrs: () => (axis === 'time' ? TIME_STEPS : isWhole(drawn()) ? WHOLE_STEPS : STEPS),
            }),
        // Every line has its label; of a log scale the library would label powers of ten only.
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((value) => drawn().format(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ color }): uPlot.Series => ({
        stroke: () => themeColor(color),
        ...(stacked && { fill: () => themeColor(color, 'fill') }),
        width: 1.5,
        points: { show: false },
        paths: stepPaths(() => ({ times: drawn().times, floors: stacked ? floorsOf() : [] })),
      })),
    ],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      sync: { key: events.syncKey },
    },
    hooks: {
      setCursor: [({ cursor }) => events.onPoint(cursor.idx ?? undefined)],
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select
          if (selected < 4) return
          events.onZoom(plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x'))
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
      ready: [
        (plot) => {
          plot.over.addEventListener('click', () => {
            if (typeof plot.cursor.idx === 'number') events.onPick(plot.cursor.idx)
          })
        },
      ],
      draw: [
        (plot) => {
          drawRunning(plot, drawn().times)
          drawMarks(plot, drawn().marks)
        },
      ],
    },
  }
}

// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- an enum of types alone: its names are not there where the code runs
const LOGARITHMIC = { distr: 3 as uPlot.Scale.Distr }

function linearRange(max: number | null): uPlot.Range.MinMax {
  return max === null || max <= 0 ? [0, 1] : [0, max * 1.1]
}

function logRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  const low = TIME_POWERS.findLast((at) => at <= Math.max(min ?? 1, 1)) ?? 1
  const high = TIME_POWERS.find((at) => at >= (max ?? 0) && at > low) ?? max ?? 1
  return [low, high]
}

function axisTime(at: number, times: PlotTimes): string {
  const text = timeText(at, times)
  const isMidnight = new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0
  // `12 Nov, 14:00`: a day stands where it begins.
  const [day, hour] = text.split(', ')
  return (isMidnight ? day : (hour ?? day)) ?? text
}

/** The running stretch is hatched: what was counted in it is not all. */
function drawRunning({ ctx, bbox, valToPos }: uPlot, times: PlotTimes): void {
  const start = times.from + (times.count - 1) * times.stretchMs
  const left = Math.max(valToPos(start / 1_000, 'x', true), bbox.left)
  const right = Math.min(
    valToPos((start + times.stretchMs) / 1_000, 'x', true),
    bbox.left + bbox.width,
  )
  if (right <= left) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, bbox.top, right - left, bbox.height)
  ctx.clip()
  ctx.strokeStyle = variable('--rule')
  ctx.lineWidth = uPlot.pxRatio
  const gap = 6 * uPlot.pxRatio
  ctx.beginPath()
  for (let x = left - bbox.height; x < right; x += gap) {
    ctx.moveTo(x, bbox.top + bbox.height)
    ctx.lineTo(x + bbox.height, bbox.top)
  }
  ctx.stroke()
  ctx.restore()
}

function drawMarks({ ctx, bbox, valToPos }: uPlot, marks: readonly PlotMark[]): void {
  ctx.save()
  ctx.strokeStyle = variable('--brand')
  ctx.fillStyle = variable('--brand')
  ctx.lineWidth = uPlot.pxRatio
  ctx.setLineDash([4 * uPlot.pxRatio, 3 * uPlot.pxRatio])
  const size = 4 * uPlot.pxRatio
  for (const { at } of marks) {
    const x = Math.round(valToPos(at / 1_000, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    ctx.beginPath()
    ctx.moveTo(x - size, bbox.top - size)
    ctx.lineTo(x + size, bbox.top - size)
    ctx.lineTo(x, bbox.top + size)
    ctx.fill()
  }
  ctx.restore()
}

/** A canvas knows no variables: what a colour of the theme is at this moment. */
function themeColor(name: string, kind: 'line' | 'fill' = 'line'): string {
  const isDark = document.documentElement.dataset['mantineColorScheme'] === 'dark'
  const color = variable(`--mantine-color-${name}-${isDark ? 4 : 7}`)
  return kind === 'line' ? color : `${color}${isDark ? '66' : '59'}`
}

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** The lower edge of each series of a stack, by its number. */
type Floors = readonly (readonly number[] | undefined)[]

/**
 * Draws each stretch as a level line from its beginning to its end; the running one ends now. A
 * line would claim to know what was between.
 */
function stepPaths(drawn: () => { times: PlotTimes; floors: Floors }): uPlot.Series.PathBuilder {
  return (plot, seriesIndex, ...[first, last]) => {
    const { times, floors } = drawn()
    const stroke = new Path2D()
    const fill = new Path2D()
    const values = plot.data[seriesIndex] as (number | null)[]
    const bottom = plot.bbox.top + plot.bbox.height
    let isJoined = false
    for (let i = first; i <= last; i += 1) {
      const value = values[i]
      if (value === null || value === undefined) {
        isJoined = false
        continue
      }
      const start = times.from + i * times.stretchMs
      const end = Math.min(start + times.stretchMs, Math.max(times.now, start))
      const left = plot.valToPos(start / 1_000, 'x', true)
      const right = plot.valToPos(end / 1_000, 'x', true)
      const top = plot.valToPos(value, 'y', true)
      const floor = floors[seriesIndex]?.[i]
      const base = floor === undefined ? bottom : plot.valToPos(floor, 'y', true)
      if (isJoined) stroke.lineTo(left, top)
      else stroke.moveTo(left, top)
      stroke.lineTo(right, top)
      fill.rect(left, top, Math.max(right - left, 1), base - top)
      isJoined = true
    }
    return { stroke, fill }
  }
}
