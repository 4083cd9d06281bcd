import { BUCKETS } from '../settle/bucket.sql.ts'

/** Keys in a batch that keep a destination busy which takes each key's messages one by one: twice `atOnce`. */
const ENOUGH_KEYS = 16

/** What a claim has found in the buckets that it looked at, in the order in which it read them. */
export interface Found {
  readonly buckets: readonly number[]
  /** How many messages came from each bucket that had some. */
  readonly used: ReadonlyMap<number, number>
  readonly rows: number
  readonly keys: number
  /** Messages that it could have taken. */
  readonly batch: number
}

/**
 * How a claim spreads over the buckets: how many it reads while there is more than it can take, and how much
 * it takes of each. Each bucket costs two small writes, so it is few of them, as long as those few fill
 * half a batch with messages of enough keys.
 */
export class BucketSpread {
  readonly #least: number
  #width: number
  /** The part of the buckets that had something to give lately. */
  #filled = 1

  constructor(least: number) {
    this.#least = least
    this.#width = least
  }

  /** Buckets that a claim reads in the midst of a backlog. */
  get width(): number {
    return this.#width
  }

  /** Messages that a claim of `batch` takes at most of each of so many buckets. */
  limitOf(batch: number, buckets: number): number {
    return Math.ceil(batch / Math.max(1, Math.round(this.#filled * buckets)))
  }

  /** After a look at buckets that nothing had rung for. */
  learn({ buckets, used, rows, batch }: Found): void {
    // Behind a full batch no bucket was read.
    const read =
      rows >= batch ? buckets.findLastIndex((bucket) => used.has(bucket)) + 1 : buckets.length
    if (buckets.length > 1) this.#filled = used.size / read
  }

  /** After a look in the midst of a backlog. */
  learnCrowded({ rows, keys, batch }: Found): void {
    // A bucket that comes to its end does not fill its part.
    if (rows < batch / 2 || keys < ENOUGH_KEYS) this.#width = Math.min(2 * this.#width, BUCKETS)
    else if (keys >= 2 * ENOUGH_KEYS) this.#width = Math.max(this.#width / 2, this.#least)
  }
}
