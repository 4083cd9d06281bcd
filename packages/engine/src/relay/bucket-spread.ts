import { BUCKETS } from '../sql/bucket.ts'

/** Keys in a batch that keep a destination busy which takes each key's messages one by one: twice `atOnce`. */
const ENOUGH_KEYS = 16

/** What a claim has found in the buckets that it looked at, in the order in which it read them. */
export interface Found {
  readonly buckets: readonly number[]
  /** How many messages came from each bucket that had some. */
  readonly used: ReadonlyMap<number, number>
  readonly keys: number
  /** It took as many as it might: behind them no bucket was read. */
  readonly isFull: boolean
}

/**
 * How a claim spreads over the buckets: how many it reads while there is more than it can take, and how much
 * it takes of each. Each bucket costs two small writes, so it is few of them, as long as those few fill a
 * batch with messages of enough keys.
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
  learn({ buckets, used, isFull }: Found): void {
    const read = isFull ? buckets.findLastIndex((bucket) => used.has(bucket)) + 1 : buckets.length
    if (buckets.length > 1) this.#filled = used.size / read
  }

  /** After a look in the midst of a backlog. */
  learnCrowded({ keys, isFull }: Found): void {
    if (!isFull || keys < ENOUGH_KEYS) this.#width = Math.min(2 * this.#width, BUCKETS)
    else if (keys >= 2 * ENOUGH_KEYS) this.#width = Math.max(this.#width / 2, this.#least)
  }
}
