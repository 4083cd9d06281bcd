import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool } from 'pg'
import { silentLog, type Log, type Queryable } from '@posthorn/engine'
import { sleep, backOff } from '@posthorn/engine/internal'
import { Subscriber, type FeedBatch, type FeedFilter } from './feed-subscriber.ts'
import {
  fromPosition,
  without,
  type IdRanges,
  LAST_ID,
  gapsOf,
  hasId,
  joinRanges,
  rangesOf,
  union,
} from './id-ranges.ts'
import { entryOf, type AuditEntry } from '../audit/audit.ts'
import type { AuditRow } from '../audit/audit.sql.ts'
import {
  selectIdsSince,
  selectIdsWritten,
  selectLastId,
  selectRanges,
  selectServer,
  selectWriters,
} from './feed.sql.ts'

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

/** Entries that one statement reads. */
const PAGE = 1_000

/** Ids between two gaps that are read again rather than looked for apart. */
const BETWEEN = 100n

/** How far below the last id a new reader looks for entries that are not to be seen yet. */
const LOOK_BACK = 10_000n

/** How long a gap may be one before it is asked who could still fill it. */
const CHECK_MS = 1_000

/** Between the clocks of two servers, and between the beginning of a transaction and its commit. */
const CLOCKS_MS = 5_000

/** A server as it was when it was last asked. */
interface Server {
  /** By the time of its start. */
  readonly server: string
  readonly at: Date
  readonly id: string
}

/** Gaps that were found together, and the transactions that may still fill them. */
interface Suspects {
  readonly ids: IdRanges
  readonly writers: ReadonlySet<string>
}

/**
 * Reads transitions and operations by their ids, and knows which are missing. Ids are taken before
 * the commit, so that a lower one may show up after a higher one: what is missing stays wanted,
 * until all that could have written it are over. It was rolled back then.
 *
 * After a failover another server may answer, which has not seen the last transactions and gives their
 * ids a second time: what was written there since is wanted, though such ids have been seen.
 */
class FeedReader {
  readonly #db: Queryable
  #wanted: IdRanges
  #suspects: Suspects[] = []
  #checkedAt = -Infinity
  #server: Server | undefined
  #askedAt = -Infinity

  constructor(db: Queryable, wanted: IdRanges) {
    this.#db = db
    this.#wanted = wanted
  }

  /** A reader of all that is not to be seen at this moment. */
  static async fromNow(db: Queryable): Promise<FeedReader> {
    const last = await lastId(db)
    const since = last > LOOK_BACK ? last - LOOK_BACK : 1n
    const { rows } = await db.query<{ id: string }>(selectIdsSince(String(since)))
    return new FeedReader(db, without([[since, LAST_ID]], idsIn(rows)))
  }

  /** What this reader has not seen. */
  get wanted(): IdRanges {
    return this.#wanted
  }

  /** Has this reader look out for ids that another reader has found missing. */
  lookFor(ids: IdRanges): void {
    this.#wanted = union(this.#wanted, ids)
  }

