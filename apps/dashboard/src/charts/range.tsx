import { SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import { oneOf, useFilter } from '../parts/use-filter.ts'

export const RANGES = { '15min': 15, '1h': 60, '24h': 1_440, '7d': 10_080 } as const
export type Range = keyof typeof RANGES

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
