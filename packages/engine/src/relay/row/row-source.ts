import { randomUUID } from 'node:crypto'
import { BacklogPlan } from './backlog-plan.ts'
import { SUSPECT_GROUP, type Claim, type ClaimKind } from '../settle/claim.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import { rowStatements } from './claim.sql.ts'
import { settleStatements } from '../settle/settle.sql.ts'
import { claimArgs, findLocked, holdKeysOfDead, isLocked, settleClaim } from '../settle/settle.ts'
import { LateSettlements } from '../settle/late-settlements.ts'
import { isServersFault, settleApart, UNSETTLED_DELAY_MS } from '../settle/settle-apart.ts'
import { idOf, type Settlement } from '../settle/settlement.ts'
import type { SettledApart, SettlePart, Source } from '../settle/source.ts'
import type { Prepared } from '../../database/prepared.ts'
import { silentLog, type Log } from '../../log.ts'
import { LOST_CLAIMS_LIMIT } from '../../outbox/retry.ts'
import { inSavepoint } from '../../database/savepoint.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { IdType } from '../../database/cursor.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'

export interface RowSourceOptions {
  readonly log?: Log
}

/** Settlements of a claim whose rows another transaction has locked. */
interface Late {
  readonly claim: Claim
  readonly settlements: readonly Settlement[]
}

interface Look {
  readonly key: string
  readonly wanted: number
}

/** Claims by row: any number of relays, batches, no order. */
export class RowSource implements Source {
  readonly #handle: PoolHandle
  readonly #outbox: Outbox
  readonly #log: Log
  /** With fair shares: the key that the next claim begins behind. */
  #after: string | null = null
  readonly #plan = new BacklogPlan()
  readonly #late = new LateSettlements<Late>((late) => this.#settleFree(late))
  readonly #floor: DueFloor

  constructor(handle: PoolHandle, outbox: Outbox, { log = silentLog }: RowSourceOptions = {}) {
    this.#handle = handle
    this.#log = log
    this.#outbox = outbox
    this.#floor = new DueFloor(outbox.columns.idType)
  }

