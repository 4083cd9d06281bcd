import { backOff } from '@posthorn/system'

const WINDOW_MS = 1_000

/** Times of a sender's last turns, as many as fit into a second, the oldest at `next`. */
interface Turns {
  readonly at: number[]
  next: number
}

/**
 * Lets a sender have so many turns in any second, so that its provider's limit is not run into. For
 * this process alone: several share a limit by being given a part of it each.
 */
export class Pacer {
  readonly #perSecond: number
  readonly #mostMs: number
  readonly #now: () => number
  readonly #senders = new Map<string, Turns>()

  /** `perSecond` 0 paces nothing; no message is given a slot that is further away than `mostMs`. */
  constructor(
    { perSecond, mostMs }: { perSecond: number; mostMs: number },
    now: () => number = () => performance.now(),
  ) {
    this.#perSecond = perSecond
    this.#mostMs = mostMs
    this.#now = now
  }

  /** Takes the sender's next turn: how long until then, and whether it was too far away to take. */
  turn(sender: string): { readonly waitMs: number; readonly taken: boolean } {
    if (this.#perSecond === 0) return { waitMs: 0, taken: true }
    const now = this.#now()
    const turns = this.#senders.get(sender) ?? { at: [], next: 0 }
    this.#senders.set(sender, turns)
    // By the window, not by even spacing: what a sender leaves unused it may make up for.
    const at = Math.max(now, (turns.at[turns.next] ?? -Infinity) + WINDOW_MS)
    if (at - now > this.#mostMs) return { waitMs: at - now, taken: false }
    turns.at[turns.next] = at
    turns.next = (turns.next + 1) % this.#perSecond
    return { waitMs: at - now, taken: true }
  }
}

/** The longest pause when the provider names none. */
const MOST_MS = 60_000

/** Keys that are remembered; past it, those whose pause is over are forgotten. */
const MOST_KEYS = 10_000

interface Pause {
  readonly until: number
  /** Pauses in a row. */
  readonly count: number
}

/**
 * Who must be left alone, and for how long. Times are of this process's monotonic clock: they are
 * about its own experience, no row's state depends on them.
 */
export class Pauses {
  readonly #now: () => number
  readonly #pauses = new Map<string, Pause>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Milliseconds that are left; 0 for a key that is not paused. */
  leftMs(key: string): number {
    return Math.max(0, (this.#pauses.get(key)?.until ?? 0) - this.#now())
  }

  /** Pauses for as long as was asked, else ever longer. Returns how long that is. */
  pause(
    key: string,
    { askedMs, firstMs }: { askedMs: number | undefined; firstMs: number },
  ): number {
    const left = this.leftMs(key)
    const known = this.#pauses.get(key)
    // Requests that were under way together are one experience, not many.
    const count = known && left > 0 ? known.count : (known?.count ?? 0) + 1
    const ms = askedMs ?? backOff(count - 1, { firstMs, mostMs: MOST_MS })
    this.#makeRoom()
    this.#pauses.set(key, { until: this.#now() + Math.max(ms, left), count })
    return Math.max(ms, left)
  }

  /** A success: the next pause is a first one again. */
  end(key: string): void {
    if (this.leftMs(key) === 0) this.#pauses.delete(key)
  }

  #makeRoom(): void {
    if (this.#pauses.size < MOST_KEYS) return
    for (const key of this.#pauses.keys()) if (this.leftMs(key) === 0) this.#pauses.delete(key)
  }
}
