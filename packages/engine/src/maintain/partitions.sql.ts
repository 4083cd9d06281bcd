import { sql, type Statement } from '../enqueue/sql-tag.ts'
import type { TableName } from '../outbox/definition.ts'
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { beside, schemaOf, spell } from '../outbox/sql-names.ts'
import { IS_V7 } from './inbox.ts'
import { undoneSql } from './log-moves.ts'

/** A table that is partitioned by time, with its schema. Inboxes are too, by the time in their ids: see below. */
export type PartitionedTable = string

/** A partition, by the name that the catalogue has for it. */
function partitionOf(table: PartitionedTable, name: string): TableName {
  return `${schemaOf(table)}.${spell(name)}`
}

/** A range of time, `from` included and `to` not, in ISO 8601; without `from` all that is older. */
export interface Range {
  readonly from: string | undefined
  readonly to: string
}

/**
 * Whether the lock is ours, until the transaction ends. The transaction waits while others do the
 * work; it has no snapshot meanwhile, so it does not hold vacuum back.
 */
export const tryLockMaintenance: Statement[] = [
  sql`set local idle_in_transaction_session_timeout = 0`,
  sql`select pg_try_advisory_xact_lock(hashtextextended('posthorn maintenance', 0)) as ours`,
]

/**
 * Behind a lock that we wait for, every settle waits: a second is the most. What then takes long,
 * since the default partition has grown large, is given up too.
 */
export const limitWaiting: Statement[] = [
  sql`set local lock_timeout = '1s'`,
  sql`set local statement_timeout = '3s'`,
]

/** Partitions with the end of their range, the oldest first, and Postgres's time. A range of ids has no end here. */
export function selectPartitions(table: string): Statement {
  return sql`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
           (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'untilMs', until) order by until), '[]')
              from (select child.relname as name,
                           extract(epoch from substring(bound from 'TO \\(''(\\d{4}-\\d\\d-\\d\\d[^'']*)''\\)')::timestamptz) * 1000
                             as until
                      from pg_inherits
                      join pg_class as child on child.oid = inhrelid
                     cross join lateral pg_get_expr(child.relpartbound, child.oid) as bound
                     where inhparent = ${table}::regclass and bound <> 'DEFAULT') as bounded
           ) as partitions`
}

/** Makes a partition for a range without writers yet: settles go on meanwhile. */
export function createPartition(table: PartitionedTable, name: string, range: Range): string[] {
  return [
    // Not the identity: the numbers of all partitions are the table's.
    `create table ${partitionOf(table, name)} (like ${table} including all excluding identity)`,
    `alter table ${table} attach partition ${partitionOf(table, name)} ${bounds(range)}`,
  ]
}

/** Makes the default partition, with all that is in it, the partition of a range, and a new one. */
export function retireDefault(table: PartitionedTable, name: string, range: Range): string[] {
  return [
    `alter table ${table} detach partition ${beside(table, '_default')}`,
    `alter table ${beside(table, '_default')} rename to ${spell(name)}`,
    `alter table ${table} attach partition ${partitionOf(table, name)} ${bounds(range)}`,
    `create table ${beside(table, '_default')} partition of ${table} default`,
  ]
}

function bounds({ from, to }: Range): string {
  return `for values from (${from === undefined ? 'minvalue' : `'${from}'`}) to ('${to}')`
}

export function dropPartition(table: PartitionedTable, name: string): string[] {
  return [`drop table ${partitionOf(table, name)}`]
}

/**
 * Whether messages of a log's partition have not gone by; behind a lock that lets no more come. By the
 * indexes: a claim that waits for the lock must not wait for a reading of the whole partition.
 */
export function hasUndone(definition: ResolvedDefinition, partition: string): string[] {
  const log = partitionOf(definition.log as string, partition)
  return [
    `lock table ${log} in access exclusive mode`,
    `select exists (${undoneSql({ ...definition, log }, 'm.bucket', 'limit 1')}) as undone`,
  ]
}

/** Whether a partition of the archive has rows of outboxes other than these. */
export function hasOtherOutboxes(name: string, outboxes: readonly string[]): Statement {
  return sql`
    select exists (
      select from ${sql.id(`posthorn.${name}`)} where outbox <> all(${outboxes}::text[])
    ) as others`
}

/** A range of ids, `from` included and `to` not, with the full name of its partition. */
export interface IdPartition {
  readonly table: string
  readonly partition: string
  readonly from: string
  readonly to: string
}

/**
 * One at a time, and no long wait: behind a session that waits for a lock on the table, all consumers wait.
 * The advisory lock comes after the time limit, so that a second pruner gives up as well.
 */
export function lockPruning(table: string): Statement[] {
  return [
    sql`set local lock_timeout = '1s'`,
    sql`select pg_advisory_xact_lock(hashtextextended('posthorn inbox ' || ${table}, 0))`,
  ]
}

export function partitionExists(partition: string): Statement {
  return sql`select to_regclass(${partition}) is not null as present`
}

/** How many ids of the range are in the default partition, counted up to `limit`. */
export function countMisplaced({ table, from, to }: IdPartition, limit: number): Statement {
  return sql`
    select count(*)::integer as count
      from (
        select from ${sql.id(`${table}_default`)}
         where event_id >= ${from} and event_id < ${to}
         limit ${limit}
      ) as misplaced`
}

/** Waits until no session has uncommitted ids in the table, and keeps new ones out. */
export function lockWriters(table: string): string {
  return `lock table ${table} in share row exclusive mode`
}

/**
 * Makes a partition, moves what the default partition has of its range, attaches it. Attaching (and
 * not `partition of`) lets consumers go on; only those who write to the default partition wait.
 */
export function moveIntoPartition({ table, partition, from, to }: IdPartition): string[] {
  return [
    `create table ${partition} (like ${table} including all)`,
    `lock table ${table}_default in access exclusive mode`,
    `with moved as (
       delete from ${table}_default where event_id >= '${from}' and event_id < '${to}' returning *
     )
     insert into ${partition} select * from moved`,
    `alter table ${table} attach partition ${partition} for values from ('${from}') to ('${to}')`,
  ]
}

/**
 * Drops a partition but keeps its ids that are no UUIDv7: they fell into this range by chance and
 * carry no time. With the range gone they belong to the default partition.
 */
export function dropButKeepOthers({ table, partition }: IdPartition): string[] {
  return [
    `alter table ${table} detach partition ${partition}`,
    `insert into ${table} select * from ${partition} where not (${IS_V7})`,
    `drop table ${partition}`,
  ]
}

/** What relays did and counted long ago, and relays that were never heard of again. */
export const prunePulses: Statement = sql`
  with gone as (
    delete from posthorn.relay where seen_at < now() - interval '1 hour'
  ),
  samples as (
    delete from posthorn.sample where at < now() - interval '7 days'
  ),
  starts as (
    delete from posthorn.relay_start where at < now() - interval '7 days'
  ),
  lags as (
    delete from posthorn.consumer_sample where at < now() - interval '7 days'
  )
  delete from posthorn.pulse where at < now() - interval '7 days'`
