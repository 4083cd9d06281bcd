import { SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../api/client.tsx'
import { oneOf, useFilter } from '../parts/act/filter-bar.tsx'
import type { PlotMark, PlotTimes } from './plot-data.ts'

const RANGES = {
  '15min': { label: '15 min', minutes: 15 },
  '1h': { label: '1 h', minutes: 60 },
  '24h': { label: '24 h', minutes: 1_440 },
  '7d': { label: '7 d', minutes: 10_080 },
} as const

const FIELD = { range: oneOf(Object.keys(RANGES) as (keyof typeof RANGES)[]) }

/** How far back charts look, as the address says it. */
export function useRange(): { readonly minutes: number; readonly picker: ReactNode } {
  const { values, set } = useFilter(FIELD)
  const range = values.range ?? '1h'
  const picker = (
    <SegmentedControl
      aria-label="Time shown"
      data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
      value={range}
      onChange={(value) => set({ range: value })}
    />
  )
  return { minutes: RANGES[range].minutes, picker }
}

export type Charts = Answer<'/api/v1/charts'>

/** How often a chart of so long a time is read again. Relays report every five seconds. */
export function everyMs(minutes: number): number {
  return minutes <= 180 ? 5_000 : 30_000
}

type Stretches = Pick<Charts, 'now' | 'from' | 'stretchSeconds' | 'count'>

export function timesOf({ now, from, stretchSeconds, count }: Stretches): PlotTimes {
  return { now: Date.parse(now), from: Date.parse(from), stretchMs: stretchSeconds * 1_000, count }
}

/** Marks in the words that the page shows. */
export function marksOf({ marks }: Pick<Charts, 'marks'>): PlotMark[] {
  return marks.map((mark) => ({ at: Date.parse(mark.at), text: textOf(mark) }))
}

function textOf({ kind, outbox, text, actor }: Charts['marks'][number]): string {
  const by = actor === null ? '' : ` by ${actor}`
  switch (kind) {
    case 'pause':
      return `${outbox} paused${by}${text === '' ? '' : `: ${text}`}`
    case 'resume':
      return `${outbox} resumed${by}`
    case 'replay':
      return `${text} of ${outbox} replayed${by}`
    case 'clock':
      return `clock moved by ${text}${by}`
    case 'deploy':
      return text === '' ? 'relay started' : `relay ${text} started`
  }
}
