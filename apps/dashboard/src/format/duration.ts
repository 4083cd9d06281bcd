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
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
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
  const short = text.replace('.0 s', ' s')
  return at <= now ? `${short} ago` : `in ${short}`
}
