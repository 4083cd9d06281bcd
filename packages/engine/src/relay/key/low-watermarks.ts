import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { Taken } from './bucket-leases.ts'

/** Once in a while a bucket is read from its very front: a safety net under the rest. */
const FROM_THE_FRONT_MS = 30_000

interface Watermark {
  /** Nothing waits below, and nothing will. */
  readonly seq: number
  readonly since: number
  /** The lowest message of an earlier read, and the number of that read's own transaction. */
  readonly next: { readonly seq: number; readonly readBy: number }
}

interface Read {
  readonly rows: readonly OutboxRow[]
  /** The oldest transaction that was open. */
  readonly xmin: number
  /** The read's own transaction. */
  readonly readBy: number
}

/**
 * Where the reading of each bucket begins. The index keeps the entries of settled messages until a
 * vacuum comes, and in a long drain every read would walk over them again.
 *
 * A watermark must not hide a message that commits late with a lower `seq`: the next one of its key
 * would overtake it. So the lowest message of a read becomes the watermark only when all transactions
 * that were open at that read are over, and a later read has seen what they left. The read takes a
 * transaction number after its snapshot, so those are the transactions with a lower number; one with a
 * higher number has a higher `seq`, for `enqueue` takes the number before the first `seq`. The
 * snapshot's own upper end would not do: it follows the last transaction that ended, and one that is
 * still open may be beyond it.
 *
 * All of it holds on one server. Behind a pooler no connection breaks when another one takes its place,
 * so every read says which server it was; the statement itself takes no floor of another.
 */
export class LowWatermarks {
  readonly #watermarks = new Map<number, Watermark>()
  readonly #now: () => number
  #server: string | null = null

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Where the watermarks are from; null before the first read. */
  get server(): string | null {
    return this.#server
  }

  /** Takes over what the last owner of a bucket knew. */
  begin({ bucket, floor, server }: Taken): void {
    this.#meet(server)
    const seq = Number(floor)
    // What this relay knew when it last had the bucket is over: the server may have changed since.
    this.#watermarks.delete(bucket)
    if (seq <= 0) return
    // Nothing can be proposed before the first read: no transaction is younger than this.
    this.#watermarks.set(bucket, { seq, since: this.#now(), next: { seq, readBy: 0 } })
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
    const watermark = this.#watermarks.get(bucket)
    if (watermark && this.#now() - watermark.since < FROM_THE_FRONT_MS) return watermark.seq
    this.#watermarks.delete(bucket)
    return 0
  }

  /** Learns from a read that began where `of` said. */
  learn(buckets: readonly number[], rows: readonly OutboxRow[]): void {
    const found = rows.find((row) => row['claim_transactions'] != null)?.['claim_transactions']
    const [xmin, readBy, server] = ((found ?? '') as string).split(':')
    if (server === undefined) return
    this.#meet(server)
    this.#raise(buckets, { rows, xmin: Number(xmin), readBy: Number(readBy) })
  }

  /** Another server: what is known holds there no longer. */
  #meet(server: string): void {
    if (server !== this.#server) this.forget()
    this.#server = server
  }

  #raise(buckets: readonly number[], { rows, xmin, readBy }: Read): void {
    const lowest = lowestOf(rows)
    for (const bucket of buckets) {
      const seq = lowest.get(bucket)
      const watermark = this.#watermarks.get(bucket)
      if (seq === undefined) continue
      if (!watermark) {
        this.#watermarks.set(bucket, { seq: 0, since: this.#now(), next: { seq, readBy } })
      } else if (xmin >= watermark.next.readBy) {
        this.#watermarks.set(bucket, {
          seq: Math.min(watermark.next.seq, seq),
          since: watermark.since,
          next: { seq, readBy },
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
