import type { OutboxRow } from './define.ts'

/** A bucket is read from its very front at least this often. */
const FROM_THE_FRONT_MS = 1_000

/**
 * Where each bucket's reading left off. The index keeps the entries of settled messages until a
 * vacuum comes, and in a long drain they would be walked over again by every read. What lies below
 * a floor was not waiting when the reader looked; a message that commits late with a lower `seq`
 * is found when the bucket is next read from its front, after a second at the latest.
 */
export class Floors {
  readonly #floors = new Map<number, { seq: string; since: number }>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Where to begin; zero is the front. */
  of(bucket: number): string {
    const floor = this.#floors.get(bucket)
    if (floor && this.#now() - floor.since < FROM_THE_FRONT_MS) return floor.seq
    this.#floors.delete(bucket)
    return '0'
  }

  /** Learns from a read: the lowest message of a bucket is its new floor, none sends it back to the front. */
  learn(buckets: readonly number[], rows: readonly OutboxRow[]): void {
    const lowest = new Map<number, string>()
    for (const row of rows) {
      const bucket = Number(row['bucket'])
      const seq = row['seq'] as string
      const known = lowest.get(bucket)
      if (known === undefined || Number(seq) < Number(known)) lowest.set(bucket, seq)
    }
    for (const bucket of buckets) {
      const seq = lowest.get(bucket)
      const since = this.#floors.get(bucket)?.since ?? this.#now()
      if (seq === undefined) this.#floors.delete(bucket)
      else this.#floors.set(bucket, { seq, since })
    }
  }
}
