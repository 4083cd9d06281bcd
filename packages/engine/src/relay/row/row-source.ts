import { randomUUID } from 'node:crypto'
import { auditApart } from './claim-audit.ts'
import { BacklogPlan } from './backlog-plan.ts'
import { SUSPECT_GROUP, type Claim, type ClaimKind } from './claim.ts'
import { DueFloor, type Floor } from './due-floor.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { run, type PoolHandle } from '../enqueue/pool-handle.ts'
import { claimArgs, settleClaim } from './settle.ts'
import { holdKeysOfDead } from './held-keys.ts'
import { isServersFault, settleApart, UNSETTLED_DELAY_MS } from './settle-apart.ts'
import { idOf, type Settlement } from './settlement.ts'
import type { SettledApart, Source } from './source.ts'
import type { Prepared } from '../sql/prepared.ts'
import { silentLog, type Log } from '../log.ts'
import { LOST_CLAIMS_LIMIT } from '../outbox/retry.ts'
import type { Transaction } from '../enqueue/transaction.ts'

export interface RowSourceOptions {
  /** With a limit for each key: those that have no room now. */
  readonly full?: ReadonlyMap<string, unknown>
  readonly log?: Log
}

/** Claims by row: any number of relays, batches, no order. */
export class RowSource implements Source {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #log: Log
  /** With a limit for each key: those that have no room now. */
  readonly #full: ReadonlyMap<string, unknown>
  /** With fair shares: the key that the next claim begins behind. */
  #after: string | null = null
  readonly #plan = new BacklogPlan()
  readonly #floor: DueFloor

  constructor(
    handle: PoolHandle,
    outbox: Outbox,
    { full = new Map(), log = silentLog }: RowSourceOptions = {},
  ) {
    this.#handle = handle
    this.#full = full
    this.#log = log
    this.#outbox = outbox
    this.#floor = new DueFloor(outbox.columns.idType)
  }

