import { SimpleGrid } from '@mantine/core'
import { useId, useState } from 'react'
import type { PlotMark, PlotTimes } from './plot-data.ts'
import { Plot, type PlotProps, type Zoom } from './plot.tsx'

interface PlotGridProps {
  readonly times: PlotTimes
  readonly marks?: readonly PlotMark[]
  /** Beside each other where there is room. */
  readonly cols: number
  readonly plots: readonly Omit<PlotProps, 'times' | 'marks' | 'zoom' | 'onZoom' | 'syncKey'>[]
}

/** Plots of the same time: they show the same moment, and zoom together. */
export function PlotGrid({ times, marks, cols, plots }: PlotGridProps) {
  const [zoom, setZoom] = useState<Zoom>()
  const syncKey = useId()
  return (
    <SimpleGrid cols={{ base: 1, md: Math.min(cols, 2), lg: cols }} spacing="sm">
      {plots.map((plot) => (
        <Plot
          key={plot.title}
          {...plot}
          {...{ times, zoom, syncKey }}
          {...(marks && { marks })}
          onZoom={setZoom}
        />
      ))}
    </SimpleGrid>
  )
}
