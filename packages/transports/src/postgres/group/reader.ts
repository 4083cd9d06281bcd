import { randomUUID } from 'node:crypto'
import type { Log, Queryable } from '@posthorn/engine'
import { repeat, type Repeating } from '../../timing.ts'
import type { Wake } from '../wake.ts'
import { beatReader, deleteReader, insertReader } from './queries.ts'

/** After a heartbeat that failed. */
const AGAIN_MS = 1_000

export interface ReaderOptions {
  readonly db: Queryable
  readonly log: Log
  readonly wake: Wake
  readonly leaseMs: number
}

interface Watch {
  readonly onChange: () => void
  /** How its group was at the last heartbeat: members, holders and tokens. */
  state: string | undefined
}

/**
 * The one lease of a process that reads topics, with one heartbeat for all its groups: what its members hold
 * is theirs as long as its row is there. The heartbeat removes the rows whose time is over, so that the
 * lock of a row decides whether a reader is alive or gone.
 */
export class Reader {
  readonly #options: ReaderOptions
  readonly #watches = new Map<string, Watch>()
  readonly #unlisten: () => void
  #id = randomUUID()
  #keptAt = Number.NEGATIVE_INFINITY
  #heardAt = Number.NEGATIVE_INFINITY
  #opening: Promise<void> | undefined
  #beating: Repeating | undefined

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#unlisten = options.wake.listen(({ topic, group }) => {
      if (topic === '' && group === this.#id) this.#heardAt = performance.now()
      if (topic === undefined) this.#proveAgain()
    })
  }

  get id(): string {
    return this.#id
  }

  /** Without a heartbeat for a whole lease: others may hold its partitions by now. */
  get isLate(): boolean {
    return performance.now() - this.#keptAt > this.#options.leaseMs
  }

  /** Whether notifications come through: those of its heartbeats do. */
  get isHeard(): boolean {
    return performance.now() - this.#heardAt < this.#options.leaseMs
  }

  /** Before its first member; any number of times. */
  async open(): Promise<void> {
    await (this.#opening ??= this.#begin()).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    this.#beating ??= repeat(this.#options.leaseMs / 3, () => this.#beat())
  }

  /** Says at a heartbeat that the member's group is not as it was at the last one. */
  watch(member: string, onChange: () => void): void {
    this.#watches.set(member, { onChange, state: undefined })
  }

  unwatch(member: string): void {
    this.#watches.delete(member)
  }

  async close(): Promise<void> {
    this.#unlisten()
    await this.#beating?.stop()
    if (this.#opening) await deleteReader(this.#options.db, this.#id)
  }

  async #begin(): Promise<void> {
    const { db, leaseMs } = this.#options
    const beganAt = performance.now()
    const id = randomUUID()
    await insertReader(db, id, leaseMs)
    this.#id = id
    this.#keptAt = beganAt
  }

  /** Listening began again: what was said meanwhile is lost, and the server may be another. */
  #proveAgain(): void {
    this.#heardAt = Number.NEGATIVE_INFINITY
    this.#beating?.now()
  }

  async #beat(): Promise<number | void> {
    const { db, log, leaseMs } = this.#options
    const sentAt = performance.now()
    try {
      const { alive, server, states } = await beatReader(db, this.#id, leaseMs)
      // What others have ended is never alive again: a failover may have forgotten more than this row.
      if (!alive) await this.#begin()
      else this.#keptAt = sentAt
      for (const [member, watch] of this.#watches) {
        const state = alive ? `${server} ${states[member]}` : undefined
        if (state !== undefined && state === watch.state) continue
        watch.state = state
        watch.onChange()
      }
    } catch (error) {
      log.warn({ err: error }, 'heartbeat of the topics’ readers failed; trying again')
      return AGAIN_MS
    }
  }
}
