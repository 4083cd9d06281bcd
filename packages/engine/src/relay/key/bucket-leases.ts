import { randomUUID } from 'node:crypto'
import type { Outbox } from '../../outbox/define.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { BUCKETS, leaseStatements, rankOfRelay } from '../settle/bucket.sql.ts'
import { heldStatements } from '../settle/held.sql.ts'
import { keyStatements } from './claim.sql.ts'
import type { Queryable, Transaction } from '../../database/transaction.ts'
import type { Buckets } from '../../database/bell.ts'
import { sqlState } from '../../errors.ts'
import { silentLog, type Log } from '../../log.ts'
import { isServersFault } from '../settle/settle-apart.ts'

/** A bucket that was taken, and where the last owner began to read it. */
export interface Taken {
  readonly bucket: number
  readonly floor: string
  /** Which server says so. */
  readonly server: string
}

/** Makes suspects of what was in flight under lost leases, and returns their keys. */
export type SuspectRun = (
  tx: Transaction,
  lost: { readonly buckets: readonly number[]; readonly token: string },
) => Promise<{ key: string }[]>

export interface BucketLeasesOptions {
  readonly handle: PoolHandle
  readonly outbox: Outbox
  readonly relay: string
  readonly log?: Log
  /** The same for runs that were read from the outbox's log. */
  readonly suspectLog?: SuspectRun | undefined
}

/** The leases that one relay has on the buckets of one outbox, and which of them are in use. */
export class BucketLeases {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #statements: ReturnType<typeof leaseStatements>
  readonly #suspectLog: SuspectRun | undefined
  readonly #log: Log
  readonly #relay: string
  /** Token of each idle bucket, in the order in which they became idle, so that none waits for ever. */
  readonly #idle = new Map<number, string>()
  readonly #busy = new Map<number, string>()
  readonly #hints = new BucketHints()
  /** Tokens under which buckets may have been taken, by a commit whose answer got lost. */
  readonly #unanswered = new Set<string>()
  #created = false
  #renewing = false
  /** A lane looked while the idle buckets were being renewed, and has to look again. */
  #missed = false

  constructor({ handle, outbox, relay, suspectLog, log = silentLog }: BucketLeasesOptions) {
    if (!outbox.order) throw new TypeError(`${outbox.name} has no order`)
    this.#handle = handle
    this.#outbox = outbox
    this.#statements = leaseStatements(outbox)
    this.#suspectLog = suspectLog
    this.#log = log
    this.#relay = relay
  }

