import type { Outbox } from '../outbox/define.ts'
import type { Failure } from '../outbox/outcome.ts'
import { toMs } from '../duration.ts'

/** How long a relay waits after the 1st, 2nd … failure in a row to reach a destination. */
const UNREACHABLE_FIRST_MS = 1_000
const UNREACHABLE_MAX_MS = 60_000

export type Permit =
  | { readonly kind: 'go' }
  | { readonly kind: 'probe' }
  | { readonly kind: 'wait'; readonly ms: number }

/**
 * What one relay knows of one destination. Times are of this process's monotonic clock: they are
 * about its own experience, no row's state depends on them.
 */
export interface Breaker {
  /** Asked before each attempt. A `probe` is granted once; the asker must then send one message. */
  permit(): Permit
  record(result: BreakerResult): void
  /** Milliseconds to wait for a destination that could not be reached. */
  backoffMs(): number
  readonly isOpen: boolean
  /** Milliseconds since it opened; 0 while it is not open. */
  readonly openMs: number
  /** Milliseconds until the next probe; 0 while it is not open or the probe is due. */
  readonly probeMs: number
  /** The last failure that it has seen; undefined if there was none since it closed. */
  readonly cause: Failure | undefined
}

export interface BreakerResult {
  readonly delivered: number
  readonly failed: number
  readonly unreachable: boolean
  /** The last failure among them. */
  readonly failure?: Failure | undefined
}

export function createBreaker(
  options: Outbox['breaker'],
  now: () => number = () => performance.now(),
): Breaker {
  let seen: { at: number; delivered: number; failed: number }[] = []
  let openUntil: number | undefined
  let openedAt = 0
  let unreachableInRow = 0
  let cause: Failure | undefined
  const limits = options && {
    attempts: options.attempts,
    failures: options.failures,
    windowMs: toMs(options.window),
    probeMs: toMs(options.probe),
  }
  return {
    get isOpen() {
      return openUntil !== undefined
    },
    get openMs() {
      return openUntil === undefined ? 0 : now() - openedAt
    },
    get probeMs() {
      return openUntil === undefined ? 0 : Math.max(0, openUntil - now())
    },
    get cause() {
      return cause
    },
    permit() {
      if (openUntil === undefined || limits === undefined) return { kind: 'go' }
      const ms = openUntil - now()
      if (ms > 0) return { kind: 'wait', ms }
      openUntil = now() + limits.probeMs
      return { kind: 'probe' }
    },
    record({ delivered, failed, unreachable, failure }) {
      unreachableInRow = unreachable ? unreachableInRow + 1 : 0
      if (failed > 0) cause = failure ?? cause
      if (limits === undefined) return
      if (openUntil !== undefined) {
        // While it is open only a probe gets here: its answer decides.
        if (delivered > 0) {
          openUntil = undefined
          cause = undefined
          seen = []
        }
        return
      }
      const at = now()
      seen = seen.filter((each) => each.at > at - limits.windowMs)
      seen.push({ at, delivered, failed })
      const failures = seen.reduce((sum, each) => sum + each.failed, 0)
      const attempts = seen.reduce((sum, each) => sum + each.delivered, failures)
      if (attempts >= limits.attempts && failures / attempts >= limits.failures) {
        openedAt = at
        openUntil = at + limits.probeMs
        seen = []
      }
    },
    backoffMs() {
      return Math.min(
        UNREACHABLE_FIRST_MS * 2 ** Math.max(unreachableInRow - 1, 0),
        UNREACHABLE_MAX_MS,
      )
    },
  }
}
