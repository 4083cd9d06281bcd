import { formatDuration } from '../format/duration.ts'

/** A length of time in its two largest units. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{ms == null ? '–' : formatDuration(ms)}</span>
}
