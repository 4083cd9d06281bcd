import { sql, type Statement } from '../database/sql-tag.ts'
import { IS_V7 } from './inbox.sql.ts'

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
