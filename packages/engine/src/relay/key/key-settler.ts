import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { inSavepoint } from '../../database/savepoint.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { Claim } from '../settle/claim.ts'
import { keyOf, within, type KeyPlan } from '../settle/key-plan.ts'
import { isLocked, settleIn, settleRoles, type SettleArgs } from '../settle/settle.ts'
import {
  isServersFault,
  settleApart,
  UNSETTLED_DELAY_MS,
  type Unsettled,
} from '../settle/settle-apart.ts'
import { idOf, unsettledSettlement, type Settlement } from '../settle/settlement.ts'
import type { SettledApart, SettlePart } from '../settle/source.ts'
import { leaseStatements } from '../settle/bucket.sql.ts'
import { settleStatements } from '../settle/settle.sql.ts'
import type { BucketLeases } from './bucket-leases.ts'
import { BusyKeys, planPart, type Part } from './busy-keys.ts'
import type { HeldKeys } from './held-keys.ts'
import { LateKeys, leaseArgs } from './late-keys.ts'

/** Buckets whose run is ended now, and those where it was before, by a commit whose answer got lost. */
interface EndedRuns {
  readonly ended: ReadonlySet<number>
  readonly before: ReadonlySet<number>
}

/** Ends the runs of a claim, or sees that they are still ours. */
type EndRuns = (tx: Transaction) => Promise<EndedRuns>

export interface KeySettlerOptions {
  readonly handle: PoolHandle
  readonly outbox: Outbox
  readonly leases: BucketLeases
  readonly held: HeldKeys
}

/** Settles claims by key: whole runs, and what is slow or locked after its run has ended. */
export class KeySettler {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #statements: ReturnType<typeof leaseStatements>
  readonly #leases: BucketLeases
  readonly #held: HeldKeys
  /** Claims whose settling was begun before: its answer may have got lost. */
  readonly #tried = new WeakSet<Claim>()
  /** Keys of which another transaction has locked a row. */
  readonly #late: LateKeys
  readonly busy: BusyKeys
  readonly #settledParts = new WeakSet<Settlement>()

  constructor({ handle, outbox, leases, held }: KeySettlerOptions) {
    this.#handle = handle
    this.#outbox = outbox
    this.#statements = leaseStatements(outbox)
    this.#leases = leases
    this.#held = held
    this.busy = new BusyKeys(outbox)
    this.#late = new LateKeys({ handle, outbox, leases, held })
  }

