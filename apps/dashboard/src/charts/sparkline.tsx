interface SparklineProps {
  readonly values: readonly number[]
  /** A colour of the theme: `teal`. */
  readonly color: string
  /** What it shows, for screen readers. */
  readonly label: string
  /** Whether the last stretch still runs: it is left out then. Default false. */
  readonly isRunning?: boolean
}

const SIZE = { width: 110, height: 22 }

/** The shape of a time, as small as a word. */
export function Sparkline({ values, color, label, isRunning = false }: SparklineProps) {
  const finished = isRunning ? values.slice(0, -1) : values
  const most = Math.max(...finished, 0)
  if (most === 0) return null
  const step = SIZE.width / Math.max(finished.length - 1, 1)
  const points = finished.map((value, i) => {
    const y = SIZE.height - 1 - (value / most) * (SIZE.height - 3)
    return `${(i * step).toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      {...SIZE}
      display="block"
      fill="none"
      stroke={`var(--mantine-color-${color}-6)`}
      strokeWidth={1.25}
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
