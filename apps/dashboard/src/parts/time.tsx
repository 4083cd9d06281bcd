import { useClipboard } from '@mantine/hooks'
import { formatDuration, formatRelative } from '../format/duration.ts'
import { useNow } from './now.tsx'
import classes from './time.module.css'

const EXACT = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
})

interface TimeProps {
  readonly at: string | null | undefined
  /** `business` for what is due: that clock can be moved. Default `wall`. */
  readonly clock?: 'wall' | 'business'
}

/** How long ago or in how long; the exact moment on hover, copied by a click. */
export function Time({ at, clock = 'wall' }: TimeProps) {
  const now = useNow()[clock]
  const { copied, copy } = useClipboard({ timeout: 1_000 })
  const ms = at == null ? Number.NaN : Date.parse(at)
  if (at == null || Number.isNaN(ms)) return <span>–</span>
  const title = copied ? 'Copied' : `${EXACT.format(ms)} · click to copy`
  return (
    <button type="button" className={classes['time']} title={title} onClick={() => copy(at)}>
      <time dateTime={at}>{copied ? 'copied' : formatRelative(ms, now)}</time>
    </button>
  )
}

/** A length of time in its two largest units. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{ms == null ? '–' : formatDuration(ms)}</span>
}
