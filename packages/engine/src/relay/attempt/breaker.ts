import { backOff } from '../../back-off.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { Failure } from '../../errors.ts'
import { toMs } from '../../duration.ts'

/** A destination that a relay does not try at the moment, and for how long it has been so. */
export interface OpenBreaker {
  readonly destination: string
  readonly openMs: number
  /** Until it lets the next attempt through; an older relay does not say so. */
  readonly probeMs?: number
  /** The last failure before it. */
  readonly cause?: { readonly code: string; readonly message: string }
}

/** How long a relay waits after the 1st, 2nd … failure in a row to reach a destination. */
const UNREACHABLE = { firstMs: 1_000, mostMs: 60_000 }

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
  const seen = new SeenWindow(limits?.windowMs ?? 0)
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
          seen.clear()
        }
        return
      }
      const at = now()
      seen.add({ at, delivered, failed })
      const attempts = seen.delivered + seen.failed
      if (attempts >= limits.attempts && seen.failed / attempts >= limits.failures) {
        openedAt = at
        openUntil = at + limits.probeMs
        seen.clear()
      }
    },
    backoffMs() {
      return backOff(unreachableInRow - 1, UNREACHABLE)
    },
  }
}

interface Seen {
  readonly at: number
  readonly delivered: number
  readonly failed: number
}

/** Results out of the window before their room is given back; and not before they are half of all. */
const FORGOTTEN = 1_000

/** Sums of the last results. They are kept as they change: a minute can have a hundred thousand of them. */
class SeenWindow {
  readonly #windowMs: number
  #seen: Seen[] = []
  /** The first that counts. */
  #first = 0
  delivered = 0
  failed = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(result: Seen): void {
    this.#seen.push(result)
    this.delivered += result.delivered
    this.failed += result.failed
    for (let old = this.#seen[this.#first]; old; old = this.#seen[this.#first]) {
      if (old.at > result.at - this.#windowMs) break
      this.delivered -= old.delivered
      this.failed -= old.failed
      this.#first += 1
    }
    if (this.#first < Math.max(FORGOTTEN, this.#seen.length / 2)) return
    this.#seen = this.#seen.slice(this.#first)
    this.#first = 0
  }

  clear(): void {
    this.#seen = []
    this.#first = 0
    this.delivered = 0
    this.failed = 0
  }
}