  /**
   * Looks once for everything that is wanted. `found` is called with the entries of a page and
   * their ids, `giveUp` with ids that will never be written, `again` with ids that are wanted though
   * they have been seen.
   */
  async look(heard: {
    found(entries: readonly AuditEntry[], ids: IdRanges): void
    giveUp(ids: IdRanges): void
    again(ids: IdRanges): void
  }): Promise<void> {
    const again = await this.#findUnseen()
    if (again.length > 0) {
      this.#wanted = union(this.#wanted, again)
      this.#suspects = []
      heard.again(again)
    }
    // Before the reading: a later read sees what a writer left behind when it ended.
    const over = await this.#findAbandoned()
    for await (const entries of entriesIn(this.#db, this.#wanted)) {
      const ids = idsOf(entries)
      this.#wanted = without(this.#wanted, ids)
      heard.found(entries, ids)
    }
    const never = without(over, without(over, this.#wanted))
    if (never.length === 0) return
    this.#wanted = without(this.#wanted, never)
    heard.giveUp(never)
  }

  /** Ids that mean something else than before, because another server answers. */
  async #findUnseen(): Promise<IdRanges> {
    if (performance.now() - this.#askedAt < CHECK_MS) return []
    const { rows: found } = await this.#db.query<Server>(selectServer)
    this.#askedAt = performance.now()
    const before = this.#server
    this.#server = found[0]
    if (!this.#server || !before || before.server === this.#server.server) return []
    const last = BigInt(this.#server.id)
    const since = last > LOOK_BACK ? last - LOOK_BACK : 1n
    const after = new Date(before.at.getTime() - CLOCKS_MS)
    const { rows } = await this.#db.query<{ id: string }>(selectIdsWritten(String(since), after))
    return union(idsIn(rows), [[last + 1n, LAST_ID]])
  }

  /** Gaps whose possible writers are all over. */
  async #findAbandoned(): Promise<IdRanges> {
    const gaps = gapsOf(this.#wanted)
    if (gaps.length === 0) this.#suspects = []
    if (gaps.length === 0 || performance.now() - this.#checkedAt < CHECK_MS) return []
    this.#checkedAt = performance.now()
    const { rows } = await this.#db.query<{ writer: string }>(selectWriters)
    const writers = new Set(rows.map(({ writer }) => writer))
    // A prepared transaction that outlived the server has lost its name: it may be any of them.
    const nameless = [...writers].some((writer) => writer.startsWith('-1/'))
    const known = this.#suspects.reduce<IdRanges>((all, { ids }) => union(all, ids), [])
    const all = [
      ...this.#suspects.map((each) => ({ ...each, writers: meet(each.writers, writers) })),
      { ids: without(gaps, known), writers },
    ]
    const isOver = (each: Suspects) => each.writers.size === 0 && !nameless
    this.#suspects = all.filter((each) => !isOver(each))
    return all.filter(isOver).reduce<IdRanges>((ids, each) => union(ids, each.ids), [])
  }
}

/** Entries with wanted ids, page by page, the lowest first. */
async function* entriesIn(db: Queryable, wanted: IdRanges): AsyncGenerator<AuditEntry[]> {
  let ranges = joinRanges(wanted, BETWEEN)
  while (ranges.length > 0) {
    const part = firstOf(ranges)
    const { rows } = await db.query<AuditRow>(
      selectRanges(
        part.map(([low]) => String(low)),
        part.map(([, high]) => String(high)),
        PAGE,
      ),
    )
    const entries = rows.filter(({ id }) => hasId(wanted, BigInt(id))).map(entryOf)
    if (entries.length > 0) yield entries
    const last = rows.length < PAGE ? part.at(-1)?.[1] : BigInt(rows.at(-1)?.id ?? 0)
    ranges = without(ranges, [[0n, last ?? LAST_ID]])
  }
}

/** As many ranges as may fill a page: a statement reads a page of each before it sorts them. */
function firstOf(ranges: IdRanges): IdRanges {
  let width = 0n
  const end = ranges.findIndex(([low, high]) => (width += high - low + 1n) >= PAGE)
  return end < 0 ? ranges : ranges.slice(0, end + 1)
}

function idsOf(entries: readonly AuditEntry[]): IdRanges {
  return rangesOf(entries.map(({ id }) => BigInt(id)))
}

function idsIn(rows: readonly { readonly id: string }[]): IdRanges {
  const ids = rows.map(({ id }) => BigInt(id))
  return rangesOf(ids.toSorted((a, b) => (a < b ? -1 : Number(a > b))))
}

async function lastId(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ id: string }>(selectLastId)
  return BigInt(rows[0]?.id ?? 0)
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> {
  return new Set([...a].filter((each) => b.has(each)))
}
