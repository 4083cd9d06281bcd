import { plot, stack } from '../kit/plot.ts'
import type { Usage } from '../kit/processes/child.ts'
import type { Sample } from './samples.ts'

const MEGABYTE = 1024 * 1024
const TICKS = 6

const PLOTS: readonly { readonly title: string; readonly y: string; of(usage: Usage): number }[] = [
  { title: 'Heap after a collection of garbage', y: 'MB', of: (u) => u.heapBytes / MEGABYTE },
  { title: 'Resident memory', y: 'MB', of: (u) => u.residentBytes / MEGABYTE },
  { title: 'Open files', y: 'files', of: (u) => u.openFiles },
]

/** The samples as a picture for a light or a dark page. */
export function drawSamples(samples: readonly Sample[], caption: string): string {
  const names = [...(samples.at(-1)?.usages.keys() ?? [])]
  const minutes = Math.max(1, samples.at(-1)?.minute ?? 1)
  const ticks = Array.from({ length: TICKS + 1 }, (_, n) =>
    Number(((n * minutes) / TICKS).toFixed(1)),
  )
  const drawn = PLOTS.map(({ title, y, of }) => {
    const series = names.map((name) => ({
      name,
      points: samples.flatMap(({ minute, usages }) => {
        const usage = usages.get(name)
        return usage ? [{ x: minute, y: of(usage) }] : []
      }),
    }))
    return plot({ title, x: 'minutes', y, series, ticks })
  })
  return stack(drawn, caption)
}
