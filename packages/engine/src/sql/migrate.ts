import { sql, type Statement } from '../enqueue/sql-tag.ts'

/**
 * Everybody who migrates takes this lock first, so that ten servers may start at once. It is held
 * by the transaction, so a crash frees it. The number is "posthorn" in ASCII, cut to 63 bits.
 */
export const lockMigrations: Statement = sql`select pg_advisory_xact_lock(8101814155131314798)`

export const createMigrationTable: Statement = sql`
  create schema if not exists posthorn;
  create table if not exists posthorn.migration (
    set_name text not null,
    id text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    primary key (set_name, id)
  )`

export interface AppliedMigration {
  set_name: string
  id: string
  checksum: string
  applied_at: Date
}

export const selectMigrationTable: Statement = sql`
  select to_regclass('posthorn.migration') is not null as present`

export const selectMigrations: Statement = sql`
  select set_name, id, checksum, applied_at from posthorn.migration order by set_name, id`

export function insertMigration(row: { set: string; id: string; checksum: string }): Statement {
  return sql`
    insert into posthorn.migration (set_name, id, checksum)
    values (${row.set}, ${row.id}, ${row.checksum})`
}

/** The same as text, for those who apply migrations by their own means; every part is ours. */
export function noteApplied(
  set: string,
  { id, checksum }: { id: string; checksum: string },
): string {
  return `insert into posthorn.migration (set_name, id, checksum)
values ('${set}', '${id}', '${checksum}');`
}
