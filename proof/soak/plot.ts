import type { Usage } from '../kit/processes/child.ts'
import type { Sample } from './samples.ts'

const MEGABYTE = 1024 * 1024
const WIDTH = 860
const PANEL = 210
const MARGIN = { left: 56, right: 84, top: 40, bottom: 34 }
/** Different also without colour vision; labelled at their ends. */
const COLOURS = ['#2f6fde', '#c2571a', '#2a8a57', '#8a4fc2']

interface Panel {
  readonly title: string
  readonly of: (usage: Usage) => number
}

const PANELS: readonly Panel[] = [
  { title: 'Heap after a collection of garbage, MB', of: ({ heapBytes }) => heapBytes / MEGABYTE },
  { title: 'Resident memory, MB', of: ({ residentBytes }) => residentBytes / MEGABYTE },
  { title: 'Open files', of: ({ openFiles }) => openFiles },
]

/** The samples as a picture for a light or a dark page. */
export function drawSamples(samples: readonly Sample[], caption: string): string {
  const height = PANELS.length * PANEL + 28
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${caption}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #555 }
  .title { font-weight: 600; fill: #222 }
  .grid { stroke: #8884; stroke-width: 1 }
  polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) { text { fill: #aaa } .title { fill: #eee } }
</style>
${PANELS.map((panel, i) => drawPanel(panel, { samples, top: i * PANEL })).join('\n')}
<text x="${MARGIN.left}" y="${height - 8}">${caption}</text>
</svg>
`
}

function drawPanel(
  { title, of }: Panel,
  { samples, top }: { samples: readonly Sample[]; top: number },
): string {
  const names = [...(samples.at(-1)?.usages.keys() ?? [])]
  const values = samples.flatMap(({ usages }) => [...usages.values()].map(of))
  const step = niceStep(Math.max(1, ...values) / 4)
  const most = Math.ceil(Math.max(1, ...values) / step) * step
  const minutes = Math.max(1, samples.at(-1)?.minute ?? 1)
  const x = (minute: number) =>
    MARGIN.left + (minute / minutes) * (WIDTH - MARGIN.left - MARGIN.right)
  const y = (value: number) =>
    top + MARGIN.top + (1 - value / most) * (PANEL - MARGIN.top - MARGIN.bottom)
  const rules = Array.from({ length: most / step + 1 }, (_, n) => n * step)
  const ticks = Array.from({ length: 7 }, (_, n) => (n * minutes) / 6)
  const labels = spreadLabels(
    names.map((name) => {
      const usage = samples.at(-1)?.usages.get(name)
      return usage ? y(of(usage)) : 0
    }),
  )
  return [
    `<text class="title" x="${MARGIN.left}" y="${top + 20}">${title}</text>`,
    ...rules.map(
      (value) =>
        `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/><text x="${MARGIN.left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value}</text>`,
    ),
    ...ticks.map(
      (minute) =>
        `<text x="${x(minute).toFixed(1)}" y="${top + PANEL - MARGIN.bottom + 18}" text-anchor="middle">${Number(minute.toFixed(1))} min</text>`,
    ),
    ...names.map((name, i) => {
      const points = samples.flatMap(({ minute, usages }) => {
        const usage = usages.get(name)
        return usage ? [`${x(minute).toFixed(1)},${y(of(usage)).toFixed(1)}`] : []
      })
      const colour = COLOURS[i % COLOURS.length]
      return `<polyline stroke="${colour}" points="${points.join(' ')}"/><text x="${WIDTH - MARGIN.right + 8}" y="${((labels[i] ?? 0) + 4).toFixed(1)}" style="fill:${colour}">${name}</text>`
    }),
  ].join('\n')
}

/** 1, 2 or 5 times a power of ten, not below the given number. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power
}

const LABEL_HEIGHT = 14

/** Moves labels apart that would lie upon each other. */
function spreadLabels(wanted: readonly number[]): number[] {
  const placed = [...wanted]
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  let lowest = -Infinity
  for (const i of order) {
    placed[i] = Math.max(wanted[i] ?? 0, lowest + LABEL_HEIGHT)
    lowest = placed[i] ?? 0
  }
  return placed
}
