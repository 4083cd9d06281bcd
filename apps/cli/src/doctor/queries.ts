import type { Queryable } from '@posthorn/engine'
import { sql } from '@posthorn/engine'

export interface ServerFacts {
  readonly version: string
  readonly versionNumber: number
  readonly connections: number
  /** Of all users and databases, this command's own left out. */
  readonly connected: number
  readonly autovacuum: boolean
  readonly readOnly: boolean
}

export async function selectServer(db: Queryable): Promise<ServerFacts> {
  const { rows } = await db.query<ServerFacts>(sql`
    select current_setting('server_version') as version,
           current_setting('server_version_num')::int as "versionNumber",
           current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int as connections,
           (select count(*)::int from pg_stat_activity
             where backend_type = 'client backend' and pid <> pg_backend_pid()) as connected,
           current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean
             as autovacuum,
           pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly"`)
  const [facts] = rows
  if (!facts) throw new TypeError('the statement has one row')
  return facts
}

/** How far the business clock is ahead of real time, and whether it could be moved further. */
export async function selectClock(
  db: Queryable,
): Promise<{ movable: boolean; aheadSeconds: number }> {
  const { rows } = await db.query<{ movable: boolean; aheadSeconds: number }>(sql`
    select movable,
           extract(epoch from posthorn.now() - statement_timestamp())::float8 as "aheadSeconds"
      from posthorn.clock`)
  return rows[0] ?? { movable: false, aheadSeconds: 0 }
}

export interface OpenTransaction {
  readonly pid: number
  readonly application: string
  readonly state: string
  readonly seconds: number
}

/** Transactions of this database that have been open for so long that vacuum suffers. */
export async function selectLongTransactions(
  db: Queryable,
  seconds: number,
): Promise<OpenTransaction[]> {
  const { rows } = await db.query<OpenTransaction>(sql`
    select pid, application_name as application, coalesce(state, 'unknown') as state,
           extract(epoch from now() - xact_start)::float8 as seconds
      from pg_stat_activity
     where datname = current_database()
       and backend_type = 'client backend'
       and xact_start < now() - ${seconds} * interval '1 s'
     order by xact_start
     limit 10`)
  return rows
}

/** Columns of a table; none where there is no table. */
export async function selectColumns(db: Queryable, table: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(sql`
    select attname as name
      from pg_attribute
     where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`)
  return rows.map(({ name }) => name)
}

export interface IndexFacts {
  readonly name: string
  readonly definition: string
  /** False after a CREATE INDEX CONCURRENTLY that failed: it costs and does not help. */
  readonly valid: boolean
}

export async function selectIndexes(db: Queryable, table: string): Promise<IndexFacts[]> {
  const { rows } = await db.query<IndexFacts>(sql`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition, i.indisvalid as valid
      from pg_index as i
      join pg_class as c on c.oid = i.indexrelid
     where i.indrelid = to_regclass(${table})`)
  return rows
}

/** Rows that vacuum has not cleared away yet, as the statistics have it. */
export async function selectDeadRows(
  db: Queryable,
  table: string,
): Promise<{ live: number; dead: number }> {
  const { rows } = await db.query<{ live: number; dead: number }>(sql`
    select n_live_tup::float8 as live, n_dead_tup::float8 as dead
      from pg_stat_user_tables
     where relid = to_regclass(${table})`)
  return rows[0] ?? { live: 0, dead: 0 }
}
