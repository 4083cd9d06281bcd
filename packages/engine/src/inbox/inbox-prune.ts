import type { Pool } from 'pg'
import { SQLSTATE, sqlState } from '../errors.ts'
import type { Inbox } from './inbox.ts'
import { silentLog, type Log } from '../log.ts'
import {
  mondayIn,
  mondayOf,
  WEEK_MS,
  weekName,
  WEEKS_AHEAD,
  type Partition,
} from '../maintain/partitions.ts'
import { selectPartitions } from '../maintain/partitions.sql.ts'
import {
  countMisplaced,
  dropButKeepOthers,
  lockPruning,
  lockWriters,
  moveIntoPartition,
  partitionExists,
  type IdPartition,
} from './inbox-prune.sql.ts'
import { transaction, type Transaction } from '../database/transaction.ts'

/**
 * Ids are forgotten this much later than they are refused: after a failover to a server whose clock
 * is behind, an id that was just forgotten must still be refused.
 */
const MARGIN_MS = 3_600_000

/** Rows a delete takes at once, to keep its transaction short. */
const BATCH = 10_000

/** More rows than this are not moved out of the default partition while its writers wait. */
const MAX_MOVED = 1_000

/** What a run of `pruneInbox` did. */
export interface InboxPruned {
  /** Partitions made. */
  readonly created: readonly string[]
  /** Partitions dropped. */
  readonly dropped: readonly string[]
  /** Rows deleted. */
  readonly deleted: number
}

/**
 * Forgets what is older than the inbox's retention, and makes the coming weeks' partitions. Run it
 * when the process starts and then once a day, as the table's owner; two at once, or a crash
 * half-way, do no harm. What is locked for more than a second is left to the next run.
 */
export async function pruneInbox(
  pool: Pool,
  inbox: Inbox,
  { log = silentLog }: { log?: Log } = {},
): Promise<InboxPruned> {
  const { created, dropped } = inbox.partitioned
    ? await prunePartitions(pool, inbox, log)
    : { created: [], dropped: [] }
  const { deleteExpired, deleteOthers } = inbox.sql
  let deleted = await deleteInBatches(pool, deleteExpired, inbox.retentionMs + MARGIN_MS)
  if (inbox.forgetOthersMs !== undefined) {
    deleted += await deleteInBatches(pool, deleteOthers, inbox.forgetOthersMs)
  }
  const pruned = { created, dropped, deleted }
  log.debug({ inbox: inbox.table, ...pruned }, 'inbox pruned')
  return pruned
}

/** A week of ids and its partition's name. */
export interface Week {
  readonly name: string
  readonly fromMs: number
}

/** The weeks to make and to drop at a moment; pure. */
export function planWeeks(
  inbox: Pick<Inbox, 'name' | 'retentionMs'>,
  nowMs: number,
  partitions: readonly string[],
): { create: Week[]; drop: Week[] } {
  const thisWeek = mondayOf(nowMs)
  const wanted = Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => thisWeek + i * WEEK_MS)
  const horizon = nowMs - inbox.retentionMs - MARGIN_MS
  return {
    create: wanted
      .map((fromMs) => ({ name: weekName(inbox.name, fromMs), fromMs }))
      .filter(({ name }) => !partitions.includes(name)),
    drop: partitions
      .map((name) => ({ name, fromMs: mondayIn(inbox.name, name) }))
      .filter(
        (week): week is Week => week.fromMs !== undefined && week.fromMs + WEEK_MS <= horizon,
      ),
  }
}

/** The lowest UUIDv7 of a moment. */
export function lowestIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

async function prunePartitions(pool: Pool, inbox: Inbox, log: Log) {
  const { rows } = await pool.query<{ now_ms: number; partitions: Partition[] }>(
    selectPartitions(inbox.table),
  )
  const { now_ms: nowMs = 0, partitions = [] } = rows[0] ?? {}
  const names = partitions.map(({ name }) => name)
  const { create, drop } = planWeeks(inbox, nowMs, names)
  const created: string[] = []
  const dropped: string[] = []
  try {
    for (const week of create) {
      if (await changeWeek(pool, inbox, { week, change: createWeek })) created.push(week.name)
    }
    for (const week of drop) {
      if (await changeWeek(pool, inbox, { week, change: dropWeek })) dropped.push(week.name)
    }
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error
    // All consumers have just waited a second behind us: not again for the next partition.
    log.warn({ inbox: inbox.table, created, dropped }, 'inbox pruning skipped: lock not available')
  }
  return { created, dropped }
}

interface WeekChange {
  week: Week
  change: (tx: Transaction, part: IdPartition) => Promise<boolean>
}

/** One partition, one transaction: all of it or nothing. */
function changeWeek(pool: Pool, inbox: Inbox, { week, change }: WeekChange): Promise<boolean> {
  const { table, schema } = inbox
  const [from, to] = [lowestIdOf(week.fromMs), lowestIdOf(week.fromMs + WEEK_MS)]
  return transaction(pool, async (tx) => {
    for (const statement of lockPruning(table)) await tx.query(statement)
    return change(tx, { table, partition: `${schema}.${week.name}`, from, to })
  })
}

async function createWeek(tx: Transaction, part: IdPartition): Promise<boolean> {
  if (await isThere(tx, part.partition)) return false
  const { rows } = await tx.query<{ count: number }>(countMisplaced(part, MAX_MOVED + 1))
  const misplaced = rows[0]?.count ?? 0
  if (misplaced > MAX_MOVED) return false
  // A consumer writes into this week: a row on the way to the default partition would find its range
  // gone, and fail.
  if (misplaced > 0) await run(tx, [lockWriters(part.table)])
  await run(tx, moveIntoPartition(part))
  return true
}

async function dropWeek(tx: Transaction, part: IdPartition): Promise<boolean> {
  if (!(await isThere(tx, part.partition))) return false
  await run(tx, dropButKeepOthers(part))
  return true
}

async function isThere(tx: Transaction, partition: string): Promise<boolean> {
  const { rows } = await tx.query<{ present: boolean }>(partitionExists(partition))
  return rows[0]?.present === true
}

async function run(tx: Transaction, texts: readonly string[]): Promise<void> {
  for (const text of texts) await tx.query({ text, values: [] })
}

async function deleteInBatches(pool: Pool, text: string, olderThanMs: number): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rows } = await pool.query<{ count: number }>({ text, values: [olderThanMs, BATCH] })
    const count = rows[0]?.count ?? 0
    deleted += count
    if (count < BATCH) return deleted
  }
}
