const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const shown = bytes / 1_000 ** step
  return `${shown < 10 && step > 0 ? shown.toFixed(1) : Math.round(shown)} ${UNITS[step]}`
}
