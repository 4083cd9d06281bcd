import { randomUUID } from 'node:crypto'
import type { Claim, ClaimKind } from './claim.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { attemptableRows, planRun, type KeyPlan } from './key-plan.ts'
import { LowWatermarks } from './low-watermarks.ts'
import { RowSource } from './row-source.ts'
import { run, type PoolHandle } from '../enqueue/pool-handle.ts'
import { settleIn, settleRoles, type SettleArgs } from './settle.ts'
import { idOf, type Settlement } from './settlement.ts'
import type { Source } from './source.ts'
import { BUCKETS } from '../sql/bucket.ts'
import { countRelays } from '../sql/relay.ts'
import type { KeyStatements } from '../outbox/statements.ts'
import type { Transaction } from '../enqueue/transaction.ts'

interface LostRun {
  bucket: number
  run_upto: string | null
  run_size: number | null
  run_key: string | null
  floor: string
}

/**
 * Claims by key: the relay leases buckets of keys, reads the head of each and settles it with one
 * write a message. A bucket has one run in flight at a time, so it is always read from its front:
 * a message that commits late with a low `seq` is found by the next read.
 */
export class KeySource implements Source {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #statements: KeyStatements
  readonly #relay: string
  readonly #rows: RowSource
  /** Idle buckets in the order they became idle, so that all get their turn. */
  readonly #idle = new Map<number, string>()
  readonly #busy = new Map<number, string>()
  readonly #watermarks = new LowWatermarks()
  #created = false
  #renewing = false
  /** Somebody looked while the buckets were out of use for a moment, and has to look again. */
  #missed = false
  /** Buckets that had something to give lately: how a batch is divided among them. */
  #active = BUCKETS
  /** The last read found more than it could take: the lanes then divide the buckets among them. */
  #crowded = false

  constructor(handle: PoolHandle, outbox: Outbox, relay: string) {
    if (!outbox.statements.byKey) throw new TypeError(`${outbox.name} has no order`)
    this.#handle = handle
    this.#outbox = outbox
    this.#statements = outbox.statements.byKey
    this.#relay = relay
    this.#rows = new RowSource(handle, outbox)
  }

