import { randomUUID } from 'node:crypto'
import type { Outbox } from '../../outbox/define.ts'
import { limitLockWaits } from '../../database/migrate.sql.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { BUCKETS, leaseStatements } from '../settle/bucket.sql.ts'
import { heldStatements } from '../settle/held.sql.ts'
import { keyStatements } from './claim.sql.ts'
import type { Lease } from '../settle/claim.ts'
import type { Queryable, Transaction } from '../../database/transaction.ts'
import type { Buckets } from '../../database/bell.ts'
import { PosthornError, sqlState } from '../../errors.ts'
import { claimsAtOnce, storageOf } from '../../outbox/resolved-definition.ts'
import { silentLog, type Log } from '../../log.ts'
import { isLocked } from '../settle/settle.ts'
import { isServersFault } from '../settle/settle-apart.ts'
import { PATIENCE_MS } from '../settle/settle.sql.ts'
import type { Session } from '../session/session.ts'

/** A bucket that was taken, and where the last owner began to read it. */
export interface Taken {
  readonly bucket: number
  readonly floor: string
  /** Which server says so. */
  readonly server: string
}

/** Makes suspects of what was in flight in lost buckets, and returns their keys. */
export type SuspectRun = (
  tx: Transaction,
  lost: { readonly buckets: readonly number[]; readonly token: string },
) => Promise<{ key: string }[]>

export interface BucketLeasesOptions {
  readonly handle: PoolHandle
  readonly outbox: Outbox
  readonly session: Session
  readonly log?: Log
  /** The same for runs that were read from the outbox's log. */
  readonly suspectLog?: SuspectRun | undefined
}

/** How many idle buckets a claim reads. */
export type Width = 'few' | 'share' | 'all'

const FEW_BUCKETS = 6

/** Keys in a batch that keep a destination busy which takes each key's messages one by one: twice `atOnce`. */
const ENOUGH_KEYS = 16

/** Messages that a claim takes of each bucket at most. */
export function limitOf(width: Width, batch: number): number {
  return Math.ceil(batch / (width === 'share' ? ENOUGH_KEYS : 4))
}

/**
 * What the next claim reads. Each bucket costs two small writes, so in a backlog it is few of them, as long as
 * those fill half a batch with messages of enough keys.
 */
export function widthAfter(
  width: Width,
  found: { rows: number; keys: number; batch: number; isFull: boolean },
): Width {
  if (found.isFull)
    return found.rows >= found.batch / 2 && found.keys >= ENOUGH_KEYS ? 'few' : 'share'
  // Few buckets that came to their end say nothing of the others.
  return width === 'few' && found.rows > 0 ? 'share' : 'all'
}

/** The buckets of one outbox that one relay's session has, and which of them are in use. */
export class BucketLeases {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #statements: ReturnType<typeof leaseStatements>
  readonly #suspectLog: SuspectRun | undefined
  readonly #log: Log
  readonly #session: Session
  /** Token of each idle bucket, in the order in which they became idle, so that none waits for ever. */
  readonly #idle = new Map<number, string>()
  readonly #busy = new Map<number, string>()
  readonly #hints = new BucketHints()
  #created = false
  /** The session that the buckets were taken by. */
  #sessionId: string | undefined
  #hasShare = false
  #straysUntil = 0
  /** Buckets that go to another relay as soon as nothing of them is in flight. */
  #leaving: ReadonlySet<number> = new Set()
  #changed = Promise.withResolvers<void>()

  constructor({ handle, outbox, session, suspectLog, log = silentLog }: BucketLeasesOptions) {
    if (!outbox.order) throw new TypeError(`${outbox.name} has no order`)
    this.#handle = handle
    this.#outbox = outbox
    this.#statements = leaseStatements(outbox)
    this.#suspectLog = suspectLog
    this.#log = log
    this.#session = session
  }

  /** The session that has them. */
  get session(): string {
    return this.#session.id
  }

