import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { sleep } from '../sleep.ts'

/** A claim waits this long for a good part of a batch to become free, and then takes what there is. */
const GATHER_MS = 5

/** The part of a batch that is worth a claim of its own. */
const WORTH = 8

/** Nobody's slow messages take more places than so many times what is left of them. */
const TIMES_THE_REST = 4

/** Bytes in hand at once, about: the size of messages is estimated from samples. */
const MOST_BYTES = 32 * 1_024 * 1_024

/** Of a message, before the first is seen. */
const FIRST_GUESS = 1_024 * 1_024

const SAMPLES = 8

export interface WindowOptions {
  /** Messages at once. */
  readonly size: number
  /** Claims at once, those of slow messages not counted. */
  readonly claims: number
  /** The column of fair shares. */
  readonly fairBy: string | undefined
}

/** What a relay has in hand of one outbox: claimed, and not settled. */
export class Window {
  readonly #options: WindowOptions
  /** Slow messages, and how many there are of each key of fair shares. */
  readonly #slow = new Set<OutboxRow>()
  readonly #slowByKey = new Map<string, number>()
  /** The average size of a message. It rises at once and falls slowly. */
  #bytes = FIRST_GUESS
  #taken = 0
  #claims = 0
  #claimed = 0
  #inHand = 0
  #workedAt = performance.now()
  #freed = Promise.withResolvers<void>()

  constructor(options: WindowOptions) {
    this.#options = options
  }

  /** Waits for room for one more claim and reserves it: at least one place, at most `want`. */
  async reserve(want: number): Promise<number> {
    const worth = Math.min(want, Math.max(1, Math.floor(want / WORTH)))
    while (!this.#hasRoom(want)) await this.#freed.promise
    if (this.#room < worth) {
      await sleep(GATHER_MS)
      while (!this.#hasRoom(want)) await this.#freed.promise
    }
    const places = Math.max(Math.min(want, this.#room), 0)
    this.#taken += places
    this.#claims += 1
    return places
  }

  #hasRoom(want: number): boolean {
    return this.#claims < this.#options.claims && (want === 0 || this.#room > 0)
  }

  /** Messages of a claim take their places; the others that were reserved for it are free. */
  fill(reserved: number, rows: readonly OutboxRow[]): void {
    this.#claimed += rows.length
    this.#inHand += rows.length
    this.#workedAt = performance.now()
    if (rows.length > 0) {
      const bytes = averageSize(rows)
      this.#bytes = Math.max(bytes, (this.#claimed > rows.length ? 0.8 : 0) * this.#bytes)
    }
    // A claim may take more than were reserved for it.
    this.release(reserved - rows.length)
  }

  release(places: number): void {
    this.#taken -= places
    this.#free()
  }

  /** A claim is settled, or only its slow messages are left: there is room for another. */
  leave(): void {
    this.#claims -= 1
    this.#free()
  }

  #free(): void {
    this.#freed.resolve()
    this.#freed = Promise.withResolvers()
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
    this.#inHand -= rows.length
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

  /** Messages claimed and not settled. */
  get inHand(): number {
    return this.#inHand
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

  get #size(): number {
    return Math.min(this.#options.size, Math.max(Math.floor(MOST_BYTES / this.#bytes), 1))
  }

  #countSlow(rows: readonly OutboxRow[], by: 1 | -1): void {
    const column = this.#options.fairBy
    if (column === undefined) return
    for (const row of rows) {
      const key = String(row[column])
      const count = (this.#slowByKey.get(key) ?? 0) + by
      if (count === 0) this.#slowByKey.delete(key)
      else this.#slowByKey.set(key, count)
    }
  }
}

function averageSize(rows: readonly OutboxRow[]): number {
  const step = Math.ceil(rows.length / SAMPLES)
  const samples = rows.filter((_, i) => i % step === 0)
  return Math.max(1, samples.reduce((sum, row) => sum + sizeOf(row), 0) / samples.length)
}

/** Characters and bytes of a row, about: any other value counts as a number. */
function sizeOf(row: OutboxRow): number {
  let size = 0
  // Not by recursion: JSON may be nested deeper than the stack.
  const open: unknown[] = [row]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
    else if (typeof value !== 'object' || value === null) size += 8
    else {
      for (const [key, each] of Object.entries(value)) {
        size += key.length
        open.push(each)
      }
    }
  }
  return size
}