  async claim(kind: ClaimKind, batch = this.#outbox.batch): Promise<Claim | undefined> {
    const statement = this.#statement(kind)
    if (!statement) return undefined
    const token = randomUUID()
    const floor = this.#floor.next()
    const { leaseMs } = this.#outbox
    const full = [...this.#full.keys()]
    const group = Math.min(batch, SUSPECT_GROUP)
    const args = { token, batch, group, leaseMs, after: this.#after, full, ...floor }
    const began = performance.now()
    const taken = await this.#take(statement, args)
    // With fair shares a claim may leave due messages behind: only an empty one says that there are none.
    const isFull = taken.length >= (this.#outbox.fair ? 1 : batch)
    if (kind === 'batch') {
      this.#learn(floor, { rows: taken, isFull, ms: performance.now() - began })
      // Below the floor there may be more.
      if (taken.length === 0 && this.#isBelowNext(floor)) return this.claim(kind, batch)
    }
    const rows = taken.filter((row) => row['claim_lost'] !== true)
    const released = taken.length > rows.length
    if (rows.length === 0 && !released) return undefined
    // What was only released is next claimed alone: a full batch of it is no reason to stop.
    const goesOn = isFull || (kind === 'batch' && this.#isBelowNext(floor))
    const more = released || kind === 'suspect' || goesOn
    return { kind, rows: inOrder(this.#outbox, rows), token, leases: [], more }
  }

  /** Whether a claim that began at a floor is to be followed by one from the front. */
  #isBelowNext(floor: Floor): boolean {
    return !this.#floor.isFront(floor) && this.#floor.isFront(this.#floor.next())
  }

  #learn(from: Floor, claimed: { rows: OutboxRow[]; isFull: boolean; ms: number }): void {
    this.#after = lastKey(this.#outbox, claimed.rows) ?? this.#after
    this.#plan.learn(claimed.rows.length)
    this.#floor.learn(from, claimed)
  }

  #statement(kind: ClaimKind): Prepared | undefined {
    const { byRow, claimUnconfirmed } = this.#outbox.statements
    switch (kind) {
      case 'batch':
        return this.#plan.of(byRow.claimBatch)
      case 'suspect':
        return byRow.claimSuspect
      case 'expired':
        return byRow.takeExpired
      case 'resend':
        return claimUnconfirmed
      case 'held':
        return undefined
    }
  }

  async #take(statement: Prepared, args: Record<string, unknown>): Promise<OutboxRow[]> {
    const { audit } = this.#outbox
    if (!audit.claimed) return run<OutboxRow>(this.#handle.db, statement, args)
    try {
      return await this.#handle.transaction(async (tx) => {
        const rows = await run<OutboxRow>(tx, statement, args)
        const claimed = rows.filter((row) => row['claim_lost'] === false)
        if (claimed.length > 0) await audit.claimed?.(tx, claimed)
        return rows
      })
    } catch (error) {
      if (isServersFault(error)) throw error
      return this.#takeApart(statement, args)
    }
  }

  /** Without the messages that the definition's audit fails on: each of them is next claimed alone. */
  async #takeApart(statement: Prepared, args: Record<string, unknown>): Promise<OutboxRow[]> {
    const { name, statements } = this.#outbox
    return this.#handle.transaction(async (tx) => {
      const rows = await run<OutboxRow>(tx, statement, args)
      const claimed = rows.filter((row) => row['claim_lost'] === false)
      const failed = (await auditApart(tx, this.#outbox, claimed)).filter(
        // What ends after too many times ends without the audit that may be the reason.
        ({ row }) => Number(row['lost_claims']) <= LOST_CLAIMS_LIMIT,
      )
      const ids = failed.map(({ row }) => idOf(this.#outbox, row))
      const marked = { ids, token: args['token'], delayMs: UNSETTLED_DELAY_MS }
      if (ids.length > 0) await run(tx, statements.markSuspects, marked)
      for (const { row, error } of failed) {
        this.#log.error(
          { outbox: name, id: idOf(this.#outbox, row), err: error },
          'claim refused by the audit; trying the message alone',
        )
      }
      const aside = new Set(failed.map(({ row }) => row))
      return rows.map((row) => (aside.has(row) ? { ...row, claim_lost: true } : row))
    })
  }

  async renew({ rows, token }: Claim, leaseMs = this.#outbox.leaseMs): Promise<boolean> {
    const ids = rows.map((row) => idOf(this.#outbox, row))
    const { statements } = this.#outbox
    const kept = await run(this.#handle.db, statements.renewClaim, { ids, token, leaseMs })
    return kept.length > 0
  }

  attemptable({ rows }: Claim): readonly number[] {
    return rows.map((_, i) => i)
  }

  async settle(claim: Claim, settlements: readonly Settlement[]): Promise<string[]> {
    const settled = await settleClaim(this.#handle, this.#outbox, { claim, settlements })
    return settlements.map(({ row }) => idOf(this.#outbox, row)).filter((id) => !settled.has(id))
  }

  async settleApart(claim: Claim, settlements: readonly Settlement[]): Promise<SettledApart> {
    const args = claimArgs(this.#outbox, claim)
    return this.#handle.transaction(async (tx) => {
      const done = await settleApart(tx, this.#outbox, { settlements, args })
      const ids = done.unsettled.map(({ settlement }) => idOf(this.#outbox, settlement.row))
      await this.#markUnsettled(tx, claim, ids)
      await holdKeysOfDead(tx, this.#outbox, { settlements, settled: done.settled })
      const lost = settlements
        .map(({ row }) => idOf(this.#outbox, row))
        .filter((id) => !done.settled.has(id) && !ids.includes(id))
      return { lost, unsettled: done.unsettled }
    })
  }

  /** What was sent and is sent again stays under its claim until that runs out; the rest is claimed alone. */
  async #markUnsettled(tx: Transaction, claim: Claim, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { countUnsettled, markSuspects } = this.#outbox.statements
    const statement = claim.kind === 'resend' ? countUnsettled : markSuspects
    if (!statement) return
    await run(tx, statement, { ids, token: claim.token, delayMs: UNSETTLED_DELAY_MS })
  }

  drop(): void {
    // The lease on the rows runs out by itself.
  }

  async maintain(): Promise<boolean> {
    return false
  }

  owedMs(): number | undefined {
    return this.#floor.owedMs()
  }

  lookAtAll(): void {
    this.#floor.reset()
  }

  async nextDueMs(sinceMs: number): Promise<number | undefined> {
    const rows = await run<{ ms: string | null }>(
      this.#handle.db,
      this.#outbox.statements.nextDue,
      { sinceMs },
    )
    return rows[0]?.ms == null ? undefined : Number(rows[0].ms)
  }

  async close(): Promise<void> {
    // Each claim has been settled by its lane, or its lease runs out.
  }
}

/**
 * The last key that was served in its share; undefined if none was. Which one is last may differ from
 * the database's order: the next claim begins behind one of those served at any rate.
 */
function lastKey({ fair }: Outbox, rows: readonly OutboxRow[]): string | undefined {
  if (!fair) return undefined
  const keys = rows.map((row) => String(row[fair.by]))
  return keys
    .filter((key) => fair.first === undefined || !key.startsWith(fair.first))
    .sort()
    .at(-1)
}

/** `returning` promises no order; people expect the most urgent and then the oldest first. */
function inOrder({ columns }: Outbox, rows: readonly OutboxRow[]): OutboxRow[] {
  return rows
    .map((row) => ({
      row,
      rank: columns.priority ? Number(row[columns.priority]) : 0,
      due: Number(row[columns.dueAt]),
      id: String(row[columns.id]),
    }))
    .sort((a, b) => a.rank - b.rank || a.due - b.due || (a.id < b.id ? -1 : 1))
    .map(({ row }) => row)
}
