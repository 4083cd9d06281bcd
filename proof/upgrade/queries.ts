import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Entry, WrittenEntry } from '../kit/events/queries.ts'
import type { Engine } from './engine.ts'
import { inboxOf, outboxesOf } from './outboxes.ts'

/** The business side (account, entry), the wire (arrival) and what it did (effect), past the engine. */
export function schemaOf(engine: Engine): string {
  const tables = outboxesOf(engine).map(
    (outbox) => `
create table ${outbox.table} (
  id uuid primary key,
  key text not null,
  n bigint not null,
  status text not null default 'ready',
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text,
  error_code text
);
${engine.outboxTableSql(outbox)}`,
  )
  return `
create schema upgrade;
create table upgrade.account (key text primary key, n bigint not null default 0);
create table upgrade.entry (
  message_id uuid primary key,
  source text not null,
  key text not null,
  n bigint not null,
  written_at timestamptz not null default clock_timestamp()
);
create table upgrade.arrival (
  id bigint generated always as identity primary key,
  source text not null,
  key text not null,
  n bigint not null,
  message_id uuid not null,
  relay text not null,
  at timestamptz not null default clock_timestamp()
);
-- No unique key: a second effect of the same message must show, not fail.
create table upgrade.effect (
  id bigint generated always as identity primary key,
  source text not null,
  key text not null,
  n bigint not null,
  message_id uuid not null
);
${engine.inboxTableSql(inboxOf(engine))}
${tables.join('\n')}`
}

export async function insertAccounts(db: Queryable, keys: readonly string[]): Promise<void> {
  await db.query(sql`insert into upgrade.account (key) select unnest(${keys}::text[])`)
}

/** Moves the key's counter on; its lock is what serialises the writers of a key. */
export async function advanceAccount(tx: Transaction, key: string, by: number): Promise<number> {
  const { rows } = await tx.query<{ n: string }>(sql`
    update upgrade.account set n = n + ${by}::bigint where key = ${key} returning n`)
  return Number(rows[0]?.n)
}

export async function insertEntry(tx: Transaction, source: string, entry: Entry): Promise<void> {
  await tx.query(sql`
    insert into upgrade.entry (message_id, source, key, n)
    values (${entry.id}::uuid, ${source}, ${entry.key}, ${entry.n}::bigint)`)
}

export async function insertArrival(
  db: Queryable,
  { source, relay }: { source: string; relay: string },
  entry: Entry,
): Promise<void> {
  await db.query(sql`
    insert into upgrade.arrival (source, key, n, message_id, relay)
    values (${source}, ${entry.key}, ${entry.n}::bigint, ${entry.id}::uuid, ${relay})`)
}

export async function insertEffect(tx: Transaction, source: string, entry: Entry): Promise<void> {
  await tx.query(sql`
    insert into upgrade.effect (source, key, n, message_id)
    values (${source}, ${entry.key}, ${entry.n}::bigint, ${entry.id}::uuid)`)
}

export async function selectEntries(db: Queryable, source: string): Promise<WrittenEntry[]> {
  const { rows } = await db.query<WrittenEntry>(sql`
    select message_id as id, key, n::int as n,
           extract(epoch from written_at)::float8 * 1000 as "writtenMs"
      from upgrade.entry where source = ${source}`)
  return rows
}

export interface Arrived extends Entry {
  readonly relay: string
  readonly atMs: number
}

/** In the order in which they came. */
export async function selectArrivals(db: Queryable, source: string): Promise<Arrived[]> {
  const { rows } = await db.query<Arrived>(sql`
    select message_id as id, key, n::int as n, relay,
           extract(epoch from at)::float8 * 1000 as "atMs"
      from upgrade.arrival where source = ${source} order by arrival.id`)
  return rows
}

/** In the order in which they happened. */
export async function selectEffects(db: Queryable, source: string): Promise<Entry[]> {
  const { rows } = await db.query<Entry>(sql`
    select message_id as id, key, n::int as n
      from upgrade.effect where source = ${source} order by effect.id`)
  return rows
}

/** Deliveries so far by relays whose names begin so. */
export async function countArrivals(db: Queryable, relay: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*)::int as count from upgrade.arrival where relay like ${`${relay}%`}`)
  return rows[0]?.count ?? 0
}

/** Messages that are not where they should be in the end. */
export interface Rest {
  readonly unsent: number
  readonly heldKeys: number
  readonly leases: number
  readonly alerts: number
}

export async function selectRest(db: Queryable): Promise<Rest> {
  const { rows } = await db.query<Rest>(sql`
    select ((select count(*) from upgrade.key_event where status <> 'sent')
             + (select count(*) from upgrade.row_event where status <> 'sent'))::int as unsent,
           (select count(*) from posthorn.held_key)::int as "heldKeys",
           ((select count(*) from posthorn.bucket where token is not null)
             + (select count(*) from upgrade.row_event where claim_token is not null))::int as leases,
           (select count(*) from posthorn.alert)::int as alerts`)
  return rows[0] as Rest
}

/** A migration of the version after the one under test. */
export const newerMigration = `
alter table posthorn.relay add column from_the_future text;`

/** Changes of state of all messages so far. */
export async function countTransitions(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*)::int as count from posthorn.transition`)
  return rows[0]?.count ?? 0
}
