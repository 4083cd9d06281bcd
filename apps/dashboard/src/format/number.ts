const wholeNumber = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const shortNumber = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const finest = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** Exact as long as it fits: 999,999, then 1M. */
export function formatCount(n: number): string {
  return n < 1_000_000 ? wholeNumber.format(n) : shortNumber.format(n)
}

/** `1 row`, `2 rows`; `many` where it is not the word with an s. */
export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`
}

/** So many in a time; the slower, the finer, so that the steps of an axis can be told apart. */
export function formatRate(rate: number, per: 's' | 'min' = 's'): string {
  if (rate >= 10) return `${formatCount(rate)}/${per}`
  return `${(rate < 1 ? finest : fine).format(rate)}/${per}`
}

/** A part of all: 0.031 is 3.1%. */
export function formatShare(part: number): string {
  return share.format(part)
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1)
  const shown = bytes / 1_000 ** step
  return `${shown < 10 && step > 0 ? shown.toFixed(1) : Math.round(shown)} ${BYTE_UNITS[step]}`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A length of time in its two largest units: `3 h 20 min`, `850 ms`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  if (ms < 0) return `-${formatDuration(-ms)}`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${fine.format(ms / 1_000)} s`
  const first = UNITS.findIndex(([, size]) => ms >= size)
  const [[name, size], next] = [UNITS[first] ?? UNITS[3], UNITS[first + 1]]
  const whole = Math.floor(ms / size)
  const rest = next === undefined ? 0 : Math.floor((ms % size) / next[1])
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next?.[0]}`
}

/** How long ago, or in how long, seen from `now`. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (distance < 1_000) return 'now'
  const text = formatDuration(distance < 60_000 ? Math.floor(distance / 1_000) * 1_000 : distance)
  return at <= now ? `${text} ago` : `in ${text}`
}