  get buckets(): number[] {
    return [...this.#idle.keys(), ...this.#busy.keys()]
  }

  /** Whether the relay still has a bucket under this lease. */
  has(bucket: number, token: string): boolean {
    return (this.#idle.get(bucket) ?? this.#busy.get(bucket)) === token
  }

  /** Marks idle buckets busy: all of them, or `most`, those that became idle first. */
  take(most?: number): Map<number, string> {
    return this.#use([...this.#idle].slice(0, most))
  }

  /** What a lane may have of the buckets while there is more than it can take, so that the others find some. */
  get laneShare(): number {
    return Math.ceil((this.#idle.size + this.#busy.size) / this.#outbox.lanes)
  }

  /** Something was enqueued: in these buckets, or anywhere. */
  hear(buckets: Buckets): void {
    this.#hints.note(buckets)
  }

  /** The same for the buckets that something was enqueued into; undefined where all are to be looked at. */
  takeRung(): Map<number, string> | undefined {
    const rung = this.#hints.take()
    if (rung === undefined) return undefined
    const taken = this.#use([...this.#idle].filter(([bucket]) => rung.has(bucket)))
    // What another lane has in hand is looked at behind it.
    const busy = [...rung].filter((bucket) => this.#busy.has(bucket) && !taken.has(bucket))
    this.#hints.note(new Set(busy))
    return taken
  }

  #use(leases: readonly (readonly [number, string])[]): Map<number, string> {
    if (this.#renewing) this.#missed = true
    const taken = new Map(leases)
    for (const [bucket, token] of taken) {
      this.#idle.delete(bucket)
      this.#busy.set(bucket, token)
    }
    return taken
  }

  /** The bucket is idle again, if this lease is still the one that is in use. */
  giveBack(bucket: number, token: string): void {
    if (this.#busy.get(bucket) !== token) return
    this.#busy.delete(bucket)
    this.#idle.set(bucket, token)
  }

  /** Lets the lease run out: its next owner finds what was in flight. */
  abandon(bucket: number, token: string): void {
    if (this.#busy.get(bucket) === token) this.#busy.delete(bucket)
  }

  /** Renews leases; returns the buckets that are still ours. */
  async renew(leases: readonly { bucket: number; token: string }[]): Promise<Set<number>> {
    return this.renewIn(this.#handle.db, leases)
  }

  /** The same as part of a transaction. */
  async renewIn(
    db: Queryable,
    leases: readonly { bucket: number; token: string }[],
  ): Promise<Set<number>> {
    if (leases.length === 0) return new Set()
    const rows = await run<{ bucket: number }>(db, this.#statements.renewBuckets, {
      buckets: leases.map(({ bucket }) => bucket),
      tokens: leases.map(({ token }) => token),
      leaseMs: this.#outbox.leaseMs,
    })
    return new Set(rows.map(({ bucket }) => bucket))
  }

  /**
   * Renews the leases, takes this relay's share of the buckets and gives back what is over. `taken` are
   * the new ones; `missed` says that a lane has to look again.
   */
  async maintain(): Promise<{ taken: Taken[]; missed: boolean }> {
    if (!this.#created) await run(this.#handle.db, this.#statements.createBuckets, {})
    this.#created = true
    await this.#renewIdle()
    const share = await this.#share()
    const owned = this.#idle.size + this.#busy.size
    const over = [...this.#idle.keys()].slice(0, Math.max(owned - share, 0))
    if (over.length > 0) await this.#release(over)
    const taken = owned < share ? await this.#acquire(share - owned) : []
    const missed = this.#missed
    this.#missed = false
    return { taken, missed }
  }

  /** The buckets divided among the relays that are alive: the remainder goes to the first of them. */
  async #share(): Promise<number> {
    const { rows } = await this.#handle.db.query<{ others: number; rank: number }>(
      rankOfRelay({
        relay: this.#relay,
        outbox: this.#outbox.name,
        withinMs: this.#outbox.leaseMs,
      }),
    )
    const { others = 0, rank = 0 } = rows[0] ?? {}
    const relays = others + 1
    return Math.floor(BUCKETS / relays) + (rank < BUCKETS % relays ? 1 : 0)
  }

  /** Renews the leases of idle buckets; those in use are renewed with their claim. */
  async #renewIdle(): Promise<void> {
    // Taken out of use meanwhile: two statements of this relay on the same leases could deadlock.
    const leases = this.take()
    this.#renewing = true
    try {
      const kept = await this.renew([...leases].map(([bucket, token]) => ({ bucket, token })))
      for (const [bucket, token] of leases) if (!kept.has(bucket)) this.abandon(bucket, token)
    } finally {
      this.#renewing = false
      for (const [bucket, token] of leases) this.giveBack(bucket, token)
    }
  }

  async #acquire(want: number): Promise<Taken[]> {
    try {
      const taken = await this.#takeOver(want, this.buckets)
      this.#unanswered.clear()
      return taken
    } catch (error) {
      if (isUnclear(error)) throw error
      return this.#acquireApart(want, error)
    }
  }

  /** One by one: a bucket whose messages cannot be made suspects is left alone, and stops no other. */
  async #acquireApart(want: number, first: unknown): Promise<Taken[]> {
    const all = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
    const free = all.filter((bucket) => !this.buckets.includes(bucket))
    const taken: Taken[] = []
    const failed: { bucket: number; err: unknown }[] = []
    for (const bucket of free) {
      if (taken.length === want) break
      try {
        const others = all.filter((other) => other !== bucket)
        taken.push(...(await this.#takeOver(1, others)))
      } catch (err) {
        failed.push({ bucket, err })
      }
    }
    // Nothing can be taken: it is not the fault of a bucket.
    if (failed.length === free.length && free.length > 1) throw first
    for (const each of failed) {
      const { name: outbox } = this.#outbox
      this.#log.error({ outbox, ...each }, 'bucket not taken over; its messages wait')
    }
    return taken
  }

  /** Takes buckets that are not in `holds`, and makes suspects of what was in flight in them. */
  async #takeOver(want: number, holds: readonly number[]): Promise<Taken[]> {
    const token = randomUUID()
    const { leaseMs } = this.#outbox
    const unanswered = [...this.#unanswered]
    const work = async (tx: Transaction) => {
      const args = { want, token, holds, unanswered, relay: this.#relay, leaseMs }
      const rows = await run<Taken & { lost: boolean }>(tx, this.#statements.acquireBuckets, args)
      const buckets = rows.filter(({ lost }) => lost).map(({ bucket }) => bucket)
      if (buckets.length > 0) {
        const lost = { buckets, token }
        const logged = (await this.#suspectLog?.(tx, lost)) ?? []
        const { suspectRun } = keyStatements(this.#outbox)
        const waiting = await run<{ key: string }>(tx, suspectRun, lost)
        const keys = [...logged, ...waiting]
        const { parkTails } = heldStatements(this.#outbox)
        if (parkTails) await run(tx, parkTails, { keys: keys.map(({ key }) => key) })
      }
      return rows
    }
    const taken = await this.#handle.transaction(work).catch((error: unknown) => {
      if (isUnclear(error)) this.#unanswered.add(token)
      throw error
    })
    for (const { bucket } of taken) this.#idle.set(bucket, token)
    return taken
  }

  async #release(buckets: readonly number[]): Promise<void> {
    const tokens = buckets.map((bucket) => this.#idle.get(bucket))
    for (const bucket of buckets) this.#idle.delete(bucket)
    await run(this.#handle.db, this.#statements.releaseBuckets, { buckets, tokens })
  }

  /** Gives back what is idle. */
  async close(): Promise<void> {
    await this.#release([...this.#idle.keys()])
  }
}

/** Whether an error says nothing of the statement: it may even have been committed. */
function isUnclear(error: unknown): boolean {
  return sqlState(error) === undefined || isServersFault(error)
}

/** Above this a look at all buckets costs hardly more. */
const MOST_BUCKETS = 8

/** Longest time without a look at all buckets: messages also come from where no ring tells their bucket. */
const WHOLE_LOOK_MS = 50

/**
 * Which buckets the next look is for. A message that was enqueued in this process is in a bucket that its
 * ring names, and a look at one of 64 buckets takes half the time. It may be wrong in one direction
 * only: a look for any other reason than such rings goes to all.
 */
export class BucketHints {
  /** Rung for since the last look. */
  #rung = new Set<number>()
  #isAny = true
  #wholeAt = 0

  note(buckets: Buckets): void {
    if (buckets === undefined) this.#isAny = true
    else buckets.forEach((bucket) => this.#rung.add(bucket))
  }

  /** What to look at now; undefined is all. What was noted is forgotten. */
  take(): Buckets {
    const rung = this.#rung
    const now = performance.now()
    const isNarrow = !this.#isAny && rung.size > 0 && rung.size <= MOST_BUCKETS
    const isWhole = !isNarrow || now - this.#wholeAt >= WHOLE_LOOK_MS
    this.#rung = new Set()
    this.#isAny = false
    if (!isWhole) return rung
    this.#wholeAt = now
    return undefined
  }
}
