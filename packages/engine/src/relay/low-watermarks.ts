import type { OutboxRow } from '../outbox/resolved-definition.ts'

/** Once in a while a bucket is read from its very front: a net under the rest. */
const FROM_THE_FRONT_MS = 30_000

interface Floor {
  /** Nothing waits below, and nothing will. */
  readonly seq: number
  readonly since: number
  /** The lowest message of an earlier read, and the first transaction that began after it. */
  readonly next: { readonly seq: number; readonly xmax: number }
}

/**
 * Where the reading of each bucket begins. The index keeps the entries of settled messages until a
 * vacuum comes, and in a long drain they would be walked over again by every read.
 *
 * A floor must not hide a message that commits late with a lower `seq`: the next one of its key
 * would overtake it. So the lowest message of a read is a floor only when all transactions that
 * were open at that read are over, and a read made since then has seen what they left. Whoever
 * began later has a higher `seq`, for `enqueue` takes the transaction's number before the first one.
 */
export class LowWatermarks {
  readonly #watermarks = new Map<number, Floor>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes over what the last owner of a bucket knew. */
  begin(bucket: number, seq: number): void {
    if (seq <= 0) return
    // Nothing can be proposed before the first read: no transaction is younger than this.
    this.#watermarks.set(bucket, { seq, since: this.#now(), next: { seq, xmax: 0 } })
  }

  /**
   * Begins anew with every bucket: after a failover the server may be one that has not seen the last
   * transactions, and gives the same `seq` a second time.
   */
  forget(): void {
    this.#watermarks.clear()
  }

  /** Where to begin; zero is the front. */
  of(bucket: number): number {
    const floor = this.#watermarks.get(bucket)
    if (floor && this.#now() - floor.since < FROM_THE_FRONT_MS) return floor.seq
    this.#watermarks.delete(bucket)
    return 0
  }

  /** Learns from a read that began where `of` said. */
  learn(buckets: readonly number[], rows: readonly OutboxRow[]): void {
    const snapshot = rows.find((row) => row['claim_snapshot'] != null)?.['claim_snapshot'] ?? '0'
    const [xmin = 0, xmax = Infinity] = (snapshot as string).split(':', 2).map(Number)
    const lowest = lowestOf(rows)
    for (const bucket of buckets) {
      const seq = lowest.get(bucket)
      const floor = this.#watermarks.get(bucket)
      if (seq === undefined) continue
      if (!floor) {
        this.#watermarks.set(bucket, { seq: 0, since: this.#now(), next: { seq, xmax } })
      } else if (xmin >= floor.next.xmax) {
        this.#watermarks.set(bucket, {
          seq: Math.min(floor.next.seq, seq),
          since: floor.since,
          next: { seq, xmax },
        })
      }
    }
  }
}

function lowestOf(rows: readonly OutboxRow[]): Map<number, number> {
  const lowest = new Map<number, number>()
  for (const row of rows) {
    const bucket = Number(row['bucket'])
    const seq = Number(row['seq'])
    if (seq < (lowest.get(bucket) ?? Infinity)) lowest.set(bucket, seq)
  }
  return lowest
}
