import { randomUUID } from 'node:crypto'
import { BacklogPlan } from '../row/backlog-plan.ts'
import { BucketLeases, type BucketLeasesOptions } from './bucket-leases.ts'
import { BucketSpread } from './bucket-spread.ts'
import type { Claim, ClaimKind, Lease } from '../settle/claim.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { HeldKeys } from './held-keys.ts'
import { attemptableRows, countKeys, planRun, within, type KeyPlan } from '../settle/key-plan.ts'
import { LowWatermarks } from './low-watermarks.ts'
import { RowSource } from '../row/row-source.ts'
import type { Buckets } from '../../database/bell.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { inSavepoint } from '../../database/savepoint.ts'
import { isLocked, settleIn, settleRoles, type SettleArgs } from '../settle/settle.ts'
import { LateKeys, leaseArgs } from './late-keys.ts'
import { settleApart, UNSETTLED_DELAY_MS, type Unsettled } from '../settle/settle-apart.ts'
import { idOf, unsettledSettlement, type Settlement } from '../settle/settlement.ts'
import type { SettledApart, Source } from '../settle/source.ts'
import { leaseStatements } from '../settle/bucket.sql.ts'
import { settleStatements } from '../settle/settle.sql.ts'
import { rowStatements } from '../row/claim.sql.ts'
import { keyStatements } from './claim.sql.ts'
import type { Transaction } from '../../database/transaction.ts'

/** Buckets that a claim reads at least while there is more than it can take. */
const CROWDED_BUCKETS = 4

/** Rows of one read, with the buckets that were taken for it. */
interface Read {
  readonly rows: OutboxRow[]
  readonly leases: ReadonlyMap<number, string>
  /** There is more than was read. */
  readonly full: boolean
}

/** Buckets whose run is ended now, and those where it was before, by a commit whose answer got lost. */
interface EndedRuns {
  readonly ended: ReadonlySet<number>
  readonly before: ReadonlySet<number>
}

/**
 * Claims by key: the relay leases buckets of keys, reads the head of each and settles it with one
 * write a message. A bucket has one run in flight at a time, so it is always read from its front:
 * a message that commits late with a low `seq` is found by the next read.
 */
export class KeySource implements Source {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #statements: ReturnType<typeof leaseStatements>
  readonly #rows: RowSource
  readonly #leases: BucketLeases
  /** The waiting keys of the outbox. */
  readonly keys: HeldKeys
  readonly #watermarks = new LowWatermarks()
  readonly #plan = new BacklogPlan()
  /** Claims whose settling was begun before: its answer may have got lost. */
  readonly #tried = new WeakSet<Claim>()
  /** Keys of which another transaction has locked a row: nothing of them is read meanwhile. */
  readonly #late: LateKeys
  readonly #spread = new BucketSpread(CROWDED_BUCKETS)
  /** The last read found more than it could take: the lanes then divide the buckets among them. */
  readonly #crowded = { flow: false, held: false }
  /** Which of the two an ordinary claim reads first; they alternate while both are crowded. */
  #heldFirst = true
  #unsubscribe: (() => void) | undefined

