import type { Pool } from 'pg'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import type { Change } from '../outbox/definition.ts'
import { exponential } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'

/* The outboxes that the model test runs on. */

export interface Note {
  id: string
  key: string
  status: string
  attempts: number
  code: string | null
  due_at: Date
  created_at: Date
}

export const ATTEMPTS = 3

type Feature = 'block' | 'skip' | 'park' | 'claimed' | 'confirm' | 'audit' | 'log'

/** The message that no audit takes: it cannot be settled. */
export const unsettleable: { id: string | undefined } = { id: undefined }

export class NoAudit extends Error {}

const audit = {
  async settled(_: unknown, changes: readonly Change<Note>[]) {
    if (changes.some(({ row }) => row.id === unsettleable.id)) throw new NoAudit('not this one')
  },
}

function outboxNamed(name: string, features: readonly Feature[]): Outbox<Note> {
  const has = (feature: Feature) => features.includes(feature)
  const dead = (['block', 'skip', 'park'] as const).find(has)
  const states = {
    ready: 'ready',
    sent: 'sent',
    dead: 'dead',
    cancelled: 'cancelled',
    ...(has('claimed') ? { claimed: 'claimed' } : {}),
  }
  return defineOutbox<Note>({
    name: `model.${name}`,
    table: `model.${name}`,
    ...(has('confirm')
      ? { states: { ...states, confirmed: 'confirmed' }, confirm: {} }
      : { states }),
    columns: { dueAt: 'due_at', createdAt: 'created_at', errorCode: 'code' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch: 4, lease: '60s' },
    ...(dead ? { order: { key: 'key', dead } } : {}),
    ...(has('audit') ? { audit } : {}),
    ...(has('log') ? { storage: 'log' } : {}),
    retry: exponential('1s', { attempts: ATTEMPTS }),
    destination: { transport: 'fake', topic: 'notes' },
    message: (row) => ({ id: row.id, type: 'note', key: row.key, payload: {} }),
  })
}

/** Every way of keeping and claiming messages. */
export const outboxes = {
  'by row': outboxNamed('rows', []),
  'by row with a claimed state': outboxNamed('marked', ['claimed']),
  'by row with confirmations': outboxNamed('confirmed', ['confirm']),
  'by row with a claimed state and confirmations': outboxNamed('both', ['claimed', 'confirm']),
  'by row with an audit': outboxNamed('audited', ['audit']),
  'by key, blocking': outboxNamed('blocking', ['block']),
  'by key, blocking, with confirmations': outboxNamed('blockingconfirmed', ['block', 'confirm']),
  'by key, blocking, with an audit': outboxNamed('blockingaudited', ['block', 'confirm', 'audit']),
  'by key, skipping, with confirmations': outboxNamed('skipping', ['skip', 'confirm']),
  'by key, parking, with confirmations': outboxNamed('parking', ['park', 'confirm']),
  'in a log, blocking': outboxNamed('blockinglog', ['block', 'log']),
  'in a log, skipping': outboxNamed('skippinglog', ['skip', 'log']),
  'in a log, parking': outboxNamed('parkinglog', ['park', 'log']),
}

export const outboxTables = `create schema model;${Object.values(outboxes)
  .map(
    (outbox) => `
    create table ${outbox.table} (
      id uuid primary key, key text not null, status text not null default 'ready',
      attempts int not null default 0, code text, due_at timestamptz not null default posthorn.now(),
      created_at timestamptz not null default now());
    ${outboxTableSql(outbox)}`,
  )
  .join('')}`

/** A key whose messages are in the same bucket. */
export async function keyBeside(pool: Pool, key: string): Promise<string> {
  const { rows } = await pool.query<{ key: string }>(
    `select 'late' || n as key from generate_series(1, 10000) as n
      where posthorn.bucket_of('late' || n) = posthorn.bucket_of($1) limit 1`,
    [key],
  )
  return rows[0]?.key as string
}
