import { randomUUID } from 'node:crypto'
import { BacklogPlan } from '../row/backlog-plan.ts'
import type { Claim, ClaimKind, Lease } from '../settle/claim.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { countKeys, keyOf, within, type KeyPlan } from '../settle/key-plan.ts'
import { planLogPart, type Part } from '../key/busy-keys.ts'
import { inOrder, KeySource, runsOf, tally } from '../key/key-source.ts'
import { limitOf, widthAfter, type SuspectRun, type Width } from '../key/bucket-leases.ts'
import { adoptCluster, moveAside, suspectLogged } from './log-moves.ts'
import type { Buckets } from '../../database/bell.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { silentLog, type Log } from '../../log.ts'
import { LateSettlements } from '../settle/late-settlements.ts'
import { isLocked, settleIn, type SettleArgs } from '../settle/settle.ts'
import { idOf, type Settlement } from '../settle/settlement.ts'
import type { Maintenance, SettledApart, SettlePart, Source } from '../settle/source.ts'
import { leaseStatements } from '../settle/bucket.sql.ts'
import { logStatements } from './log.sql.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { Session } from '../session/session.ts'

/**
 * Claims from an append-only log: the relay leases buckets of keys, reads the next page of each and settles
 * a run by moving the bucket's cursor behind it. What does not go straight through is moved to the log's
 * exceptions and is from then on the `KeySource`'s, under the same leases: a bucket has one run in flight, from
 * the log or from these. Messages whose key waits there follow it, in their order. Slow messages go there while
 * they are being delivered, as keys that are busy.
 */
export class LogSource implements Source {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #log: Log
  readonly #statements: ReturnType<typeof logStatements>
  readonly #keys: KeySource
  /** Claims from the log, with the buckets whose tick ends with them. */
  readonly #closed = new WeakMap<Claim, ReadonlySet<number>>()
  /** Claims whose settling was begun before: its answer may have got lost. */
  readonly #tried = new WeakSet<Claim>()
  /** Less than all after a read that found more than it could take. */
  #width: Width = 'all'
  readonly #plan = new BacklogPlan()
  /** Buckets with a key that another transaction has locked. */
  readonly #late = new LateSettlements<LateBucket>((late) => this.#settleFree(late))

  constructor(
    handle: PoolHandle,
    outbox: Outbox,
    { session, log = silentLog }: { session: Session; log?: Log },
  ) {
    this.#handle = handle
    this.#outbox = outbox
    this.#log = log
    this.#statements = logStatements(outbox)
    const suspectLog: SuspectRun = (tx, lost) => suspectLogged(tx, outbox, lost)
    this.#keys = new KeySource(handle, outbox, { session, suspectLog, log })
  }