  constructor(
    handle: PoolHandle,
    outbox: Outbox,
    options: Omit<BucketLeasesOptions, 'handle' | 'outbox'>,
  ) {
    this.#leases = new BucketLeases({ handle, outbox, ...options })
    this.#handle = handle
    this.#outbox = outbox
    this.#statements = leaseStatements(outbox)
    this.#rows = new RowSource(handle, outbox)
    this.keys = new HeldKeys(handle, outbox)
    const parts = { leases: this.#leases, held: this.keys }
    this.#late = new LateKeys({ handle, outbox, ...parts })
  }

  /** The buckets that this relay has. */
  get leases(): BucketLeases {
    return this.#leases
  }

  /** After an outage all is held, more than one read can take. */
  get isHeldCrowded(): boolean {
    return this.#crowded.held
  }

  async claim(kind: ClaimKind, batch = this.#outbox.batch): Promise<Claim | undefined> {
    // What was sent has left its key's queue: sending it again is claimed like any other row.
    if (kind === 'resend') return this.#rows.claim(kind, batch)
    if (kind === 'expired') return undefined
    if (kind !== 'batch') return this.#claimHeld(kind, batch)
    this.#heldFirst = !this.#heldFirst
    // After an outage all is held: then every lane takes its part of it, alternating with the flow.
    if (this.#crowded.held && this.#heldFirst) {
      const held = await this.#claimHeld('held', batch)
      if (held) return held
    }
    return this.#claimFlow(batch)
  }

  hear(buckets: Buckets): void {
    this.#leases.hear(buckets)
  }

  async #claimFlow(batch: number): Promise<Claim | undefined> {
    const crowded = this.#crowded.flow
    const rung = crowded ? undefined : this.#leases.takeRung()
    const most = crowded ? Math.min(this.#spread.width, this.#leases.laneShare) : undefined
    const read = await this.#read(rung ?? this.#leases.take(most), async (leases) => {
      const buckets = [...leases.keys()]
      const limit = this.#spread.limitOf(batch, buckets.length)
      const floors = buckets.map((bucket) => this.#watermarks.of(bucket))
      const { server } = this.#watermarks
      const late = this.#late.keys
      // What is not read there is still there.
      const whole = buckets.filter((bucket) => !this.#late.buckets.has(bucket))
      const args = { buckets, tokens: [...leases.values()], floors, server, late, batch, limit }
      const statement = this.#plan.of(keyStatements(this.#outbox).claimFlow)
      const rows = await run<OutboxRow>(this.#handle.db, statement, args)
      this.#watermarks.learn(whole, rows)
      const used = tally(rows)
      const isFull = rows.length >= batch
      const keys = countKeys(this.#outbox, rows)
      const found = { buckets, used, rows: rows.length, keys, batch }
      if (!rung) this.#spread.learn(found)
      if (crowded) this.#spread.learnCrowded(found)
      return { rows, full: isFull || Math.max(0, ...used.values()) >= limit }
    })
    if (!read) return undefined
    // Few buckets that came to their end say nothing of the others: more of them are read next.
    const isNarrow = crowded && this.#spread.width < this.#leases.laneShare
    this.#crowded.flow = read.full || (isNarrow && read.rows.length > 0)
    if (read.rows.length > 0 || !crowded) this.#plan.learn(read.rows.length)
    // A share of the buckets says nothing of the rest.
    if (read.rows.length === 0) return crowded ? this.#claimFlow(batch) : undefined
    return claimOf('batch', read, read.full || crowded || this.#crowded.held)
  }

  async #claimHeld(kind: 'held' | 'suspect', batch: number): Promise<Claim | undefined> {
    const crowded = kind === 'held' && this.#crowded.held
    const most = crowded ? this.#leases.laneShare : undefined
    const read = await this.#read(this.#leases.take(most), (leases) =>
      this.keys.read(kind, { leases, batch, late: this.#late.keys }),
    )
    if (!read) return undefined
    if (kind === 'held') this.#crowded.held = read.full
    if (read.rows.length === 0) return crowded ? this.#claimHeld(kind, batch) : undefined
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
    const kept = await this.#leases.renew(claim.leases)
    return kept.size === claim.leases.length
  }

  attemptable({ rows, kind }: Claim): readonly number[] {
    if (kind === 'resend') return rows.map((_, i) => i)
    return attemptableRows(this.#outbox, rows)
  }

  async settle(claim: Claim, settlements: readonly Settlement[]): Promise<string[]> {
    if (claim.kind === 'resend') return this.#rows.settle(claim, settlements)
    const plan = planRun(this.#outbox, claim, byRow(settlements))
    const settled = await this.#guardWatermarks(() =>
      this.#write(claim, plan).catch((error: unknown) => {
        if (!isLocked(error)) throw error
        return this.#writeFree(claim, plan)
      }),
    )
    this.#giveBack(claim)
    if (settled.size === plan.settlements.length) return []
    return plan.settlements
      .map(({ row }) => idOf(this.#outbox, row))
      .filter((id) => !settled.has(id))
  }

  async #write(claim: Claim, plan: KeyPlan): Promise<Set<string>> {
    const args = this.#args(claim)
    const isFirst = !this.#tried.has(claim)
    this.#tried.add(claim)
    if (isFirst && isPlain(plan) && !this.#outbox.audit.settled) {
      // Everything was delivered: one statement, its own transaction.
      return settleRoles(this.#handle.db, this.#outbox, { settlements: plan.settlements, args })
    }
    return this.#handle.transaction(async (tx) => {
      const { ended, before } = await this.#endRun(tx, args)
      const ours = within(plan, ended)
      const ending: SettleArgs = { ...args, guard: 'ended', ended: [...ended] }
      const settled = await settleIn(tx, this.#outbox, { ...ours, args: ending })
      await this.keys.write(tx, ours)
      return addSettledBefore(this.#outbox, within(plan, before), settled)
    })
  }

  /** The same without the keys of which another transaction has locked a row: they are kept for later. */
  async #writeFree(claim: Claim, plan: KeyPlan): Promise<Set<string>> {
    const args = this.#args(claim)
    const done = await this.#handle.transaction(async (tx) => {
      const { ended, before } = await this.#endRun(tx, args)
      const ours = within(plan, ended)
      const { others, mine, late } = await this.#late.divide(tx, claim, { plan: ours, ended })
      const ending: SettleArgs = { ...args, guard: 'ended', ended: [...ended] }
      const now = await settleIn(tx, this.#outbox, { ...others, args: ending })
      await this.keys.write(tx, others)
      const known = addSettledBefore(this.#outbox, within(plan, before), now)
      return { settled: addSettledBefore(this.#outbox, mine, known), late }
    })
    this.#late.add(done.late)
    return done.settled
  }

  async settleLate(): Promise<void> {
    await this.#late.settle()
    await this.#rows.settleLate()
  }

  /** Which runs are ended now, and which were before, by a commit whose answer got lost. */
  async #endRun(tx: Transaction, args: SettleArgs): Promise<EndedRuns> {
    const now = await run<{ bucket: number }>(tx, this.#statements.endRun, { ...args })
    const ended = new Set(now.map(({ bucket }) => bucket))
    if (ended.size === args.buckets?.length) return { ended, before: new Set<number>() }
    const all = await run<{ bucket: number }>(tx, this.#statements.endedRuns, { ...args })
    const before = all.map(({ bucket }) => bucket).filter((bucket) => !ended.has(bucket))
    return { ended, before: new Set(before) }
  }

  async settleApart(claim: Claim, settlements: readonly Settlement[]): Promise<SettledApart> {
    if (claim.kind === 'resend') return this.#rows.settleApart(claim, settlements)
    const done = await this.#guardWatermarks(() =>
      this.#handle.transaction(async (tx) => {
        const runs = await this.#endRun(tx, this.#args(claim))
        const { ended } = runs
        const plan = within(planRun(this.#outbox, claim, byRow(settlements)), ended)
        const { late, isLate } = await this.#late.divide(tx, claim, { plan, ended })
        const rest = { ...claim, rows: claim.rows.filter((row) => !isLate(row)) }
        const others = settlements.filter(({ row }) => !isLate(row))
        return { ...(await this.writeApart(tx, rest, { settlements: others, ...runs })), late }
      }),
    )
    this.#late.add(done.late)
    this.#giveBack(claim)
    return done
  }

  /** Behind the end of its run. What cannot be settled waits for a claim of its own, and its key with it. */
  async writeApart(
    tx: Transaction,
    claim: Claim,
    { settlements, ended, before }: EndedRuns & { settlements: readonly Settlement[] },
  ): Promise<SettledApart> {
    const ending: SettleArgs = { ...this.#args(claim), guard: 'ended', ended: [...ended] }
    const unsettled: Unsettled[] = []
    for (;;) {
      const replaced = new Map(unsettled.map(({ settlement }) => [settlement.row, settlement]))
      const known = settlements.map((each) =>
        replaced.has(each.row) ? unsettledSettlement(each, UNSETTLED_DELAY_MS) : each,
      )
      const whole = planRun(this.#outbox, claim, byRow(known))
      const plan = within(whole, ended)
      const ordinary = plan.settlements.filter(({ row }) => !replaced.has(row))
      const done = await settleOrBack(tx, () =>
        settleApart(tx, this.#outbox, { settlements: ordinary, args: ending }),
      )
      unsettled.push(...done.unsettled)
      // With one more that cannot be settled the rest of its key fares differently.
      if (done.unsettled.length > 0) continue
      const ids = [...replaced.keys()].map((row) => idOf(this.#outbox, row))
      const marked = { ids, delayMs: UNSETTLED_DELAY_MS }
      if (ids.length > 0) await run(tx, settleStatements(this.#outbox).markSuspects, marked)
      await this.keys.write(tx, plan)
      const settled = addSettledBefore(this.#outbox, within(whole, before), done.settled)
      const lost = whole.settlements
        .map(({ row }) => idOf(this.#outbox, row))
        .filter((id) => !settled.has(id) && !ids.includes(id))
      return { lost, unsettled }
    }
  }

  #args({ leases }: Claim): SettleArgs {
    return leaseArgs(this.#outbox, leases)
  }

  #giveBack({ leases }: Claim): void {
    for (const { bucket, token } of leases) this.#leases.giveBack(bucket, token)
  }

  drop({ leases }: Claim): void {
    for (const { bucket, token } of leases) this.#leases.abandon(bucket, token)
  }

  async maintain(): Promise<boolean> {
    this.#unsubscribe ??= this.#handle.onLost(() => this.#watermarks.forget())
    const { taken, missed } = await this.#guardWatermarks(() => this.#leases.maintain())
    for (const each of taken) this.#watermarks.begin(each)
    const lifted = await this.keys.maintain(this.#leases.buckets)
    return taken.length > 0 || missed || lifted
  }

  async nextDueMs(): Promise<number | undefined> {
    const { nextDue } = rowStatements(this.#outbox)
    const { buckets } = this.#leases
    const rows = await run<{ ms: string | null }>(this.#handle.db, nextDue, { buckets })
    return rows[0]?.ms == null ? undefined : Number(rows[0].ms)
  }

  owedMs(): number | undefined {
    const owed = Math.min(this.#late.owedMs() ?? Infinity, this.#rows.owedMs() ?? Infinity)
    return owed === Infinity ? undefined : owed
  }

  async close(): Promise<void> {
    await this.#late.settle({ isLast: true })
    await this.#rows.close()
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    await this.#leases.close()
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

function byRow(settlements: readonly Settlement[]): Map<OutboxRow, Settlement> {
  return new Map(settlements.map((each) => [each.row, each]))
}

/** Settles in a savepoint of its own: where anything is left over, nothing has happened. */
async function settleOrBack(
  tx: Transaction,
  settle: () => ReturnType<typeof settleApart>,
): ReturnType<typeof settleApart> {
  let done: Awaited<ReturnType<typeof settleApart>> | undefined
  try {
    return await inSavepoint(tx, async () => {
      done = await settle()
      if (done.unsettled.length > 0) throw new Error('not all could be settled')
      return done
    })
  } catch (error) {
    if (done) return done
    throw error
  }
}

function addSettledBefore(
  outbox: Outbox,
  { settlements }: KeyPlan,
  settled: ReadonlySet<string>,
): Set<string> {
  return new Set([...settled, ...settlements.map(({ row }) => idOf(outbox, row))])
}

function isPlain({ aside, holds, frees, parks, settlements }: KeyPlan): boolean {
  const quiet = aside.length + holds.length + frees.length + parks.length === 0
  return (
    quiet && settlements.length > 0 && settlements.every(({ decision }) => decision.role === 'sent')
  )
}
