import { randomUUID } from 'node:crypto'
import { backOff } from '../../back-off.ts'
import type { PoolHandle } from '../../database/pool-handle.ts'
import type { Log } from '../../log.ts'
import type { Outbox } from '../../outbox/define.ts'
import { sleep } from '../../sleep.ts'
import {
  beat,
  beginSession,
  endSession,
  selectShare,
  updateOutboxes,
  type Beat,
  type Breakers,
  type Paces,
  type Pulse,
  type Share,
} from './session.sql.ts'

/** Sooner than a pool closes a connection that has nothing to do, which is after ten seconds. */
const MOST_BEAT_MS = 9_000

/** After another's lease, so that it is surely over. */
const BEHIND_MS = 20

const AGAIN = { firstMs: 100, mostMs: 1_000 }

export interface SessionOptions {
  readonly handle: PoolHandle
  readonly relay: string
  readonly version?: string | undefined
  /** Those that the relay may run: the shortest of their leases is the session's. */
  readonly outboxes: readonly Pick<Outbox, 'leaseMs'>[]
}

/** How far the clocks of the database are ahead of this process's, as of the last heartbeat. */
export interface ClockOffsets {
  readonly realMs: number
  readonly businessMs: number
}

/** What a heartbeat takes along. */
export interface BeatNotes {
  readonly pulses: ReadonlyMap<string, Pulse>
  readonly breakers: Breakers | undefined
  readonly pace?: Paces | undefined
  /** How long the event loop was blocked at the most. */
  readonly lagMs?: number
}

/** What a heartbeat tells. */
export interface BeatNews {
  /** Milliseconds until the next one at the latest. */
  readonly nextMs: number
  /** The session is another than before, or there are other relays: the buckets are to be divided again. */
  readonly isDivided: boolean
  /** Another relay is gone, with what it had claimed. */
  readonly hasEnded: boolean
  /** The lease may have been over for a while: what was not claimed meanwhile is to be looked for. */
  readonly wasLate: boolean
  readonly clocks: ClockOffsets
}

const NO_NOTES: BeatNotes = { pulses: new Map(), breakers: undefined }

/**
 * The one lease of a relay process. All its buckets belong to the session, so one small write keeps them all.
 * What is ended by another relay is never alive again: the next heartbeat begins another session.
 */
export class Session {
  readonly #options: SessionOptions
  readonly leaseMs: number
  #id: string | undefined
  /** Until an answer says that it has begun: tries whose answers were lost begin the same session. */
  #next = randomUUID()
  #outboxes: string[] = []
  #peers: string | null | undefined
  #keptAt = 0

  constructor(options: SessionOptions) {
    this.#options = options
    this.leaseMs = Math.min(...options.outboxes.map(({ leaseMs }) => leaseMs))
  }

  /** Fences nothing by itself: that is done by the token of each bucket. */
  get id(): string {
    if (this.#id === undefined) throw new TypeError('the session has not begun')
    return this.#id
  }

  get isOpen(): boolean {
    return this.#id !== undefined
  }

  async begin(outboxes: readonly string[] = this.#outboxes): Promise<void> {
    const { handle, relay, version } = this.#options
    const id = this.#next
    this.#outboxes = [...outboxes]
    this.#keptAt = performance.now()
    await handle.db.query(beginSession({ id, relay, version, outboxes, leaseMs: this.leaseMs }))
    this.#id = id
    this.#next = randomUUID()
    this.#peers = undefined
  }

  /** Runs one more outbox, or one less; what is asked for by `db` may be part of a transaction. */
  async run(outbox: string, db: Pick<PoolHandle['db'], 'query'>): Promise<void> {
    this.#outboxes = [...new Set([...this.#outboxes, outbox])]
    await db.query(updateOutboxes(this.id, this.#outboxes))
  }

  async leave(outbox: string): Promise<void> {
    this.#outboxes = this.#outboxes.filter((each) => each !== outbox)
    await this.#options.handle.db.query(updateOutboxes(this.id, this.#outboxes))
  }

  /** Its part of an outbox's buckets goes by this. */
  async share(outbox: string): Promise<Share> {
    const { rows } = await this.#options.handle.db.query<Share>(selectShare(this.id, outbox))
    return rows[0] as Share
  }

  async beat(notes: BeatNotes = NO_NOTES): Promise<BeatNews> {
    const { handle, relay } = this.#options
    const { id, leaseMs } = this
    const sentAt = Date.now()
    const since = performance.now()
    const { rows } = await handle.db.query<Beat>(beat({ id, relay, leaseMs, ...notes }))
    const { alive, peers, ended, next_ms: othersMs, real_ms, ahead_ms } = rows[0] as Beat
    if (!alive) await this.begin()
    const wasLate = !alive || since - this.#keptAt > leaseMs
    this.#keptAt = since
    const isDivided = !alive || peers !== this.#peers
    this.#peers = alive ? peers : undefined
    // Half of the way there and back is taken for the way back.
    const realMs = real_ms - (sentAt + Date.now()) / 2
    const clocks = { realMs, businessMs: realMs + ahead_ms }
    const everyMs = Math.min(Math.max(leaseMs / 3, 100), MOST_BEAT_MS)
    const nextMs = Math.min(everyMs, Math.max((othersMs ?? Infinity) + BEHIND_MS, BEHIND_MS))
    return { nextMs, isDivided, hasEnded: ended > 0, wasLate, clocks }
  }

  /** Beats until the signal aborts. A heartbeat waits for nothing else. */
  async keep(
    signal: AbortSignal,
    { notes, onBeat, log }: { notes(): BeatNotes; onBeat(news: BeatNews): void; log: Log },
  ): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        const news = await this.beat(notes())
        failures = 0
        onBeat(news)
        await sleep(news.nextMs, signal)
      } catch (error) {
        const pauseMs = Math.min(backOff(failures, AGAIN), this.leaseMs / 3)
        failures += 1
        log.error(
          { relay: this.#options.relay, err: error, pauseMs },
          'heartbeat failed; trying again',
        )
        await sleep(pauseMs, signal)
      }
    }
  }

  /** Everything that the session has is free. */
  async end(): Promise<void> {
    if (this.#id === undefined) return
    await this.#options.handle.db.query(endSession(this.#id))
    this.#id = undefined
  }
}
