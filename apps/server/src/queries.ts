import { sql, type Queryable } from '@posthorn/engine'

/** What the server says it is, e.g. `18.4`. */
export async function serverVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>(sql`show server_version`)
  return rows[0]?.server_version ?? 'of an unknown version'
}

/** The least a database can answer. */
export async function selectOne(db: Queryable): Promise<void> {
  await db.query(sql`select 1`)
}

/** Whether a session may write nothing: it is a replica's, or the server says so. */
export async function isReadOnly(db: Pick<Queryable, 'query'>): Promise<boolean> {
  const { rows } = await db.query<{ read_only: boolean }>(sql`
    select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean
           as read_only`)
  return rows[0]?.read_only ?? true
}
