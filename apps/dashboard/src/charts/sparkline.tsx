import { Sparkline as Line } from '@mantine/charts'

export interface SparklineProps {
  readonly values: readonly number[]
  readonly color: string
  /** What it shows: the numbers themselves stand beside it. */
  readonly label: string
}

/** The shape of the last hour, as small as a word. */
export function Sparkline({ values, color, label }: SparklineProps) {
  if (values.every((value) => value === 0)) return null
  return (
    <div role="img" aria-label={label}>
      <Line
        w={110}
        h={22}
        data={[...values]}
        color={color}
        curveType="linear"
        strokeWidth={1.25}
        fillOpacity={0.15}
        areaProps={{ isAnimationActive: false }}
      />
    </div>
  )
}
