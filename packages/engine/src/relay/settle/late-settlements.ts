import { isServersFault } from './settle-apart.ts'

/** Until rows that another transaction has locked are looked at again. */
const AGAIN_MS = 200

/**
 * Outcomes of messages whose rows another transaction has locked. They are kept in memory and settled once
 * that is over; if the process dies before, or loses the lease, the messages are delivered again.
 */
export class LateSettlements<Late> {
  readonly #settle: (late: Late) => Promise<Late | undefined>
  #waiting: Late[] = []
  #nextAt = 0
  #isSettling = false

  /** `settle` returns what is still locked. */
  constructor(settle: (late: Late) => Promise<Late | undefined>) {
    this.#settle = settle
  }

  get waiting(): readonly Late[] {
    return this.#waiting
  }

  add(late: Late): void {
    this.#waiting.push(late)
    this.#nextAt = performance.now() + AGAIN_MS
  }

  /** Milliseconds until the next try; undefined where nothing waits. */
  owedMs(): number | undefined {
    if (this.#waiting.length === 0) return undefined
    return Math.max(this.#nextAt - performance.now(), 1)
  }

  /** Settles what is no longer locked, if it is time, `isNow` or `isLast`. */
  async settle({ isLast = false, isNow = false } = {}): Promise<void> {
    if (this.#waiting.length === 0 || this.#isSettling) return
    if (!isNow && !isLast && performance.now() < this.#nextAt) return
    this.#isSettling = true
    try {
      for (const late of this.#waiting) {
        const left = await this.#settle(late).catch((error: unknown) => {
          if (isServersFault(error)) throw error
          // It cannot be settled: it is claimed again, and then settled apart from all others.
          return undefined
        })
        this.#waiting = this.#waiting.flatMap((each) => (each === late ? (left ?? []) : each))
      }
    } finally {
      this.#isSettling = false
      this.#nextAt = performance.now() + AGAIN_MS
    }
    if (isLast) this.#waiting = []
  }
}
