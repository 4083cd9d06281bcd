import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { PoolHandle } from '../../database/pool-handle.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { Claim, Lease } from '../settle/claim.ts'
import { keyOf, splitByKey, within, type KeyPlan } from '../settle/key-plan.ts'
import { LateSettlements } from '../settle/late-settlements.ts'
import { findLocked, settleIn, type SettleArgs } from '../settle/settle.ts'
import { idOf } from '../settle/settlement.ts'
import type { BucketLeases } from './bucket-leases.ts'
import type { HeldKeys } from './held-keys.ts'

/** A plan for keys of one bucket, with all that was read of them. */
interface LateRun {
  readonly lease: Lease
  readonly rows: readonly OutboxRow[]
  readonly plan: KeyPlan
}

export interface LateKeysOptions {
  readonly handle: PoolHandle
  readonly outbox: Outbox
  readonly leases: BucketLeases
  readonly held: HeldKeys
}

/**
 * Keys that another transaction has locked, or a row of them: what became of their messages is written once that is
 * over, and nothing more of them is read meanwhile.
 */
export class LateKeys {
  readonly #options: LateKeysOptions
  readonly #late = new LateSettlements<LateRun>((late) => this.#settleFree(late))

  constructor(options: LateKeysOptions) {
    this.#options = options
  }

  get keys(): string[] {
    const { outbox } = this.#options
    const rows = this.#late.waiting.flatMap((late) => late.rows)
    return [...new Set(rows.map((row) => keyOf(outbox, row)))]
  }

  get buckets(): ReadonlySet<number> {
    return new Set(this.#late.waiting.map(({ lease }) => lease.bucket))
  }

  /** What of a plan whose runs are `ended` is for keys that are locked, and which rows are theirs. */
  async divide(
    tx: Transaction,
    { rows, leases }: Claim,
    { plan, ended }: { plan: KeyPlan; ended: ReadonlySet<number> },
  ) {
    const { outbox, held } = this.#options
    const ours = rows.filter((row) => ended.has(Number(row['bucket'])))
    const ids = await findLocked(tx, outbox, ours)
    const locked = ours.filter((row) => ids.has(idOf(outbox, row)))
    const keys = await held.findLocked(tx, plan)
    for (const row of locked) keys.add(keyOf(outbox, row))
    const isLate = (row: OutboxRow) => keys.has(keyOf(outbox, row))
    const { mine } = splitByKey(outbox, plan, keys)
    const byBucket = Map.groupBy(ours.filter(isLate), (row) => Number(row['bucket']))
    const late = leases.flatMap((lease): LateRun[] => {
      const inBucket = byBucket.get(lease.bucket)
      if (!inBucket) return []
      return [{ lease, rows: inBucket, plan: within(mine, new Set([lease.bucket])) }]
    })
    return { late, isLate }
  }

  add(late: readonly LateRun[]): void {
    for (const each of late) this.#late.add(each)
  }

  owedMs(): number | undefined {
    return this.#late.owedMs()
  }

  async settle(options?: { isLast: boolean }): Promise<void> {
    await this.#late.settle(options)
  }

  /** Settles under the lease that the run was read under; what was lost with it is read again. */
  async #settleFree(late: LateRun): Promise<LateRun | undefined> {
    const { handle, outbox, leases, held } = this.#options
    const { lease, rows, plan } = late
    if (!leases.has(lease.bucket, lease.token)) return undefined
    const isDone = await handle.transaction(async (tx) => {
      const kept = await leases.lockIn(tx, [lease])
      // A claim has the bucket in hand at this moment.
      if (!kept.has(lease.bucket)) return false
      if ((await findLocked(tx, outbox, rows)).size > 0) return false
      if ((await held.findLocked(tx, plan)).size > 0) return false
      const args: SettleArgs = { ...leaseArgs(outbox, [lease]), guard: 'ended' }
      const { settlements } = plan
      await settleIn(tx, outbox, { settlements, args: { ...args, ended: [lease.bucket] } })
      await held.write(tx, plan)
      return true
    })
    return isDone ? undefined : late
  }
}

/** What settling by key needs to know of the leases. */
export function leaseArgs({ audit }: Outbox, leases: readonly Lease[]): SettleArgs {
  return {
    guard: 'lease',
    buckets: leases.map(({ bucket }) => bucket),
    tokens: leases.map(({ token }) => token),
    runs: leases.map((lease) => lease.run),
    actor: audit.actor,
    reason: undefined,
  }
}
