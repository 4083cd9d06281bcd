import { sql, type Queryable, type Transaction } from '@posthorn/engine'

/**
 * Notes the key that this server seals with in the place of one that it can open, or of none. False if
 * the database has secrets of a key that this server does not have.
 */
export async function noteSealingKey(
  db: Queryable,
  { newest, all }: { newest: string; all: readonly string[] },
): Promise<boolean> {
  const { rows } = await db.query(sql`
    insert into posthorn.sealing_key as k (name) values (${newest})
        on conflict (is_only)
        do update set name = excluded.name where k.name = any(${all}::text[])
    returning 1`)
  return rows.length > 0
}

/** What the server says it is, e.g. `18.4`. */
export async function serverVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>(sql`show server_version`)
  return rows[0]?.server_version ?? 'of an unknown version'
}

/** The least a database can answer. */
export async function selectOne(db: Queryable): Promise<void> {
  await db.query(sql`select 1`)
}

/**
 * Writes something that is gone with its commit. A new table takes new space: on a disk that is full, an
 * update of a row may still find room in its page.
 */
export async function writeNothing(tx: Transaction): Promise<void> {
  await tx.query(sql`create temp table posthorn_written on commit drop as select 1 as written`)
}

/** Whether a session may write nothing: it is a replica's, or the server says so. */
export async function isReadOnly(db: Pick<Queryable, 'query'>): Promise<boolean> {
  const { rows } = await db.query<{ read_only: boolean }>(sql`
    select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean
           as read_only`)
  return rows[0]?.read_only ?? true
}
