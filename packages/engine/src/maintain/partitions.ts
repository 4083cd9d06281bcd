import type { Pool } from 'pg'
import { toMs } from '../duration.ts'
import {
  createPartition,
  dropPartition,
  hasOtherOutboxes,
  hasUndone,
  limitWaiting,
  retireDefault,
  selectPartitions,
  type PartitionedTable,
} from './partitions.sql.ts'
import { type CheckedDefinition, inSql } from '../outbox/resolved-definition.ts'
import { transaction, type Transaction } from '../database/transaction.ts'
import { bareTable } from '../database/sql-names.ts'

const DAY_MS = 86_400_000
export const WEEK_MS = 7 * DAY_MS
/** 1970-01-05: weeks begin on a Monday, UTC. */
const FIRST_MONDAY_MS = 4 * DAY_MS
/** Weeks whose partitions are made before they begin. */
export const WEEKS_AHEAD = 4

export function mondayOf(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS
}

/** The name of a table's partition for the week of a Monday. */
export function weekName(table: string, mondayMs: number): string {
  return `${table}_p${dayOf(mondayMs)}`
}

/** The Monday in a partition's name; undefined for tables that we did not make. */
export function mondayIn(table: string, partition: string): number | undefined {
  const [, y, m, d] = /^_p(\d{4})(\d\d)(\d\d)$/.exec(partition.slice(table.length)) ?? []
  if (!partition.startsWith(table) || y === undefined) return undefined
  const ms = Date.parse(`${y}-${m}-${d}T00:00:00Z`)
  return mondayOf(ms) === ms ? ms : undefined
}

function dayOf(ms: number): string {
  return isoOf(ms).slice(0, 10).replaceAll('-', '')
}

/** What is true of a partitioned table. */
export interface PartitionRule {
  readonly table: PartitionedTable
  /** Rows are of no use this long after they were written; undefined: for ever. */
  readonly keepMs: number | undefined
  /** Rows of outboxes not named here stay, however old; undefined: rows of all outboxes go. */
  readonly knownOutboxes: readonly string[] | undefined
  /** The outbox whose log it is: what has not gone by stays, however old. */
  readonly logOf?: CheckedDefinition
}

export function transitionRule(keepMs: number): PartitionRule {
  return { table: 'posthorn.transition', keepMs, knownOutboxes: undefined }
}

/**
 * The archive is shared: a partition goes when it is past its time for the outbox that keeps its
 * rows longest, and another process may have outboxes that this one does not know.
 */
export function archiveRule(outboxes: readonly CheckedDefinition[]): PartitionRule {
  const kept = outboxes.filter(({ retention }) => retention !== undefined)
  const longest = Math.max(...kept.map(({ retention }) => toMs(retention?.archive ?? '0d')))
  return {
    table: 'posthorn.archive',
    keepMs: kept.length === 0 ? undefined : longest,
    knownOutboxes: kept.map(({ name }) => name),
  }
}

/** A log's partitions go when they are past the outbox's retention and every bucket has gone by. */
export function logRule(outbox: CheckedDefinition): PartitionRule | undefined {
  const { log } = inSql(outbox)
  if (log === undefined) return undefined
  const keepMs = outbox.retention && toMs(outbox.retention.after)
  return { table: log, keepMs, knownOutboxes: undefined, logOf: outbox }
}

/** A partition with the end of its range; null is a range without one. */
export interface Partition {
  readonly name: string
  readonly untilMs: number | null
}

export interface PartitionPlan {
  /** What the default partition becomes the partition of; undefined while another has the present. */
  readonly retire: { fromMs: number | undefined; toMs: number } | undefined
  /** Where the weeks begin that are to be made. */
  readonly create: readonly number[]
  /** Partitions that are past their time. */
  readonly drop: readonly string[]
}

