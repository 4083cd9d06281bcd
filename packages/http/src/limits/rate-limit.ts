import { problem } from '../problem/problem.ts'

export interface RateLimit {
  /** Requests in a window. */
  readonly max: number
  readonly windowMs: number
}

export interface RateLimiter {
  /** Counts a request; throws `RATE_LIMITED` past the limit. */
  take(key: string): void
  /** Throws `RATE_LIMITED` past the limit, and counts nothing. */
  check(key: string): void
  /** Counts a request, and throws nothing. */
  count(key: string): void
}

/** Counts requests by key in fixed windows, in this process: several servers allow several times as much. */
export function createRateLimiter(
  { max, windowMs, of }: RateLimit & { readonly of?: string },
  now: () => number = Date.now,
): RateLimiter {
  // One window for all keys: a new map forgets all callers at once, so nothing has to be swept.
  let counts = new Map<string, { taken: number }>()
  let ends = 0
  const check = (key: string) => {
    const time = now()
    if (time >= ends) {
      counts = new Map()
      ends = time + windowMs
    }
    if ((counts.get(key)?.taken ?? 0) >= max) {
      throw problem('RATE_LIMITED', {
        detail: `At most ${max} requests${of === undefined ? '' : ` of ${of}`} in ${windowMs / 1_000} s.`,
        retryAfterSeconds: (ends - time) / 1_000,
      })
    }
  }
  const count = (key: string) => {
    const known = counts.get(key)
    if (known) known.taken += 1
    else counts.set(key, { taken: 1 })
  }
  return {
    take(key) {
      check(key)
      count(key)
    },
    check,
    count,
  }
}
