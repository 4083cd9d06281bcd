import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** The partitioned tables of the engine: rows fall into weeks, and leave by the week. */
export type PartitionedTable = 'posthorn.transition' | 'posthorn.archive'

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

/** Partitions with the end of their range, the oldest first, and Postgres's time. */
export function selectPartitions(table: PartitionedTable): Statement {
  return sql`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
           (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'untilMs', until) order by until), '[]')
              from (select child.relname as name,
                           extract(epoch from substring(bound from 'TO \\(''([^'']+)''\\)')::timestamptz) * 1000
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
    `create table posthorn.${name} (like ${table} including all)`,
    `alter table ${table} attach partition posthorn.${name} ${bounds(range)}`,
  ]
}

/** Makes the default partition, with all that is in it, the partition of a range, and a new one. */
export function retireDefault(table: PartitionedTable, name: string, range: Range): string[] {
  const bare = table.slice('posthorn.'.length)
  return [
    `alter table ${table} detach partition ${table}_default`,
    `alter table ${table}_default rename to ${name}`,
    `alter table ${table} attach partition posthorn.${name} ${bounds(range)}`,
    `create table posthorn.${bare}_default partition of ${table} default`,
  ]
}

function bounds({ from, to }: Range): string {
  return `for values from (${from === undefined ? 'minvalue' : `'${from}'`}) to ('${to}')`
}

export function dropPartition(name: string): string[] {
  return [`drop table posthorn.${name}`]
}

/** Whether a partition of the archive has rows of outboxes other than these. */
export function hasOtherOutboxes(name: string, outboxes: readonly string[]): Statement {
  return sql`
    select exists (
      select from ${sql.id(`posthorn.${name}`)} where outbox <> all(${outboxes}::text[])
    ) as others`
}

/** What relays did and counted long ago, and relays that were never heard of again. */
export const prunePulses: Statement = sql`
  with gone as (
    delete from posthorn.relay where seen_at < now() - interval '1 hour'
  ),
  samples as (
    delete from posthorn.sample where at < now() - interval '7 days'
  )
  delete from posthorn.pulse where at < now() - interval '7 days'`
