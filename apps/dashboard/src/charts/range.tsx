import { SegmentedControl } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { type Answer, useRead } from '../api/client.tsx'
import { oneOf, useFilter } from '../parts/act/filter-bar.tsx'
import type { PlotMark, PlotTimes } from './plot-data.ts'

const RANGES = { '15min': 15, '1h': 60, '24h': 1_440, '7d': 10_080 } as const
type Range = keyof typeof RANGES

const WORDS: Readonly<Record<Range, string>> = {
  '15min': '15 min',
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
}

const FIELD = { range: oneOf(Object.keys(RANGES) as Range[]) }

/** How far back charts look, as the address says it. */
export function useRange(): { readonly minutes: number; readonly picker: ReactNode } {
  const { values, set } = useFilter(FIELD)
  const range = values.range ?? '1h'
  const picker = (
    <SegmentedControl
      aria-label="Time shown"
      data={Object.entries(WORDS).map(([value, label]) => ({ value, label }))}
      value={range}
      onChange={(value) => set({ range: value })}
    />
  )
  return { minutes: RANGES[range], picker }
}

export type Charts = Answer<'/api/v1/charts'>

/** Relays write down what they did every five seconds. */
const EVERY_MS = 5_000
const LONG_EVERY_MS = 30_000

export function everyMs(minutes: number): number {
  return minutes <= 180 ? EVERY_MS : LONG_EVERY_MS
}

/** The charts of one outbox, or of all; the old ones stay until those of another time are there. */
export function useCharts({ outbox, minutes }: { outbox?: string | undefined; minutes: number }) {
  return useRead('/api/v1/charts', ['charts', outbox ?? '', minutes], {
    params: { query: { minutes, ...(outbox !== undefined && { outbox }) } },
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
}

type Stretches = Pick<Charts, 'now' | 'from' | 'stretchSeconds' | 'count'>

export function timesOf({ now, from, stretchSeconds, count }: Stretches): PlotTimes {
  return { now: Date.parse(now), from: Date.parse(from), stretchMs: stretchSeconds * 1_000, count }
}

export function useTimes(stretches: Stretches): PlotTimes {
  const { now, from, stretchSeconds, count } = stretches
  return useMemo(
    () => timesOf({ now, from, stretchSeconds, count }),
    [now, from, stretchSeconds, count],
  )
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
