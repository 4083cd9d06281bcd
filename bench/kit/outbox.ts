import {
  defineOutbox,
  engineMigrations,
  exponential,
  keyRing,
  migrate,
  outboxTableSql,
  uuid,
  type Destination,
  type Outbox,
} from '@posthorn/engine'
import type { Pool, PoolClient } from 'pg'
import { chunks, key, payload, type Payload } from './payload.ts'

const CHUNK = 5_000

/** A row of the outbox that posthorn and plain SQL both drain. */
export interface OutboxRow {
  readonly id: string
  readonly key: string
  readonly status: string
  readonly attempts: number
  readonly next_attempt_at: Date
  readonly payload: Payload
  readonly sent_at: Date | null
  /** Only with priorities. */
  readonly priority?: number
}

export interface OutboxForm {
  /** By key: order per key, claims by bucket. Log: the same, from an append-only log. */
  readonly claims: 'by row' | 'by key' | 'log'
  readonly record: 'all' | 'none'
  /** Batches under way at once, each on a connection of its own. */
  readonly inHand: number
  /** Messages a claim. Default `BATCH`. */
  readonly batch?: number
  /** Whether payloads are stored encrypted. Default false. */
  readonly encrypted?: boolean
  /** What it has beside. Default nothing. */
  readonly extra?: Extra
}

/** `limit` is one that is never reached, `recurring` a message each hour. */
export type Extra = 'priorities' | 'limit' | 'recurring'

/** Messages a claim, the same for all contestants that claim by the batch. */
export const BATCH = 500

const SECRET = 'a master key of the benchmark, for nothing else'

const NOWHERE: Destination = { transport: 'noop', topic: 'bench' }

/** A small outbox as an application would define it; by default the destination does nothing. */
export function benchOutbox(
  { claims, record, inHand, batch = BATCH, encrypted = false, extra }: OutboxForm,
  destination: Destination | ((row: OutboxRow) => Destination) = NOWHERE,
): Outbox<OutboxRow> {
  return defineOutbox<OutboxRow>({
    name: 'bench.outbox',
    table: 'bench.outbox',
    states: { ready: 'pending', sent: 'sent', retry: 'failed', dead: 'dead' },
    columns: {
      ...{ dueAt: 'next_attempt_at', sentAt: 'sent_at' },
      ...(extra === 'priorities' && { priority: 'priority' }),
    },
    ...(extra === 'limit' && { limit: { rate: 1_000_000, per: '1s' } }),
    ...(extra === 'recurring' && { recurring: { hourly: { every: '1h', message: tick } } }),
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch, atOnce: batch * inHand },
    ...(claims === 'by row' ? {} : { order: { key: 'key', dead: 'block' } }),
    ...(claims === 'log' ? { storage: 'log' } : {}),
    ...(encrypted ? { encrypt: { columns: ['payload'], keys: keyRing([SECRET]) } } : {}),
    retry: exponential('1s', { attempts: 5 }),
    destination,
    message: ({ id, key: messageKey, payload: body }) => ({
      id,
      type: 'bench',
      key: messageKey,
      payload: body,
    }),
    reads: ['key', 'payload'],
    audit: { record },
  })
}

const tick = () => ({ key: 'tick', payload: payload(0) })

/** Three of them, at random. */
const PRIORITY =
  'alter table bench.outbox add priority smallint not null default floor(random() * 3);'

const TABLE = `
  create schema bench;
  create table bench.outbox (
    id uuid primary key,
    key text not null,
    status text not null default 'pending'
      check (status in ('pending', 'failed', 'sent', 'dead')),
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    payload jsonb not null,
    sent_at timestamptz
  );`

/** The engine's schema and the outbox's table with the columns and indexes of its definition. */
export async function createOutbox(pool: Pool, outbox: Outbox<OutboxRow>): Promise<void> {
  await migrate(pool, [await engineMigrations()])
  const priority = outbox.columns.priority === undefined ? '' : PRIORITY
  await pool.query(TABLE + priority + outboxTableSql(outbox))
}

export async function fillOutbox(pool: Pool, count: number, table = 'bench.outbox'): Promise<void> {
  for (const chunk of chunks(count, CHUNK)) await insertMany(pool, chunk, { table })
}

interface Rows {
  /** Default the outbox's own. */
  readonly table?: string
  /** Of the statement, to be prepared once. */
  readonly name?: string
  readonly keyOf?: (index: number) => string
  readonly payloadOf?: (index: number) => Payload
}

export async function insertMany(
  pool: Pool,
  indexes: readonly number[],
  { table = 'bench.outbox', name, keyOf = key, payloadOf = payload }: Rows = {},
): Promise<void> {
  await pool.query({
    ...(name !== undefined && { name }),
    text: `
  insert into ${table} (id, key, payload)
  select *
    from unnest($1::uuid[], $2::text[], $3::jsonb[])`,
    values: [
      indexes.map(() => uuid()),
      indexes.map(keyOf),
      indexes.map((index) => JSON.stringify(payloadOf(index))),
    ],
  })
}

const INSERT_ONE = 'insert into bench.outbox (id, key, payload) values ($1, $2, $3)'

export async function insertOne(handle: Pool | PoolClient, index: number): Promise<void> {
  const values = [uuid(), key(index), JSON.stringify(payload(index))]
  await handle.query({ name: 'insert-one', text: INSERT_ONE, values })
}