  get buckets(): number[] {
    return [...this.#idle.keys(), ...this.#busy.keys()]
  }

  /** Whether the relay still has a bucket under this lease. */
  has(bucket: number, token: string): boolean {
    return (this.#idle.get(bucket) ?? this.#busy.get(bucket)) === token
  }

  /** Marks idle buckets busy, those first that became idle first. */
  take(width: Width = 'all'): Map<number, string> {
    // While there is more than one claim can take, the next one finds some as well.
    const share = Math.ceil((this.#idle.size + this.#busy.size) / claimsAtOnce(this.#outbox))
    const most = { few: Math.min(FEW_BUCKETS, share), share, all: BUCKETS }[width]
    return this.#use(this.#staying.slice(0, most))
  }

  /** Idle buckets that are read. */
  get #staying(): [number, string][] {
    return [...this.#idle].filter(([bucket]) => !this.#leaving.has(bucket))
  }

  /** Marks those of these buckets busy that are idle; `gone` are those that the relay no longer has. */
  takeThese(leases: readonly Lease[]): { taken: Lease[]; gone: ReadonlySet<number> } {
    const gone = leases.filter(({ bucket, token }) => !this.has(bucket, token))
    const taken = leases.filter(({ bucket, token }) => this.#idle.get(bucket) === token)
    this.#use(taken.map(({ bucket, token }) => [bucket, token]))
    return { taken, gone: new Set(gone.map(({ bucket }) => bucket)) }
  }

  /** Resolves when a bucket is idle again or lost. */
  async change(): Promise<void> {
    await this.#changed.promise
  }

  #noteChange(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Something was enqueued: in these buckets, or anywhere. */
  hear(buckets: Buckets): void {
    this.#hints.note(buckets)
  }

  /** The same for the buckets that something was enqueued into; undefined where all are to be looked at. */
  takeRung(): Map<number, string> | undefined {
    const rung = this.#hints.take()
    if (rung === undefined) return undefined
    const taken = this.#use(this.#staying.filter(([bucket]) => rung.has(bucket)))
    // What another claim has in hand is looked at behind it.
    const busy = [...rung].filter((bucket) => this.#busy.has(bucket) && !taken.has(bucket))
    this.#hints.note(new Set(busy))
    return taken
  }

  #use(leases: readonly (readonly [number, string])[]): Map<number, string> {
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
    this.#noteChange()
  }

  /** Gives a bucket up as it is: its next owner, this relay if it likes, finds what was in flight. */
  abandon(bucket: number, token: string): void {
    if (this.#busy.get(bucket) !== token) return
    this.#busy.delete(bucket)
    this.#expectStrays()
    this.#noteChange()
  }

  /** Keeps buckets from other claims and relays until a transaction ends; returns those that are still ours. */
  async lockIn(db: Queryable, leases: readonly Lease[]): Promise<Set<number>> {
    if (leases.length === 0) return new Set()
    const rows = await run<{ bucket: number }>(db, this.#statements.lockBuckets, {
      buckets: leases.map(({ bucket }) => bucket),
      tokens: leases.map(({ token }) => token),
    })
    return new Set(rows.map(({ bucket }) => bucket))
  }

  /** Whether the relay has its share, as far as it knows: then nothing is to be asked for. */
  get isAtRest(): boolean {
    const isOwn = this.#sessionId === this.#session.id
    return isOwn && this.#hasShare && this.#leaving.size === 0 && !this.#hasStrays
  }

  /** Buckets of this session that it does not hold: it has given one up, or an answer got lost. */
  get #hasStrays(): boolean {
    return performance.now() < this.#straysUntil
  }

  #expectStrays(): void {
    this.#straysUntil = performance.now() + this.#outbox.leaseMs
  }

  /**
   * Takes this relay's share of the buckets and gives back what is over, of the `pinned` ones not before they
   * are free. Returns the new ones.
   */
  async maintain(pinned: ReadonlySet<number> = new Set()): Promise<Taken[]> {
    if (!this.#created) await run(this.#handle.db, this.#statements.createBuckets, {})
    this.#created = true
    this.#forgetEnded()
    const share = await this.#share()
    const owned = this.#idle.size + this.#busy.size
    const surplus = Math.max(owned - share, 0)
    const idle = [...this.#idle.keys()]
    const over = idle.filter((bucket) => !pinned.has(bucket)).slice(0, surplus)
    const bound = idle.filter((bucket) => pinned.has(bucket))
    this.#leaving = new Set(bound.slice(0, surplus - over.length))
    if (over.length > 0) await this.#release(over)
    const want = Math.max(share - owned, 0)
    const taken = want > 0 || this.#hasStrays ? await this.#acquire(want) : []
    this.#hasShare = this.#idle.size + this.#busy.size === share
    return taken
  }

  /** What was taken by a session that has ended is another's. */
  #forgetEnded(): void {
    if (this.#sessionId === this.#session.id) return
    this.#sessionId = this.#session.id
    this.#idle.clear()
    this.#busy.clear()
    this.#noteChange()
  }

  /** The buckets divided among the relays that are alive: the remainder goes to the first of them. */
  async #share(): Promise<number> {
    const { name } = this.#outbox
    const { others, rank, storage } = await this.#session.share(name)
    if (storage !== null && storage !== storageOf(this.#outbox)) {
      // It was not heard of for so long that others changed the storage.
      await this.#session.leave(name)
      throw storageChanged(this.#outbox)
    }
    const relays = others + 1
    return Math.floor(BUCKETS / relays) + (rank < BUCKETS % relays ? 1 : 0)
  }

  async #acquire(want: number): Promise<Taken[]> {
    try {
      return await this.#takeOver(want, this.buckets)
    } catch (error) {
      if (isUnclear(error) && !isLocked(error)) throw error
      return this.#acquireApart(want, error)
    }
  }

  /** One by one: a bucket whose messages cannot be made suspects, or not now, is left alone, and stops no other. */
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
    const work = async (tx: Transaction) => {
      const args = { want, token, holds, session: this.#session.id }
      const rows = await run<Taken & { lost: boolean }>(tx, this.#statements.acquireBuckets, args)
      const buckets = rows.filter(({ lost }) => lost).map(({ bucket }) => bucket)
      if (buckets.length > 0) {
        // An operator's transaction may have locked one of the keys.
        await tx.query(limitLockWaits(PATIENCE_MS))
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
      if (isUnclear(error)) this.#expectStrays()
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
}

function storageChanged({ name }: Outbox): PosthornError {
  return new PosthornError(
    'STORAGE_IN_USE',
    `outbox ${name}: its storage changed since this relay started; stop this relay`,
  )
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
