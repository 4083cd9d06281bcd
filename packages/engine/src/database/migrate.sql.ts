import { sql, type Statement } from './sql-tag.ts'

/**
 * Every process that migrates takes this lock first, so that ten servers may start at once. It is held
 * by the transaction, so a crash frees it. The number is "posthorn" in ASCII, cut to 63 bits.
 */
export const lockMigrations: Statement = sql`select pg_advisory_xact_lock(8101814155131314798)`

/**
 * Who holds this applies the next step. It is tried for, since a statement that waits has a snapshot, and
 * `create index concurrently`, which runs under it, would wait for that in turn. Not the lock above:
 * the SQL that other tools apply waits for that.
 */
export const tryLockSteps: Statement = sql`
  select pg_try_advisory_xact_lock(8101814155131314799) as taken,
         current_setting('server_version') as version,
         current_setting('server_version_num')::int < 140000 as "isOld"`

/** An older server would stop at the first word of SQL that it does not know. */
export const refuseOldServer: Statement = sql`
  do $$ begin
    if current_setting('server_version_num')::int < 140000 then
      raise exception 'Posthorn needs PostgreSQL 14 or newer, and this is %', current_setting('server_version');
    end if;
  end $$`

/** For the rest of the transaction. */
export function limitLockWaits(ms: number): Statement {
  return sql`select set_config('lock_timeout', ${`${Math.ceil(ms)}ms`}, true)`
}

/** The transaction that holds the lock has nothing to do while an index is built on another connection. */
export const allowIdling: Statement = sql`
  select set_config('idle_in_transaction_session_timeout', '0', true)`

export const allowLongStatements: Statement = sql`
  select set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`

/** What an index that was not built to its end has left behind. */
export function selectUnfinishedIndex(schema: string, name: string): Statement {
  return sql`
    select 1
      from pg_index as i
      join pg_class as c on c.oid = i.indexrelid
      join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname = ${schema} and c.relname = ${name} and not i.indisvalid`
}

/** Both names are checked: they are plain identifiers of a migration. */
export function dropIndexBeside(schema: string, name: string): Statement {
  return { text: `drop index concurrently if exists ${schema}.${name}`, values: [] }
}

export const createMigrationTable: Statement = sql`
  create schema if not exists posthorn;
  create table if not exists posthorn.migration (
    set_name text not null,
    id text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    breaking boolean not null default false,
    primary key (set_name, id)
  )`

export interface AppliedMigration {
  set_name: string
  id: string
  checksum: string
  applied_at: Date
  /** Versions that do not know it must not run on it. */
  breaking: boolean
}

export const selectMigrationTable: Statement = sql`
  select to_regclass('posthorn.migration') is not null as present`

/** Reads the table of any development version too, so that its database gets MIGRATION_REWRITTEN. */
export const selectMigrations: Statement = sql`
  select set_name, id, checksum, applied_at,
         coalesce((to_jsonb(m) ->> 'breaking')::boolean, false) as breaking
    from posthorn.migration as m
   order by set_name, id`

export interface MigrationNote {
  readonly id: string
  readonly checksum: string
  readonly breaking: boolean
}

export function insertMigrations(set: string, notes: readonly MigrationNote[]): Statement {
  return sql`
    insert into posthorn.migration (set_name, id, checksum, breaking)
    select ${set}, id, checksum, breaking
      from unnest(${notes.map(({ id }) => id)}::text[],
                  ${notes.map(({ checksum }) => checksum)}::text[],
                  ${notes.map(({ breaking }) => breaking)}::boolean[]) as note (id, checksum, breaking)`
}

/** The same as text, for those who apply migrations by their own means; every part is ours. */
export function noteApplied(set: string, { id, checksum, breaking }: MigrationNote): string {
  return `insert into posthorn.migration (set_name, id, checksum, breaking)
values ('${set}', '${id}', '${checksum}', ${breaking});`
}
