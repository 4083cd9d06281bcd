import type { AuditEntry } from '../audit/audit.ts'
import { PosthornError } from '@posthorn/engine'
import { hasId, toPosition, union, without, type IdRanges } from './id-ranges.ts'

/** Entries that wait for a slow reader before it is given up: some megabytes. */
const LIMIT = 10_000

/** A reader without entries for this long gets at least its position. */
const QUIET_MS = 10_000

/** Which entries; everything left out matches all. */
export interface FeedFilter {
  /** Only what belongs to this tenant; what belongs to no tenant is left out too. */
  readonly tenant?: string
  readonly outboxes?: readonly string[]
}

/** Entries that became visible together, in the order of their ids. */
export interface FeedBatch {
  /** None where only the position has moved on, past what the filter leaves out. */
  readonly entries: readonly AuditEntry[]
  /** Where to go on after this batch. */
  readonly position: string
}

/** One reader of the feed: what it has not had yet, and what waits for it. */
export class Subscriber {
  readonly #filter: FeedFilter
  readonly #outboxes: ReadonlySet<string> | undefined
  #wanted: IdRanges
  #queue: { entries: readonly AuditEntry[]; wanted: IdRanges }[] = []
  #queued = 0
  #reported: IdRanges
  #failure: PosthornError | undefined
  #ended = false
  #wake: () => void = () => undefined

  constructor(wanted: IdRanges, filter: FeedFilter) {
    this.#wanted = wanted
    this.#reported = wanted
    this.#filter = filter
    this.#outboxes = filter.outboxes && new Set(filter.outboxes)
  }

  get wanted(): IdRanges {
    return this.#wanted
  }

  get isEnded(): boolean {
    return this.#ended
  }

  /** Takes note of entries and keeps those that are new to it and pass its filter. */
  addEntries(entries: readonly AuditEntry[], ids: IdRanges): void {
    if (this.#failure) return
    const allNew = without(ids, this.#wanted).length === 0
    const kept = entries.filter(
      (entry) => this.#matches(entry) && (allNew || hasId(this.#wanted, BigInt(entry.id))),
    )
    this.#wanted = without(this.#wanted, ids)
    if (kept.length === 0) return
    this.#queue.push({ entries: kept, wanted: this.#wanted })
    this.#queued += kept.length
    if (this.#queued > LIMIT) {
      this.#failure = new PosthornError('FEED_BEHIND')
      this.#queue = []
    }
    this.#wake()
  }

  /** Ids that will never be written are not waited for. */
  giveUp(ids: IdRanges): void {
    this.#wanted = without(this.#wanted, ids)
  }

  /** Ids that were found to be missing may still come. */
  lookFor(ids: IdRanges): void {
    this.#wanted = union(this.#wanted, ids)
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** What waits, at once; undefined if nothing does. */
  take(): FeedBatch | undefined {
    const batch = this.#queue.shift()
    if (!batch) return undefined
    this.#queued -= batch.entries.length
    this.#reported = batch.wanted
    return { entries: batch.entries, position: toPosition(batch.wanted) }
  }

  /** The next batch, when there is one; undefined at the end. Throws `FEED_BEHIND`. */
  async next(): Promise<FeedBatch | undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure
      if (this.#ended) return undefined
      const batch = this.take()
      if (batch) return batch
      const woken = await this.#sleep()
      if (woken || this.#reported === this.#wanted) continue
      this.#reported = this.#wanted
      return { entries: [], position: toPosition(this.#wanted) }
    }
  }

  /** True when something happened, false when nothing did for a while. */
  #sleep(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), QUIET_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  #matches({ tenant, outbox }: AuditEntry): boolean {
    if (this.#filter.tenant !== undefined && tenant !== this.#filter.tenant) return false
    return !this.#outboxes || (outbox !== undefined && this.#outboxes.has(outbox))
  }
}
