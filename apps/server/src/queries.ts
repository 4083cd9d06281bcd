import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Role } from '@posthorn/http'

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

/** A browser's session, by the digest of its secret. */
export interface Login {
  readonly digest: Buffer
  readonly sub: string
  readonly org: string
  readonly role: Role
}

/** Stores a session and forgets those that are over. */
export async function insertLogin(db: Queryable, login: Login, expiresAt: Date): Promise<void> {
  const { digest, sub, org, role } = login
  await db.query(sql`
    with gone as (delete from posthorn.login where expires_at < now())
    insert into posthorn.login (digest, sub, org, role, expires_at)
    values (${digest}, ${sub}, ${org}, ${role}, ${expiresAt})`)
}

export async function findLogin(
  db: Queryable,
  digest: Buffer,
): Promise<(Login & { readonly expires_at: Date }) | undefined> {
  const { rows } = await db.query<Login & { readonly expires_at: Date }>(sql`
    select digest, sub, org, role, expires_at
      from posthorn.login
     where digest = ${digest} and expires_at > now()`)
  return rows[0]
}

export async function deleteLogin(db: Queryable, digest: Buffer): Promise<void> {
  await db.query(sql`delete from posthorn.login where digest = ${digest}`)
}

/** Ends all sessions of a user; returns how many there were. */
export async function deleteLoginsOf(
  db: Queryable,
  { sub, org }: Pick<Login, 'sub' | 'org'>,
): Promise<number> {
  const { rows } = await db.query(sql`
    delete from posthorn.login where org = ${org} and sub = ${sub} and expires_at > now()
    returning 1`)
  return rows.length
}