  async claim(kind: ClaimKind, batch = this.#outbox.batch): Promise<Claim | undefined> {
    // What was sent has left its key's queue: sending it again is claimed like any other row.
    if (kind === 'resend') return this.#rows.claim(kind, batch)
    if (kind === 'expired') return undefined
    if (this.#renewing) this.#missed = true
    const crowded = this.#crowded
    const leases = this.#take(kind === 'batch' && crowded ? this.#outbox.lanes : 1)
    const buckets = [...leases.keys()]
    if (buckets.length === 0) return undefined
    const limit = Math.max(1, Math.ceil(batch / Math.min(this.#active, buckets.length)))
    let rows: OutboxRow[] = []
    try {
      const tokens = [...leases.values()]
      rows = await this.#read(kind, { buckets, tokens, batch, limit })
    } finally {
      const found = new Set(rows.map((row) => Number(row['bucket'])))
      for (const bucket of buckets) if (!found.has(bucket)) this.#giveBack(bucket)
    }
    const used = tally(rows)
    if (kind === 'batch') this.#watermarks.learn(buckets, rows)
    const full = rows.length >= batch || [...used.values()].some((count) => count >= limit)
    if (kind === 'batch') {
      this.#crowded = full
      if (buckets.length > 1) this.#active = Math.max(used.size, 1)
    }
    // A share of the buckets says nothing of the rest.
    if (rows.length === 0) return kind === 'batch' && crowded ? this.claim(kind, batch) : undefined
    return {
      kind,
      rows: inOrder(rows),
      token: randomUUID(),
      buckets: [...used.keys()],
      tokens: [...used.keys()].map((bucket) => leases.get(bucket) as string),
      more: kind !== 'batch' || full || crowded,
    }
  }

  #read(
    kind: ClaimKind,
    args: { buckets: number[]; tokens: string[]; batch: number; limit: number },
  ): Promise<OutboxRow[]> {
    const { db } = this.#handle
    if (kind === 'batch') {
      const floors = args.buckets.map((bucket) => this.#watermarks.of(bucket))
      return run<OutboxRow>(db, this.#statements.claimFlow, { ...args, floors })
    }
    const suspect = kind === 'suspect'
    const keys = suspect ? 1 : BUCKETS
    return run<OutboxRow>(db, this.#statements.claimHeld, { ...args, suspect, keys })
  }

  /** Marks idle buckets busy: all of them, or one of `shares`, so that the other lanes find some. */
  #take(shares: number): Map<number, string> {
    const owned = this.#idle.size + this.#busy.size
    const taken = new Map([...this.#idle].slice(0, Math.ceil(owned / shares)))
    for (const [bucket, token] of taken) {
      this.#idle.delete(bucket)
      this.#busy.set(bucket, token)
    }
    return taken
  }

  #giveBack(bucket: number): void {
    const token = this.#busy.get(bucket)
    this.#busy.delete(bucket)
    if (token !== undefined) this.#idle.set(bucket, token)
  }

  async renew(claim: Claim, ms?: number): Promise<boolean> {
    if (claim.kind === 'resend') return this.#rows.renew(claim, ms)
    const kept = await this.#renewed(claim.buckets, claim.tokens)
    return kept.size === claim.buckets.length
  }

  attemptable({ rows, kind }: Claim): readonly number[] {
    if (kind === 'resend') return rows.map((_, i) => i)
    return attemptableRows(this.#outbox, rows)
  }

  async settle(claim: Claim, settlements: readonly Settlement[]): Promise<string[]> {
    if (claim.kind === 'resend') return this.#rows.settle(claim, settlements)
    const plan = planRun(this.#outbox, claim, new Map(settlements.map((each) => [each.row, each])))
    const settled = await this.#write(claim, plan)
    this.drop(claim)
    return plan.settlements
      .map(({ row }) => idOf(this.#outbox, row))
      .filter((id) => !settled.has(id))
  }

  async #write(claim: Claim, plan: KeyPlan): Promise<Set<string>> {
    const args: SettleArgs = {
      guard: 'lease',
      buckets: claim.buckets,
      tokens: claim.tokens,
      leaseMs: this.#outbox.leaseMs,
      actor: this.#outbox.audit.actor,
      reason: undefined,
    }
    if (isPlain(plan) && !this.#outbox.audit.settled) {
      // Everything was delivered: one statement, its own transaction.
      return settleRoles(this.#handle.db, this.#outbox, { settlements: plan.settlements, args })
    }
    return this.#handle.transaction(async (tx) => {
      const ended = await run<{ bucket: number }>(tx, this.#statements.endRun, { ...args })
      const ours = new Set(ended.map(({ bucket }) => bucket))
      return this.#writePlan(tx, within(plan, ours), args)
    })
  }

  async #writePlan(tx: Transaction, plan: KeyPlan, args: SettleArgs): Promise<Set<string>> {
    const { settlements, aside, holds, frees, parks } = plan
    const statements = this.#statements
    const settled = await settleIn(tx, this.#outbox, { settlements, args })
    if (aside.length > 0) await run(tx, statements.setAside, { ids: aside.map(({ id }) => id) })
    if (holds.length > 0) {
      await run(tx, statements.holdKeys, {
        keys: holds.map((hold) => hold.key),
        buckets: holds.map((hold) => hold.bucket),
        delays: holds.map((hold) => hold.delayMs ?? null),
        tails: holds.map((hold) => hold.tail),
        heldBy: holds.map((hold) => hold.heldBy),
      })
    }
    if (parks.length > 0 && statements.parkTails) {
      await run(tx, statements.parkTails, { keys: parks.map(({ key }) => key) })
    }
    if (frees.length > 0) {
      await run(tx, statements.freeKeys, {
        keys: frees.map(({ key }) => key),
        versions: frees.map(({ version }) => version),
      })
    }
    return settled
  }

  drop({ buckets, tokens }: Claim): void {
    buckets.forEach((bucket, i) => {
      if (this.#busy.get(bucket) === tokens[i]) this.#giveBack(bucket)
    })
  }

  /** Renews the leases, takes this relay's fair share of the buckets and gives back what is over. */
  async keep(): Promise<boolean> {
    if (!this.#created) await run(this.#handle.db, this.#statements.createBuckets, {})
    this.#created = true
    await this.#renewLeases()
    const { rows } = await this.#handle.db.query<{ alive: number }>(
      countRelays(this.#outbox.name, this.#outbox.leaseMs),
    )
    const share = Math.ceil(BUCKETS / Math.max(rows[0]?.alive ?? 1, 1))
    const owned = this.#idle.size + this.#busy.size
    const over = [...this.#idle.keys()].slice(0, Math.max(owned - share, 0))
    if (over.length > 0) await this.#release(over)
    const gained = owned < share ? await this.#acquire(share - owned) : 0
    const buckets = [...this.#idle.keys(), ...this.#busy.keys()]
    if (buckets.length > 0) {
      await run(this.#handle.db, this.#statements.rescueHeld, { buckets })
      await run(this.#handle.db, this.#statements.sweepKeys, { buckets })
    }
    const missed = this.#missed
    this.#missed = false
    return gained > 0 || missed
  }

  /** Renews the leases of idle buckets; those in use are renewed with their claim. */
  async #renewLeases(): Promise<void> {
    // Taken out of use meanwhile: two statements of this relay on the same leases could deadlock.
    const leases = this.#take(1)
    this.#renewing = true
    try {
      const kept = await this.#renewed([...leases.keys()], [...leases.values()])
      for (const bucket of leases.keys()) if (!kept.has(bucket)) this.#busy.delete(bucket)
    } finally {
      this.#renewing = false
      for (const bucket of leases.keys()) this.#giveBack(bucket)
    }
  }

  async #renewed(buckets: readonly number[], tokens: readonly string[]): Promise<Set<number>> {
    if (buckets.length === 0) return new Set()
    const { leaseMs } = this.#outbox
    const args = { buckets, tokens, leaseMs }
    const rows = await run<{ bucket: number }>(this.#handle.db, this.#statements.renewBuckets, args)
    return new Set(rows.map(({ bucket }) => bucket))
  }

  async #acquire(want: number): Promise<number> {
    const token = randomUUID()
    const { leaseMs } = this.#outbox
    const taken = await this.#handle.transaction(async (tx) => {
      const args = { want, token, relay: this.#relay, leaseMs }
      const rows = await run<LostRun>(tx, this.#statements.acquireBuckets, args)
      const lost = rows.filter((row) => row.run_size !== null)
      if (lost.length > 0) {
        await run(tx, this.#statements.suspectRun, {
          buckets: lost.map((row) => row.bucket),
          uptos: lost.map((row) => row.run_upto),
          sizes: lost.map((row) => row.run_size),
          keys: lost.map((row) => row.run_key),
        })
      }
      return rows
    })
    for (const { bucket, floor } of taken) {
      this.#idle.set(bucket, token)
      this.#watermarks.begin(bucket, Number(floor))
    }
    return taken.length
  }

  async #release(buckets: readonly number[]): Promise<void> {
    const tokens = buckets.map((bucket) => this.#idle.get(bucket))
    for (const bucket of buckets) this.#idle.delete(bucket)
    await run(this.#handle.db, this.#statements.releaseBuckets, { buckets, tokens })
  }

  async nextDueMs(): Promise<number | undefined> {
    const buckets = [...this.#idle.keys(), ...this.#busy.keys()]
    const { nextDue } = this.#outbox.statements
    const rows = await run<{ ms: string | null }>(this.#handle.db, nextDue, { buckets })
    return rows[0]?.ms == null ? undefined : Number(rows[0].ms)
  }

  async close(): Promise<void> {
    await this.#release([...this.#idle.keys()])
  }
}

/** Order only matters within a bucket, and there the index gave it; a sort costs little then. */
function inOrder(rows: OutboxRow[]): OutboxRow[] {
  return rows.sort((a, b) => Number(a['seq']) - Number(b['seq']))
}

/** How many rows came from each bucket. */
function tally(rows: readonly OutboxRow[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const row of rows) {
    const bucket = Number(row['bucket'])
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return counts
}

/** A key is in one bucket, so what a plan says of the buckets that are still ours holds by itself. */
function within(plan: KeyPlan, ours: ReadonlySet<number>): KeyPlan {
  const inOurs = ({ bucket }: { bucket: number }) => ours.has(bucket)
  return {
    settlements: plan.settlements.filter(({ row }) => ours.has(Number(row['bucket']))),
    aside: plan.aside.filter(inOurs),
    holds: plan.holds.filter(inOurs),
    frees: plan.frees.filter(inOurs),
    parks: plan.parks.filter(inOurs),
  }
}

function isPlain({ aside, holds, frees, parks, settlements }: KeyPlan): boolean {
  const quiet = aside.length + holds.length + frees.length + parks.length === 0
  return (
    quiet && settlements.length > 0 && settlements.every(({ decision }) => decision.role === 'sent')
  )
}
