import type { Buckets } from '../enqueue/bell.ts'

/** Above this a look at all buckets costs hardly more. */
const MOST_BUCKETS = 8

/** Longest time without a look at all buckets: messages also come from where no ring tells their bucket. */
const WHOLE_LOOK_MS = 50

/**
 * Which buckets the next look is for. A message that was enqueued in this process is in a bucket that its
 * ring names, and a look at one of 64 buckets takes half the time. It may be wrong in one direction
 * only: a look for any other reason than such rings goes to all.
 */
export class BucketHints {
  /** Rung for since the last look. */
  #rung = new Set<number>()
  #isAny = true
  #wholeAt = 0

  note(buckets: Buckets): void {
    if (buckets === undefined) this.#isAny = true
    else buckets.forEach((bucket) => this.#rung.add(bucket))
  }

  /** What to look at now; undefined is all. What was noted is forgotten. */
  take(): Buckets {
    const rung = this.#rung
    const now = performance.now()
    const isNarrow = !this.#isAny && rung.size > 0 && rung.size <= MOST_BUCKETS
    const isWhole = !isNarrow || now - this.#wholeAt >= WHOLE_LOOK_MS
    this.#rung = new Set()
    this.#isAny = false
    if (!isWhole) return rung
    this.#wholeAt = now
    return undefined
  }
}
