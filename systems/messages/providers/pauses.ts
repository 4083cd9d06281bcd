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
    const ms = askedMs ?? Math.min(firstMs * 2 ** (count - 1), MOST_MS)
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