/**
 * What to make and to drop at a moment; pure.
 *
 * A partition cannot be made for a range that has rows in the default partition, and a writer on
 * its way there would fail. So new ones are made for the future only. When none has the present
 * (the first run, or the first for weeks), the default partition itself becomes the one for all
 * that is not covered up to the next Monday, rows and all, and an empty one takes its place.
 */
export function planPartitions(
  { table, keepMs }: PartitionRule,
  partitions: readonly Partition[],
  nowMs: number,
): PartitionPlan {
  const end = partitions.reduce<number | undefined>(
    (latest, { untilMs }) => Math.max(latest ?? -Infinity, untilMs ?? Infinity),
    undefined,
  )
  const nextMonday = mondayAfter(nowMs)
  const uncovered = end === undefined || end <= nowMs
  const create: number[] = []
  const horizon = nextMonday + WEEKS_AHEAD * WEEK_MS
  for (let ms = uncovered ? nextMonday : end; ms < horizon; ms = mondayAfter(ms)) create.push(ms)
  const over = partitions.filter(
    ({ name, untilMs }) =>
      keepMs !== undefined &&
      untilMs !== null &&
      untilMs <= nowMs - keepMs &&
      name.startsWith(`${bareTable(table)}_`),
  )
  return {
    retire: uncovered ? { fromMs: end, toMs: nextMonday } : undefined,
    create,
    drop: over.map(({ name }) => name),
  }
}

/** Makes and drops a table's partitions, each in a transaction of its own; adds what it did. */
export async function keepPartitions(
  pool: Pool,
  rule: PartitionRule,
  { created, dropped }: { created: string[]; dropped: string[] },
): Promise<void> {
  const { table } = rule
  const { rows } = await pool.query<{ now_ms: number; partitions: Partition[] }>(
    selectPartitions(table),
  )
  const { now_ms: nowMs = 0, partitions = [] } = rows[0] ?? {}
  const plan = planPartitions(rule, partitions, nowMs)
  if (plan.retire) {
    const { fromMs, toMs: untilMs } = plan.retire
    const name = `${bareTable(table)}_until_${dayOf(untilMs)}`
    const range = { from: fromMs === undefined ? undefined : isoOf(fromMs), to: isoOf(untilMs) }
    await transaction(pool, (tx) => change(tx, retireDefault(table, name, range)))
    created.push(name)
  }
  for (const fromMs of plan.create) {
    const name = weekName(bareTable(table), fromMs)
    const range = { from: isoOf(fromMs), to: isoOf(mondayAfter(fromMs)) }
    await transaction(pool, (tx) => change(tx, createPartition(table, name, range)))
    created.push(name)
  }
  for (const name of plan.drop) {
    if (await transaction(pool, (tx) => drop(tx, name, rule))) dropped.push(name)
  }
}

/** Changes a table's partitions; gives up where that would make its writers wait. */
async function change(tx: Transaction, texts: readonly string[]): Promise<void> {
  for (const statement of limitWaiting) await tx.query(statement)
  for (const text of texts) await tx.query({ text, values: [] })
}

async function drop(
  tx: Transaction,
  name: string,
  { table, knownOutboxes, logOf }: PartitionRule,
): Promise<boolean> {
  if (logOf && (await isNeeded(tx, logOf, name))) return false
  if (knownOutboxes) {
    const { rows } = await tx.query<{ others: boolean }>(hasOtherOutboxes(name, knownOutboxes))
    if (rows[0]?.others) return false
  }
  await change(tx, dropPartition(table, name))
  return true
}

async function isNeeded(tx: Transaction, outbox: CheckedDefinition, name: string) {
  for (const statement of limitWaiting) await tx.query(statement)
  const [lock, question] = hasUndone(inSql(outbox), name) as [string, string]
  await tx.query({ text: lock, values: [] })
  const { rows } = await tx.query<{ undone: boolean }>({ text: question, values: [] })
  return rows[0]?.undone !== false
}

function mondayAfter(ms: number): number {
  return mondayOf(ms) + WEEK_MS
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
