import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from 'pg'
import { FeedReader, entriesIn, idsOf, lastId } from './feed-reader.ts'
import { Subscriber, type FeedBatch, type FeedFilter } from './feed-subscriber.ts'
import { fromPosition, without, type IdRanges } from './id-ranges.ts'
import { backOff, silentLog, type Log, type Queryable } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/internal'

const LAST_PAUSE_MS = 5_000

export interface FeedOptions {
  readonly pool: Pool
  readonly log?: Log
  /** Milliseconds between two queries, while there are readers. Default 250. */
  readonly pollMs?: number
}

export interface SubscribeOptions extends FeedFilter {
  /** The position of the last batch that arrived; left out, the feed begins now. */
  readonly after?: string
  /** Ends the subscription. */
  readonly signal?: AbortSignal
}

/** All transitions and operations of the database, as they are committed. */
export interface Feed {
  /**
   * Batches without an end, until the signal, `close` or a `break`. Throws `CURSOR_INVALID` at once
   * for a position that is none; the iteration throws `FEED_BEHIND` if 10,000 entries wait for
   * their reader, who can subscribe again where it was.
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<FeedBatch>
  /** Ends all subscriptions. */
  close(): Promise<void>
}

/**
 * A feed for any number of readers in this process: one look at the database serves them all, and
 * none is taken without readers. A reader that goes on from its position gets everything that was
 * committed since, and seldom something twice. Entries come as they are committed; of one look, and
 * of what is caught up with, in the order of their ids.
 */
export function createFeed(options: FeedOptions): Feed {
  return new PolledFeed(options)
}

class PolledFeed implements Feed {
  readonly #db: Queryable
  readonly #log: Log
  readonly #pollMs: number
  readonly #closing = new AbortController()
  /** The common reader runs in no subscriber's context: it reads for all of them. */
  readonly #apart = AsyncLocalStorage.snapshot()
  /** Subscribers that have caught up with the reader and get what it finds. */
  readonly #live = new Set<Subscriber>()
  #reader: Promise<FeedReader> | undefined
  #running: Promise<void> = Promise.resolve()
  #readers = 0

  constructor({ pool, log = silentLog, pollMs = 250 }: FeedOptions) {
    this.#db = pool
    this.#log = log
    this.#pollMs = pollMs
  }

  subscribe({ after, signal, ...filter }: SubscribeOptions = {}): AsyncIterable<FeedBatch> {
    const wanted = after === undefined ? undefined : fromPosition(after)
    const stop = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    return this.#batches(filter, { wanted, stop })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async *#batches(
    filter: FeedFilter,
    { wanted, stop }: { wanted: IdRanges | undefined; stop: AbortSignal },
  ): AsyncGenerator<FeedBatch> {
    if (stop.aborted) return
    this.#readers += 1
    let subscriber: Subscriber | undefined
    const end = () => subscriber?.end()
    stop.addEventListener('abort', end)
    try {
      const reader = await this.#open()
      subscriber = new Subscriber(await this.#start(reader, wanted), filter)
      if (stop.aborted) return
      yield* this.#catchUp(subscriber, reader)
      this.#live.add(subscriber)
      for (let batch = await subscriber.next(); batch; batch = await subscriber.next()) yield batch
    } finally {
      stop.removeEventListener('abort', end)
      if (subscriber) this.#live.delete(subscriber)
      this.#readers -= 1
    }
  }

  /** A position beyond the last id is of another database, or of this one before it was restored. */
  async #start(reader: FeedReader, wanted: IdRanges | undefined): Promise<IdRanges> {
    const begins = wanted?.at(-1)?.[0] ?? 0n
    const isKnown = wanted !== undefined && begins <= (await lastId(this.#db)) + 1n
    return isKnown ? wanted : reader.wanted
  }

  /** Reads what the common reader has behind it and this subscriber has not, at its own pace. */
  async *#catchUp(subscriber: Subscriber, reader: FeedReader): AsyncGenerator<FeedBatch> {
    let missed = without(subscriber.wanted, reader.wanted)
    while (missed.length > 0 && !subscriber.isEnded) {
      for await (const entries of entriesIn(this.#db, missed)) {
        const ids = idsOf(entries)
        missed = without(missed, ids)
        subscriber.addEntries(entries, ids)
        const batch = subscriber.take()
        if (batch) yield batch
        if (subscriber.isEnded) return
      }
      // Not there yet, or never: the common reader finds out.
      reader.lookFor(missed)
      for (const each of this.#live) each.lookFor(missed)
      missed = without(subscriber.wanted, reader.wanted)
    }
  }

  /** The shared reader, which goes on as long as there are subscribers. */
  #open(): Promise<FeedReader> {
    if (this.#reader) return this.#reader
    return this.#apart(() => {
      const reader = FeedReader.fromNow(this.#db)
      this.#reader = reader
      this.#running = reader.then(
        (opened) => this.#run(opened),
        () => void (this.#reader = undefined),
      )
      return reader
    })
  }

  async #run(reader: FeedReader): Promise<void> {
    let failures = 0
    while (this.#readers > 0 && !this.#closing.signal.aborted) {
      try {
        await reader.look({
          found: (entries, ids) => this.#live.forEach((each) => each.addEntries(entries, ids)),
          giveUp: (ids) => this.#live.forEach((each) => each.giveUp(ids)),
          again: (ids) => this.#live.forEach((each) => each.lookFor(ids)),
        })
        failures = 0
      } catch (error) {
        failures += 1
        const pauseMs = this.#pauseMs(failures)
        this.#log.warn({ err: error, pauseMs }, 'feed read failed; backing off')
      }
      const { signal } = this.#closing
      await sleep(this.#pauseMs(failures), signal)
    }
    this.#reader = undefined
  }

  #pauseMs(failures: number): number {
    return backOff(failures, { firstMs: this.#pollMs, mostMs: LAST_PAUSE_MS })
  }
}
