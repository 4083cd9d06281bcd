import { problem } from './problem.ts'

export interface RateLimit {
  /** Requests in a window. */
  readonly max: number
  readonly windowMs: number
}

export interface RateLimiter {
  /** Counts a request; throws `RATE_LIMITED` past the limit. */
  take(key: string): void
}

/** Counts requests by key in fixed windows, in this process: several servers allow several times as much. */
export function createRateLimiter(
  { max, windowMs }: RateLimit,
  now: () => number = Date.now,
): RateLimiter {
  // One window for all keys: a new map forgets all callers at once, so nothing has to be swept.
  let counts = new Map<string, { taken: number }>()
  let ends = 0
  return {
    take(key) {
      const time = now()
      if (time >= ends) {
        counts = new Map()
        ends = time + windowMs
      }
      const count = counts.get(key)
      if (!count) {
        counts.set(key, { taken: 1 })
      } else if (count.taken >= max) {
        throw problem('RATE_LIMITED', {
          detail: `At most ${max} requests in ${windowMs / 1_000} s.`,
          retryAfterSeconds: (ends - time) / 1_000,
        })
      } else {
        count.taken += 1
      }
    },
  }
}
