import { randomUUID } from 'node:crypto'
import { BacklogPlan } from '../row/backlog-plan.ts'
import {
  BucketLeases,
  limitOf,
  widthAfter,
  type BucketLeasesOptions,
  type Taken,
  type Width,
} from './bucket-leases.ts'
import type { Claim, ClaimKind, Lease } from '../settle/claim.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { HeldKeys } from './held-keys.ts'
import { countKeys } from '../settle/key-plan.ts'
import { KeySettler } from './key-settler.ts'
import { LowWatermarks } from './low-watermarks.ts'
import { RowSource } from '../row/row-source.ts'
import type { Buckets } from '../../database/bell.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Settlement } from '../settle/settlement.ts'
import type { Maintenance, SettledApart, SettlePart, Source } from '../settle/source.ts'
import { BUCKETS } from '../settle/bucket.sql.ts'
import { rowStatements } from '../row/claim.sql.ts'
import { keyStatements } from './claim.sql.ts'

const WHOLE: Maintenance = { divide: true, repair: true }

/** Rows of one read, with the buckets that were taken for it. */
interface Read {
  readonly rows: OutboxRow[]
  readonly leases: ReadonlyMap<number, string>
  /** There is more than was read. */
  readonly full: boolean
}

/**
 * Claims by key: the relay leases buckets of keys, reads the head of each and settles it with one
 * write a message. A bucket has one run in flight at a time, so it is always read from its front:
 * a message that commits late with a low `seq` is found by the next read.
 */
export class KeySource implements Source {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #rows: RowSource
  readonly #leases: BucketLeases
  /** The waiting keys of the outbox. */
  readonly keys: HeldKeys
  readonly #watermarks = new LowWatermarks()
  readonly #plan = new BacklogPlan()
  readonly settler: KeySettler
  /** Less than all after a read that found more than it could take. */
  readonly #width: Record<'flow' | 'held', Width> = { flow: 'all', held: 'all' }
  #unsubscribe: (() => void) | undefined

  constructor(
    handle: PoolHandle,
    outbox: Outbox,
    options: Omit<BucketLeasesOptions, 'handle' | 'outbox'>,
  ) {
    this.#leases = new BucketLeases({ handle, outbox, ...options })
    this.#handle = handle
    this.#outbox = outbox
    this.#rows = new RowSource(handle, outbox)
    this.keys = new HeldKeys(handle, outbox)
    this.settler = new KeySettler({ handle, outbox, leases: this.#leases, held: this.keys })
  }

  /** The buckets that this relay has. */
  get leases(): BucketLeases {
    return this.#leases
  }

  async claim(kind: ClaimKind, batch = this.#outbox.batch): Promise<Claim | undefined> {
    // What was sent has left its key's queue: sending it again is claimed like any other row.
    if (kind === 'resend') return this.#rows.claim(kind, batch)
    if (kind === 'expired') return undefined
    return kind === 'batch' ? this.#claimFlow(batch) : this.#claimHeld(kind, batch)
  }

  hear(buckets: Buckets): void {
    this.#leases.hear(buckets)
  }

  isElsewhere(buckets: Buckets): boolean {
    const own = this.#leases.buckets
    if (own.length === BUCKETS) return false
    return buckets === undefined || ![...buckets].every((bucket) => own.includes(bucket))
  }

  async #claimFlow(batch: number): Promise<Claim | undefined> {
    const width = this.#width.flow
    const rung = width === 'all' ? this.#leases.takeRung() : undefined
    const read = await this.#read(rung ?? this.#leases.take(width), async (leases) => {
      const buckets = [...leases.keys()]
      const limit = rung ? batch : limitOf(width, batch)
      const floors = buckets.map((bucket) => this.#watermarks.of(bucket))
      const { server } = this.#watermarks
      const late = this.settler.keys
      // What is not read there is still there.
      const partly = this.settler.buckets
      const whole = buckets.filter((bucket) => !partly.has(bucket))
      const { session } = this.#leases
      const tokens = [...leases.values()]
      const args = { session, buckets, tokens, floors, server, late, batch, limit }
      const statement = this.#plan.of(keyStatements(this.#outbox).claimFlow)
      const rows = await run<OutboxRow>(this.#handle.db, statement, args)
      this.#watermarks.learn(whole, rows)
      const isFull = rows.length >= batch || Math.max(0, ...tally(rows).values()) >= limit
      return { rows, full: isFull }
    })
    if (!read) return undefined
    const { length: rows } = read.rows
    const keys = countKeys(this.#outbox, read.rows)
    this.#width.flow = widthAfter(width, { rows, keys, batch, isFull: read.full })
    if (rows > 0 || width === 'all') this.#plan.learn(rows)
    // A share of the buckets says nothing of the rest.
    if (rows === 0) return width === 'all' ? undefined : this.#claimFlow(batch)
    return claimOf('batch', read, read.full || width !== 'all')
  }

  async #claimHeld(kind: 'held' | 'suspect', batch: number): Promise<Claim | undefined> {
    const width = kind === 'held' ? this.#width.held : 'all'
    const read = await this.#read(this.#leases.take(width), (leases) =>
      this.keys.read(kind, {
        ...{ leases, batch, late: this.settler.keys },
        session: this.#leases.session,
      }),
    )
    if (!read) return undefined
    if (kind === 'held') this.#width.held = read.full ? 'share' : 'all'
    if (read.rows.length === 0) return width === 'all' ? undefined : this.#claimHeld(kind, batch)
    return claimOf(kind, read, true)
  }

