/** Shorter than the first wait of a schedule would only make a tired endpoint more tired. */
const LEAST_MS = 2_000
/** Longer, and a typing mistake of theirs would be a lost day of ours. */
const MOST_MS = 3_600_000

/** How long an endpoint asks us to wait, within bounds; undefined if it does not say. */
export function retryAfterMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return clamp(Number(text) * 1_000)
  // Dates of HTTP begin with the day: anything else that a date can be read from is not one.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : clamp(at - nowMs)
}

function clamp(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), LEAST_MS), MOST_MS)
}