  async claim(kind: ClaimKind, batch = this.#outbox.batch): Promise<Claim | undefined> {
    // What was enqueued into the table itself, before it had a log or by hand, goes first.
    if (kind === 'held') {
      // Rings speak of the log: they say nothing about where in the table to look.
      this.hear(undefined)
      return (await this.#keys.claim('held', batch)) ?? this.#keys.claim('batch', batch)
    }
    return kind === 'batch' ? this.#claimLog(batch) : this.#keys.claim(kind, batch)
  }

  hear(buckets: Buckets): void {
    this.#keys.hear(buckets)
  }

  isElsewhere(buckets: Buckets): boolean {
    return this.#keys.isElsewhere(buckets)
  }

  async #claimLog(batch: number): Promise<Claim | undefined> {
    const width = this.#width
    const { leases } = this.#keys
    const rung = width === 'all' ? leases.takeRung() : undefined
    const taken = rung ?? leases.take(width)
    if (taken.size === 0) return undefined
    const found = new Set<number>()
    try {
      const { rows, used, passed, isCut } = await this.#read(taken, {
        batch,
        limit: rung ? batch : limitOf(width, batch),
        width,
      })
      for (const bucket of used.keys()) found.add(bucket)
      if (rows.length > 0) {
        const more = width !== 'all' || this.#width !== 'all'
        return this.#claimOf({ rows, taken, isCut }, more)
      }
      this.#width = 'all'
      if (width === 'all' && !passed) return undefined
    } finally {
      for (const [bucket, token] of taken) {
        if (!found.has(bucket)) leases.giveBack(bucket, token)
      }
    }
    // Behind the end of a tick there may be another.
    return this.#claimLog(batch)
  }

  async #read(
    taken: ReadonlyMap<number, string>,
    { batch, limit, width }: { batch: number; limit: number; width: Width },
  ) {
    const buckets = [...taken.keys()]
    const { session } = this.#keys.leases
    const args = { session, buckets, tokens: [...taken.values()], batch, limit }
    const read = await run<OutboxRow>(
      this.#handle.db,
      this.#plan.of(this.#statements.claimLog),
      args,
    )
    const rows = read.filter((row) => row['claim_run'] !== null)
    this.#stopBusy(rows)
    const used = tally(rows)
    const isFull = rows.length >= batch
    // A share of the buckets says nothing of the rest.
    if (rows.length > 0 || width === 'all') this.#plan.learn(rows.length)
    if (rows.length > 0) {
      const keys = countKeys(this.#outbox, rows)
      const isCrowded = isFull || Math.max(...used.values()) >= limit
      this.#width = widthAfter(width, { rows: rows.length, keys, batch, isFull: isCrowded })
    }
    // Where a page or the batch is full there may be more of the bucket's tick.
    const isCut = (bucket: number) => isFull || (used.get(bucket) ?? 0) >= limit
    return { rows, used, passed: rows.length < read.length, isCut }
  }

  /** Behind a message that is still being delivered nothing of its key begins. */
  #stopBusy(rows: readonly OutboxRow[]): void {
    const busy = new Set(this.#keys.settler.keys)
    if (busy.size === 0) return
    for (const row of rows) if (busy.has(keyOf(this.#outbox, row))) row['claim_tail'] ??= 'wait'
  }

  #claimOf({ rows, taken, isCut }: Page, more: boolean): Claim {
    const runs = runsOf(rows)
    const leases = [...runs].map(([bucket, number]): Lease => ({
      bucket,
      token: taken.get(bucket) as string,
      run: number,
    }))
    const token = randomUUID()
    const claim: Claim = { kind: 'batch', rows: inOrder(rows), token, leases, more }
    this.#closed.set(claim, new Set([...runs.keys()].filter((bucket) => !isCut(bucket))))
    return claim
  }

  async renew(claim: Claim, ms?: number): Promise<boolean> {
    return this.#keys.renew(claim, ms)
  }

  async settle(
    claim: Claim,
    settlements: readonly Settlement[],
    part: SettlePart = {},
  ): Promise<SettledApart> {
    const closed = this.#closedBy(claim)
    if (!closed) return this.#keys.settle(claim, settlements, part)
    const { open = [], isApart = false } = part
    // What is still open goes to the exceptions with the rest of the run, and is noted there.
    for (const row of open) row['held'] = true
    this.#keys.settler.busy.set(claim, open)
    const args = this.#args(claim, closed)
    const isFirst = !this.#tried.has(claim)
    this.#tried.add(claim)
    if (isFirst && isStraight(claim, settlements)) {
      const buckets = await this.#end(this.#handle.db, args)
      this.#leave(claim)
      return this.#lostOf(settlements, buckets)
    }
    if (isApart) {
      const done = await this.#handle.transaction((tx) =>
        this.#writeApart(tx, claim, { settlements, open, args }),
      )
      this.#leave(claim)
      return done
    }
    const plan = planLogPart(this.#outbox, claim, { settlements, open })
    const planned = { plan, args, open }
    const { buckets, late } = await this.#handle
      .transaction((tx) => this.#write(tx, claim, { ...planned, write: 'writeSoon' }))
      .then((done) => ({ buckets: done, late: new Set<number>() }))
      .catch((error: unknown) => {
        if (!isLocked(error)) throw error
        return this.#writeFree(claim, closed, { plan, open })
      })
    this.#leave({ ...claim, leases: claim.leases.filter(({ bucket }) => !late.has(bucket)) })
    return this.#lostOf(settlements, new Set([...buckets, ...late]))
  }

  /** Ends the runs of all other buckets first. The rest is written when its keys are no longer locked. */
  async #writeFree(claim: Claim, closed: ReadonlySet<number>, part: LogPart) {
    const { holds, aside } = part.plan
    const { keys } = this.#keys
    const locked = await this.#handle.transaction((tx) => keys.findLocked(tx, part.plan))
    const late = new Set(
      [...holds, ...aside].filter(({ key }) => locked.has(key)).map(({ bucket }) => bucket),
    )
    const free = { ...claim, leases: claim.leases.filter(({ bucket }) => !late.has(bucket)) }
    const args = this.#args(free, closed)
    const buckets = await this.#handle.transaction((tx) =>
      this.#write(tx, free, { ...part, args, write: 'write' }),
    )
    for (const lease of claim.leases.filter(({ bucket }) => late.has(bucket))) {
      this.#late.add({ ...part, claim: { ...claim, leases: [lease] }, closed })
    }
    return { buckets, late }
  }

  /** What was lost with its lease is read again. */
  async #settleFree(late: LateBucket): Promise<LateBucket | undefined> {
    const { claim, closed } = late
    const { keys, leases } = this.#keys
    if (!claim.leases.every(({ bucket, token }) => leases.has(bucket, token))) return undefined
    const plan = within(late.plan, new Set(claim.leases.map(({ bucket }) => bucket)))
    const isDone = await this.#handle.transaction(async (tx) => {
      if ((await keys.findLocked(tx, plan)).size > 0) return false
      await this.#write(tx, claim, { ...late, args: this.#args(claim, closed), write: 'write' })
      return true
    })
    if (!isDone) return late
    this.#leave(claim)
    return undefined
  }

  /** Undefined for a claim of what has left the log: waiting keys, and the slow rest of a claim from it. */
  #closedBy(claim: Claim): ReadonlySet<number> | undefined {
    return this.#keys.settler.busy.isSplit(claim) ? undefined : this.#closed.get(claim)
  }

  async #write(
    tx: Transaction,
    claim: Claim,
    { plan, args, open, write }: LogPart & { args: LogArgs; write: 'write' | 'writeSoon' },
  ): Promise<Set<number>> {
    const ended = await this.#end(tx, args)
    const ours = within(plan, ended)
    const sent = new Set(
      ours.settlements.filter(({ decision }) => decision.role === 'sent').map(({ row }) => row),
    )
    const rest = ours.settlements.filter(({ row }) => !sent.has(row))
    const rows = claim.rows.filter((row) => ended.has(Number(row['bucket'])) && !sent.has(row))
    await moveAside(tx, this.#outbox, rows)
    if (rest.length > 0) {
      const ending: SettleArgs = { ...args, guard: 'ended', ended: [...ended] }
      await settleIn(tx, this.#outbox, { settlements: rest, args: ending })
    }
    const versions = await this.#keys.keys[write](tx, ours)
    const versionOf = new Map(versions.map(({ key, version }) => [key, version]))
    for (const row of open) row['claim_version'] = versionOf.get(keyOf(this.#outbox, row))
    return new Set([...ended, ...(await this.#endedBefore(tx, args, ended))])
  }

  /** Its runs have ended: what is left of the claim is settled in the exceptions. */
  #leave(claim: Claim): void {
    this.#keys.settler.busy.split(claim)
    for (const { bucket, token } of claim.leases) this.#keys.leases.giveBack(bucket, token)
  }

  #lostOf(settlements: readonly Settlement[], ended: ReadonlySet<number>): SettledApart {
    const lost = settlements.filter(({ row }) => !ended.has(Number(row['bucket'])))
    return { lost: lost.map(({ row }) => idOf(this.#outbox, row)), unsettled: [] }
  }

  async #end(db: Transaction | PoolHandle['db'], args: LogArgs): Promise<Set<number>> {
    const { endLogRun, endLogRunExcept } = this.#statements
    const statement = 'sizes' in args ? endLogRunExcept : endLogRun
    const rows = await run<{ bucket: number }>(db, statement, { ...args })
    return new Set(rows.map(({ bucket }) => bucket))
  }

  /** Runs that were ended by a commit whose answer got lost. */
  async #endedBefore(
    tx: Transaction,
    args: LogArgs,
    ended: ReadonlySet<number>,
  ): Promise<Set<number>> {
    if (ended.size === args.buckets.length) return new Set()
    const rows = await run<{ bucket: number }>(tx, leaseStatements(this.#outbox).endedRuns, {
      ...args,
    })
    return new Set(rows.map(({ bucket }) => bucket))
  }

  /** The whole run is moved aside first: there each message can be settled apart from the rest. */
  async #writeApart(
    tx: Transaction,
    claim: Claim,
    { settlements, open, args }: Part & { args: LogArgs },
  ): Promise<SettledApart> {
    const ended = await this.#end(tx, args)
    const before = await this.#endedBefore(tx, args, ended)
    const ours = claim.rows.filter((row) => ended.has(Number(row['bucket'])))
    await moveAside(tx, this.#outbox, ours)
    const planOf = (known: readonly Settlement[]) =>
      planLogPart(this.#outbox, claim, { settlements: known, open })
    return this.#keys.settler.writeApart(tx, claim, { settlements, ended, before, planOf })
  }

  #args({ leases }: Claim, closed: ReadonlySet<number>): LogArgs {
    return {
      guard: 'lease',
      buckets: leases.map(({ bucket }) => bucket),
      tokens: leases.map(({ token }) => token),
      runs: leases.map((lease) => lease.run),
      closed: leases.map(({ bucket }) => closed.has(bucket)),
      actor: this.#outbox.audit.actor,
      reason: undefined,
      ...this.#keys.settler.busy.noteFor(leases),
    }
  }

  drop(claim: Claim): void {
    this.#keys.drop(claim)
  }

  async maintain(what?: Maintenance): Promise<boolean> {
    if (what && !what.divide && !what.repair && this.#keys.leases.isAtRest) return false
    const mayClaim = await this.#keys.maintain(what)
    const adopted = await adoptCluster(this.#handle, this.#outbox, this.#log)
    return mayClaim || adopted
  }

  async nextDueMs(): Promise<number | undefined> {
    return this.#keys.nextDueMs()
  }

  async settleLate(): Promise<void> {
    await this.#late.settle()
    await this.#keys.settleLate()
  }

  owedMs(): number | undefined {
    const owed = Math.min(this.#late.owedMs() ?? Infinity, this.#keys.owedMs() ?? Infinity)
    return owed === Infinity ? undefined : owed
  }

  async close(): Promise<void> {
    await this.#late.settle({ isLast: true })
    await this.#keys.close()
  }
}

/** Rows of one read, with the buckets that were taken for it. */
interface Page {
  readonly rows: OutboxRow[]
  readonly taken: ReadonlyMap<number, string>
  /** Whether the bucket's tick may go on behind them. */
  isCut(bucket: number): boolean
}

/** What is written of a claim while messages are `open`. */
interface LogPart {
  readonly plan: KeyPlan
  readonly open: readonly OutboxRow[]
}

interface LateBucket extends LogPart {
  readonly claim: Claim
  /** Buckets whose tick ends with the claim. */
  readonly closed: ReadonlySet<number>
}

type LogArgs = SettleArgs & {
  readonly buckets: readonly number[]
  readonly closed: readonly boolean[]
}

/** Everything was delivered: the cursor says so. */
function isStraight({ rows }: Claim, settlements: readonly Settlement[]): boolean {
  return (
    settlements.length === rows.length &&
    settlements.every(({ decision }) => decision.role === 'sent')
  )
}