  /** Reads from buckets that were taken: those that gave nothing are idle again at once. */
  async #read(
    leases: ReadonlyMap<number, string>,
    readFrom: (leases: ReadonlyMap<number, string>) => Promise<Omit<Read, 'leases'>>,
  ): Promise<Read | undefined> {
    if (leases.size === 0) return undefined
    const found = new Set<number>()
    try {
      const { rows, full } = await this.#guardWatermarks(() => readFrom(leases))
      for (const row of rows) found.add(Number(row['bucket']))
      return { rows, leases, full }
    } finally {
      for (const [bucket, token] of leases) {
        if (!found.has(bucket)) this.#leases.giveBack(bucket, token)
      }
    }
  }

  /** A connection that was lost may lead to another server next, where `seq` goes back a little. */
  async #guardWatermarks<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      this.#watermarks.forget()
      throw error
    }
  }

  async renew(claim: Claim, ms?: number): Promise<boolean> {
    if (claim.kind === 'resend') return this.#rows.renew(claim, ms)
    return this.settler.hasKept(claim)
  }

  async settle(
    claim: Claim,
    settlements: readonly Settlement[],
    part: SettlePart = {},
  ): Promise<SettledApart> {
    if (claim.kind === 'resend') return this.#rows.settle(claim, settlements, part)
    return this.#guardWatermarks(() => this.settler.settle(claim, settlements, part))
  }

  async settleLate(): Promise<void> {
    await this.settler.settleLate()
    await this.#rows.settleLate()
  }

  drop(claim: Claim): void {
    this.settler.drop(claim)
  }

  async maintain({ divide, repair }: Maintenance = WHOLE): Promise<boolean> {
    this.#unsubscribe ??= this.#handle.onLost(() => this.#watermarks.forget())
    const taken = divide || !this.#leases.isAtRest ? await this.#divide() : []
    const lifted = repair === true && (await this.keys.maintain(this.#leases.buckets))
    return taken.length > 0 || lifted
  }

  async #divide(): Promise<Taken[]> {
    const taken = await this.#guardWatermarks(() => this.#leases.maintain(this.settler.busyBuckets))
    for (const each of taken) this.#watermarks.begin(each)
    return taken
  }

  async nextDueMs(): Promise<number | undefined> {
    const { nextDue } = rowStatements(this.#outbox)
    const { buckets } = this.#leases
    const args = { buckets, late: this.settler.keys }
    const rows = await run<{ ms: string | null }>(this.#handle.db, nextDue, args)
    return rows[0]?.ms == null ? undefined : Number(rows[0].ms)
  }

  owedMs(): number | undefined {
    const owed = Math.min(this.settler.owedMs() ?? Infinity, this.#rows.owedMs() ?? Infinity)
    return owed === Infinity ? undefined : owed
  }

  async close(): Promise<void> {
    await this.settler.settleLate({ isLast: true })
    await this.#rows.close()
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }
}

function claimOf(kind: ClaimKind, { rows, leases }: Read, more: boolean): Claim {
  const runs = runsOf(rows)
  const used = [...runs].map(([bucket, number]): Lease => ({
    bucket,
    token: leases.get(bucket) as string,
    run: number,
  }))
  return { kind, rows: inOrder(rows), token: randomUUID(), leases: used, more }
}

/** Order only matters within a bucket, and there the index gave it; a sort costs little then. */
export function inOrder(rows: readonly OutboxRow[]): OutboxRow[] {
  return rows
    .map((row) => ({ row, seq: Number(row['seq']) }))
    .sort((one, other) => one.seq - other.seq)
    .map(({ row }) => row)
}

/** The number of each bucket's run. */
export function runsOf(rows: readonly OutboxRow[]): Map<number, string> {
  const runs = new Map<number, string>()
  for (const row of rows) {
    const bucket = Number(row['bucket'])
    if (!runs.has(bucket)) runs.set(bucket, String(row['claim_run']))
  }
  return runs
}

/** How many rows came from each bucket. */
export function tally(rows: readonly OutboxRow[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const row of rows) {
    const bucket = Number(row['bucket'])
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return counts
}
