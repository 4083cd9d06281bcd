import { sql, type Statement } from '../database/sql-tag.ts'
import { type TableName, beside, schemaOf, spell } from '../database/sql-names.ts'
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { undoneSql } from '../relay/log/log-moves.sql.ts'

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