  /** Keys of which nothing is read now: a row is locked, or a message is slow. */
  get keys(): string[] {
    return [...this.#late.keys, ...this.busy.keys]
  }

  /** The buckets of these keys. */
  get buckets(): ReadonlySet<number> {
    return new Set([...this.#late.buckets, ...this.busy.buckets])
  }

  /** Buckets with slow messages. */
  get busyBuckets(): ReadonlySet<number> {
    return this.busy.buckets
  }

  owedMs(): number | undefined {
    return this.#late.owedMs()
  }

  async settleLate(options?: { isLast: boolean }): Promise<void> {
    await this.#late.settle(options)
  }

  /** Whether the relay has what is in hand of a claim, as far as it knows. */
  hasKept(claim: Claim): boolean {
    const buckets = new Set(this.busy.rowsOf(claim).map((row) => Number(row['bucket'])))
    const isOpen = (bucket: number) => !this.busy.isSplit(claim) || buckets.has(bucket)
    const leases = claim.leases.filter(({ bucket }) => isOpen(bucket))
    return leases.every(({ bucket, token }) => this.#leases.has(bucket, token))
  }

  async settle(
    claim: Claim,
    settlements: readonly Settlement[],
    { open = [], isApart = false }: SettlePart,
  ): Promise<SettledApart> {
    if (this.busy.isSplit(claim)) return this.#settleBusy(claim, { settlements, open })
    this.busy.set(claim, open)
    const end = (tx: Transaction) => this.#endRun(tx, claim)
    const done = await (isApart
      ? this.#writeApart(claim, { settlements, open }, end)
      : this.#write(claim, { settlements, open }, end))
    this.busy.split(claim)
    this.#giveBack(claim)
    return done
  }

  /**
   * Settles slow messages of runs that have ended, in buckets that no claim has in hand. Those of a bucket that
   * the relay has lost are lost with it.
   */
  async #settleBusy(claim: Claim, { settlements, open }: Part): Promise<SettledApart> {
    const lost: string[] = []
    const unsettled: Unsettled[] = []
    for (;;) {
      const rest = settlements.filter((each) => !this.#settledParts.has(each))
      const buckets = new Set(rest.map(({ row }) => Number(row['bucket'])))
      const leases = claim.leases.filter(({ bucket }) => buckets.has(bucket))
      if (leases.length === 0) break
      const { taken, gone } = this.#leases.takeThese(leases)
      const inHand = new Set(taken.map(({ bucket }) => bucket))
      const mine = rest.filter(({ row }) => inHand.has(Number(row['bucket'])))
      const past = rest.filter(({ row }) => gone.has(Number(row['bucket'])))
      try {
        if (mine.length > 0) {
          const part = { ...claim, leases: taken, rows: this.#endedRows(claim, mine, open) }
          const end = async (tx: Transaction) => ({
            ended: await this.#leases.lockIn(tx, taken),
            before: new Set<number>(),
          })
          const done = await this.#write(part, { settlements: mine, open }, end)
          lost.push(...done.lost)
          unsettled.push(...done.unsettled)
        }
      } finally {
        this.#giveBack({ ...claim, leases: taken })
      }
      lost.push(...past.map(({ row }) => idOf(this.#outbox, row)))
      for (const each of [...mine, ...past]) this.#settledParts.add(each)
      if (mine.length + past.length < rest.length && mine.length === 0) await this.#leases.change()
    }
    this.busy.set(claim, open)
    return { lost, unsettled }
  }

  /** The rows of keys that were settled now, without those that are still being delivered. */
  #endedRows(
    claim: Claim,
    settlements: readonly Settlement[],
    open: readonly OutboxRow[],
  ): OutboxRow[] {
    const keys = new Set(settlements.map(({ row }) => keyOf(this.#outbox, row)))
    const isOpen = new Set(open)
    const rows = this.busy.rowsOf(claim)
    return rows.filter((row) => !isOpen.has(row) && keys.has(keyOf(this.#outbox, row)))
  }

  /** All at once; apart where a row is locked, or a message that was slow cannot be settled. */
  async #write(claim: Claim, part: Part, end: EndRuns): Promise<SettledApart> {
    const plan = planPart(this.#outbox, claim, part)
    const isFirst = !this.#tried.has(claim)
    this.#tried.add(claim)
    const isSplit = this.busy.isSplit(claim)
    const isQuick = isFirst && !isSplit && isPlain(plan) && !this.busy.noteFor(claim.leases)
    try {
      const settled =
        isQuick && !this.#outbox.audit.settled
          ? // Everything was delivered: one statement, its own transaction.
            await settleRoles(this.#handle.db, this.#outbox, { ...plan, args: this.#args(claim) })
          : await this.#handle.transaction(async (tx) => {
              const { ended, before } = await end(tx)
              const ours = within(plan, ended)
              const args: SettleArgs = { ...this.#args(claim), guard: 'ended', ended: [...ended] }
              const now = await settleIn(tx, this.#outbox, { ...ours, args })
              await this.#held.writeSoon(tx, ours)
              return addSettledBefore(this.#outbox, within(plan, before), now)
            })
      const ids = plan.settlements.map(({ row }) => idOf(this.#outbox, row))
      return { lost: ids.filter((id) => !settled.has(id)), unsettled: [] }
    } catch (error) {
      if (!isLocked(error) && (!isSplit || isServersFault(error))) throw error
    }
    return this.#writeApart(claim, part, end)
  }

  /** The same, each message if it can be; keys of which another transaction has locked a row are kept for later. */
  async #writeApart(
    claim: Claim,
    { settlements, open }: Part,
    end: EndRuns,
  ): Promise<SettledApart> {
    const done = await this.#handle.transaction(async (tx) => {
      const runs = await end(tx)
      const { ended } = runs
      const plan = within(planPart(this.#outbox, claim, { settlements, open }), ended)
      const { late, isLate } = await this.#late.divide(tx, claim, { plan, ended })
      const rest = { ...claim, rows: claim.rows.filter((row) => !isLate(row)) }
      const others = settlements.filter(({ row }) => !isLate(row))
      const planOf = (known: readonly Settlement[]) =>
        planPart(this.#outbox, rest, { settlements: known, open })
      return {
        ...(await this.writeApart(tx, rest, { settlements: others, planOf, ...runs })),
        late,
      }
    })
    this.#late.add(done.late)
    return done
  }

  /** Which runs are ended now, and which were before, by a commit whose answer got lost. */
  async #endRun(tx: Transaction, claim: Claim): Promise<EndedRuns> {
    const args = this.#args(claim)
    const note = this.busy.noteFor(claim.leases)
    const { endRun, endRunExcept } = this.#statements
    const now = await run<{ bucket: number }>(tx, note ? endRunExcept : endRun, {
      ...args,
      ...note,
    })
    const ended = new Set(now.map(({ bucket }) => bucket))
    if (ended.size === args.buckets?.length) return { ended, before: new Set<number>() }
    const all = await run<{ bucket: number }>(tx, this.#statements.endedRuns, { ...args })
    const before = all.map(({ bucket }) => bucket).filter((bucket) => !ended.has(bucket))
    return { ended, before: new Set(before) }
  }

  /** Behind the end of its run. What cannot be settled waits for a claim of its own, and its key with it. */
  async writeApart(
    tx: Transaction,
    claim: Claim,
    {
      settlements,
      ended,
      before,
      planOf,
    }: EndedRuns & {
      settlements: readonly Settlement[]
      planOf: (settlements: readonly Settlement[]) => KeyPlan
    },
  ): Promise<SettledApart> {
    const ending: SettleArgs = { ...this.#args(claim), guard: 'ended', ended: [...ended] }
    const unsettled: Unsettled[] = []
    for (;;) {
      const replaced = new Map(unsettled.map(({ settlement }) => [settlement.row, settlement]))
      const known = settlements.map((each) =>
        replaced.has(each.row) ? unsettledSettlement(each, UNSETTLED_DELAY_MS) : each,
      )
      const whole = planOf(known)
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
      await this.#held.write(tx, plan)
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

  drop(claim: Claim): void {
    const { leases } = claim
    const isSplit = this.busy.isSplit(claim)
    this.busy.set(claim, [])
    // Its messages are read again; its buckets may be in another claim's hand.
    if (isSplit) return
    for (const { bucket, token } of leases) this.#leases.abandon(bucket, token)
  }
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