  /** With a limit for each key: how many messages of each a claim would take, without the `full` ones. */
  async look(batch: number, full: readonly string[]): Promise<Map<string, number>> {
    const { look } = rowStatements(this.#outbox)
    const args = { batch, after: this.#after, full }
    const rows = look ? await run<Look>(this.#handle.db, look, args) : []
    return new Map(rows.map(({ key, wanted }) => [key, wanted]))
  }

  async claim(
    kind: ClaimKind,
    batch = this.#outbox.batch,
    fullKeys: readonly string[] = [],
  ): Promise<Claim | undefined> {
    return this.#claim(kind, { batch, full: fullKeys })
  }

  /** With a limit for each key: a batch of no more than was `granted` of each. */
  async claimGranted(
    batch: number,
    granted: ReadonlyMap<string, number>,
  ): Promise<Claim | undefined> {
    const [keys, counts] = [[...granted.keys()], [...granted.values()]]
    return this.#claim('batch', { batch, keys, counts })
  }

  async #claim(
    kind: ClaimKind,
    asked: { batch: number; full?: readonly string[]; keys?: string[]; counts?: number[] },
  ): Promise<Claim | undefined> {
    const { batch } = asked
    // What was unlocked after the end of its lease would be taken for lost.
    await this.#late.settle({ isNow: true })
    const statement = this.#statement(kind)
    if (!statement) return undefined
    const token = randomUUID()
    const floor = this.#floor.next()
    const { leaseMs } = this.#outbox
    const group = Math.min(batch, SUSPECT_GROUP)
    const args = { token, ...asked, group, leaseMs, after: this.#after, ...floor }
    const began = performance.now()
    const taken = await this.#take(statement, args)
    // With fair shares a claim may leave due messages behind: only an empty one says that there are none.
    const isFull = taken.length >= (this.#outbox.fair ? 1 : batch)
    if (kind === 'batch') {
      this.#learn(floor, { rows: taken, isFull, ms: performance.now() - began })
      // Below the floor there may be more.
      if (taken.length === 0 && this.#isBelowNext(floor)) return this.#claim(kind, asked)
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
    const statements = rowStatements(this.#outbox)
    switch (kind) {
      case 'batch':
        return this.#plan.of(statements.claimBatch)
      case 'suspect':
        return statements.claimSuspect
      case 'expired':
        return statements.takeExpired
      case 'resend':
        return statements.claimUnconfirmed
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
    const { name } = this.#outbox
    const { markSuspects } = settleStatements(this.#outbox)
    return this.#handle.transaction(async (tx) => {
      const rows = await run<OutboxRow>(tx, statement, args)
      const claimed = rows.filter((row) => row['claim_lost'] === false)
      const failed = (await auditApart(tx, this.#outbox, claimed)).filter(
        // What ends after too many times ends without the audit that may be the reason.
        ({ row }) => Number(row['lost_claims']) <= LOST_CLAIMS_LIMIT,
      )
      const ids = failed.map(({ row }) => idOf(this.#outbox, row))
      const marked = { ids, token: args['token'], delayMs: UNSETTLED_DELAY_MS }
      if (ids.length > 0) await run(tx, markSuspects, marked)
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
    const { renewClaim } = rowStatements(this.#outbox)
    const kept = await run(this.#handle.db, renewClaim, { ids, token, leaseMs })
    return kept.length > 0
  }

  async settle(
    claim: Claim,
    settlements: readonly Settlement[],
    { isApart = false }: SettlePart = {},
  ): Promise<SettledApart> {
    if (settlements.length === 0) return { lost: [], unsettled: [] }
    try {
      if (!isApart) {
        const settled = await settleClaim(this.#handle, this.#outbox, { claim, settlements })
        const ids = settlements.map(({ row }) => idOf(this.#outbox, row))
        return { lost: ids.filter((id) => !settled.has(id)), unsettled: [] }
      }
    } catch (error) {
      if (!isLocked(error)) throw error
    }
    const done = await this.#settleApart({ claim, settlements })
    if (done.locked.length > 0) this.#late.add({ claim, settlements: done.locked })
    return done
  }

  /** Settles what is no longer locked; returns what still is. */
  async #settleFree(late: Late): Promise<Late | undefined> {
    const { locked } = await this.#settleApart(late)
    return locked.length === 0 ? undefined : { ...late, settlements: locked }
  }

  async settleLate(): Promise<void> {
    await this.#late.settle()
  }

  /** Settles what can be and no other transaction has locked. */
  async #settleApart({
    claim,
    settlements: all,
  }: Late): Promise<SettledApart & { locked: Settlement[] }> {
    return this.#handle.transaction(async (tx) => {
      const rows = all.map(({ row }) => row)
      const ids = await findLocked(tx, this.#outbox, rows)
      const isFree = ({ row }: Settlement) => !ids.has(idOf(this.#outbox, row))
      const settlements = all.filter(isFree)
      const args = claimArgs(this.#outbox, claim)
      const { settled, unsettled } = await settleApart(tx, this.#outbox, { settlements, args })
      const left = unsettled.map(({ settlement }) => idOf(this.#outbox, settlement.row))
      await this.#markUnsettled(tx, claim, left)
      await holdKeysOfDead(tx, this.#outbox, { settlements, settled })
      const lost = settlements
        .map(({ row }) => idOf(this.#outbox, row))
        .filter((id) => !settled.has(id) && !left.includes(id))
      return { lost, unsettled, locked: all.filter((each) => !isFree(each)) }
    })
  }

  /** What was sent and is sent again stays under its claim until that runs out; the rest is claimed alone. */
  async #markUnsettled(tx: Transaction, claim: Claim, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { countUnsettled, markSuspects } = settleStatements(this.#outbox)
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
    const late = this.#late.owedMs() ?? Infinity
    const owed = Math.min(this.#floor.owedMs() ?? Infinity, late)
    return owed === Infinity ? undefined : owed
  }

  lookAtAll(): void {
    this.#floor.reset()
  }

  async nextDueMs(sinceMs: number): Promise<number | undefined> {
    const { nextDue } = rowStatements(this.#outbox)
    const rows = await run<{ ms: string | null }>(this.#handle.db, nextDue, { sinceMs })
    return rows[0]?.ms == null ? undefined : Number(rows[0].ms)
  }

  async close(): Promise<void> {
    // Each claim has been settled, or its lease runs out.
    await this.#late.settle({ isLast: true })
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

/** A message that the definition's `audit.claimed` fails on. */
interface Unaudited {
  readonly row: OutboxRow
  readonly error: unknown
}

/**
 * Tells the definition's audit of claimed messages; where it fails it is told of each half, down to the
 * single message. Returns those that it fails on. Throws where the fault is the server's.
 */
async function auditApart(
  tx: Transaction,
  outbox: Outbox,
  claimed: readonly OutboxRow[],
): Promise<Unaudited[]> {
  if (claimed.length === 0) return []
  try {
    await inSavepoint(tx, async () => outbox.audit.claimed?.(tx, claimed))
    return []
  } catch (error) {
    if (isServersFault(error)) throw error
    const [row, ...others] = claimed
    if (row && others.length === 0) return [{ row, error }]
    const half = Math.ceil(claimed.length / 2)
    return [
      ...(await auditApart(tx, outbox, claimed.slice(0, half))),
      ...(await auditApart(tx, outbox, claimed.slice(half))),
    ]
  }
}

/** In a backlog, a claim begins at the very front at least this often, */
const FRONT_MS = 1_000
/** unless such claims are slow themselves: they get one part in so many of the time. */
const FRONT_SHARE = 10

/** A claim from the front that took longer, although it was not full, has walked over much that is settled. */
const SLOW_MS = 5
/** How much later than due a message may commit and is still found by claims that do not begin at the front. */
const LATE_MS = 1_000

const LOWEST: Record<IdType, string> = {
  uuid: '00000000-0000-0000-0000-000000000000',
  bigint: '-9223372036854775808',
  text: '',
}

/** A place in the order of due time and id, and how far before it a claim begins. */
interface Floor {
  readonly floorDue: string
  readonly floorId: string
  readonly floorLateMs: number
}

/**
 * Where a claim by row begins. The index keeps the entries of settled messages until a vacuum comes, and a
 * transaction held open elsewhere keeps vacuum away: every claim would walk over all of them again. So in a
 * backlog a claim goes on where the last full one ended. In a flow, where messages come one by one, claims
 * begin a second before the last one's due time as long as those from the front are slow.
 *
 * That hides nothing for long: what commits late, is dated back or comes back below the floor is found by a
 * claim from the front. In a backlog it comes every second, and whenever a claim is not full; in a flow it is
 * owed, and comes after ten times as long as the last one took.
 */
export class DueFloor {
  readonly #front: Floor
  readonly #now: () => number
  #floor: Floor | undefined
  #frontAt = 0
  /** Since when a look at the front is owed. */
  #owedSince: number | undefined

  constructor(idType: IdType, now: () => number = () => performance.now()) {
    this.#front = { floorDue: '-infinity', floorId: LOWEST[idType], floorLateMs: 0 }
    this.#now = now
  }

  /** Where the next claim begins. */
  next(): Floor {
    return this.#floor !== undefined && this.#now() < this.#frontAt ? this.#floor : this.#front
  }

  isFront(floor: Floor): boolean {
    return floor === this.#front
  }

  /** Milliseconds until a claim from the front has to be made, even if nothing rings. */
  owedMs(): number | undefined {
    if (this.#owedSince === undefined) return undefined
    return Math.max(this.#frontAt - this.#now(), 0)
  }

  /** The next claim begins at the front. */
  reset(): void {
    this.#floor = undefined
  }

  /** Learns from a claim that began at `from`, and took so long. */
  learn(
    from: Floor,
    { rows, isFull, ms }: { rows: OutboxRow[]; isFull: boolean; ms: number },
  ): void {
    const isFront = this.isFront(from)
    if (isFront) {
      this.#frontAt = this.#now() + Math.max(isFull ? FRONT_MS : 0, FRONT_SHARE * ms)
    }
    const upto = placeOf(rows)
    if (isFull) this.#floor = upto && { ...upto, floorLateMs: 0 }
    // Behind a backlog, or where it costs nothing: from the front again.
    else if (isFront ? ms <= SLOW_MS : from.floorLateMs === 0) this.#floor = undefined
    else if (upto) this.#floor = { ...upto, floorId: this.#front.floorId, floorLateMs: LATE_MS }
    const now = this.#now()
    if (!isFront) this.#owedSince = this.#floor !== undefined && !isFull ? now : undefined
    // A look that began before does not see what was left out since.
    else if (this.#owedSince !== undefined && this.#owedSince <= now - ms) {
      this.#owedSince = undefined
    }
  }
}

/** The last message of a claim in the order of the index; none where nothing was claimed. */
function placeOf(rows: readonly OutboxRow[]): Pick<Floor, 'floorDue' | 'floorId'> | undefined {
  const upto = rows[0]?.['claim_upto']
  if (typeof upto !== 'string') return undefined
  const at = upto.indexOf('|')
  return { floorDue: upto.slice(0, at), floorId: upto.slice(at + 1) }
}
