import type { OutboxRow } from '../outbox/resolved-definition.ts'

/** A claim waits this long for a good part of a batch to become free, and then takes what there is. */
const GATHER_MS = 5

/** The part of a batch that is worth a claim of its own. */
const WORTH = 8

/** Nobody's slow messages take more places than so many times what is left of them. */
const TIMES_THE_REST = 4

export interface WindowOptions {
  /** Messages at once. */
  readonly size: number
  /** The column of fair shares. */
  readonly fairBy: string | undefined
}

/** The messages of one outbox that a relay has in hand: claimed, and not settled. */
export class Window {
  readonly #size: number
  readonly #fairBy: string | undefined
  /** Slow messages, and how many there are of each key of fair shares. */
  readonly #slow = new Set<OutboxRow>()
  readonly #slowByKey = new Map<string, number>()
  #taken = 0
  #claimed = 0
  #workedAt = performance.now()
  #freed = Promise.withResolvers<void>()

  constructor({ size, fairBy }: WindowOptions) {
    this.#size = size
    this.#fairBy = fairBy
  }

  /** Waits for room and reserves it: at least one place, at most `want`. */
  async reserve(want: number): Promise<number> {
    const worth = Math.max(1, Math.floor(want / WORTH))
    while (this.#room === 0) await this.#freed.promise
    if (this.#room < worth) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      while (this.#room === 0) await this.#freed.promise
    }
    const places = Math.min(want, this.#room)
    this.#taken += places
    return places
  }

  /** Messages of a claim take their places; the others that were reserved for it are free. */
  fill(reserved: number, messages: number): void {
    this.#claimed += messages
    this.#workedAt = performance.now()
    // A claim may take more than were reserved for it.
    this.release(reserved - messages)
  }

  release(places: number): void {
    this.#taken -= places
    if (places <= 0) return
    this.#freed.resolve()
    this.#freed = Promise.withResolvers<void>()
  }

  /** These messages have been in hand for a while. */
  noteSlow(rows: readonly OutboxRow[]): void {
    for (const row of rows) this.#slow.add(row)
    this.#countSlow(rows, 1)
  }

  /** Messages that are settled, or given up. */
  remove(rows: readonly OutboxRow[]): void {
    this.#countSlow(
      rows.filter((row) => this.#slow.delete(row)),
      -1,
    )
    this.#workedAt = performance.now()
    this.release(rows.length)
  }

  /**
   * Who has so many slow messages that the next `batch` is for others: of a whole batch, also where there is room
   * for less, or others that come one by one would leave room for a few more of theirs each time.
   */
  fullKeys(batch: number): string[] {
    const rest = this.#size - this.#slow.size - batch
    return [...this.#slowByKey].flatMap(([key, count]) =>
      count + batch > TIMES_THE_REST * rest ? [key] : [],
    )
  }

  /** Whether nothing is being claimed, attempted or settled. */
  get isEmpty(): boolean {
    return this.#taken === 0
  }

  /** Messages claimed so far. */
  get claimed(): number {
    return this.#claimed
  }

  /** When messages were last claimed or settled, by `performance.now()`. */
  get workedAt(): number {
    return this.#workedAt
  }

  get #room(): number {
    return this.#size - this.#taken
  }

  #countSlow(rows: readonly OutboxRow[], by: 1 | -1): void {
    const column = this.#fairBy
    if (column === undefined) return
    for (const row of rows) {
      const key = String(row[column])
      const count = (this.#slowByKey.get(key) ?? 0) + by
      if (count === 0) this.#slowByKey.delete(key)
      else this.#slowByKey.set(key, count)
    }
  }
}
