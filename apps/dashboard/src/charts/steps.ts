import type uPlot from 'uplot'
import type { PlotTimes } from './plot-data.ts'

/** The lower edge of each series of a stack, by its number. */
export type Floors = readonly (readonly number[] | undefined)[]

/**
 * Draws each stretch as a level line from its beginning to its end; the one that goes on ends now. A
 * line would claim to know what was between.
 */
export function stepPaths(
  drawn: () => { times: PlotTimes; floors: Floors },
): uPlot.Series.PathBuilder {
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
