import { outboxTableSql, sql, type Outbox, type Statement } from '@posthorn/engine'

export const CREATE_SCHEMA: Statement = sql`create schema if not exists stalls`

/** A table as an application makes it; by `lane` messages may be claimed in turns. */
export function createTable(outbox: Outbox<never>): string {
  return `create table ${outbox.table} (
    id uuid primary key default gen_random_uuid(), key text not null, lane text, status text not null default 'ready',
    attempts int not null default 0, due_at timestamptz not null default posthorn.now(),
    created_at timestamptz not null default now());
  ${outboxTableSql(outbox)}`
}

/** As an application that knows no library writes; what no key can be is refused here. */
export function insertKeys(
  table: string,
  keys: readonly string[],
): { text: string; values: unknown[] } {
  return { text: `insert into ${table} (key) select unnest($1::text[])`, values: [keys] }
}

export function lockKey(table: string, key: string): { text: string; values: unknown[] } {
  return { text: `select from ${table} where key = $1 for update`, values: [key] }
}

export function restartLog(log: string): { text: string; values: unknown[] } {
  return { text: `truncate ${log} restart identity`, values: [] }
}

/** As if two minutes had passed since the last look; the next one is not too early. */
export const AGE_WATCH: Statement = sql`update posthorn.watch set since = since - interval '2 minutes'`
export const FORGET_SAMPLES: Statement = sql`delete from posthorn.sample`

export const SELECT_ALERTS: Statement = sql`
  select distinct code from posthorn.alert where code in ('OUTBOX_STALLED', 'MESSAGE_STUCK') order by code`

/** Of one transaction. */
export const SHORT_IDLENESS: Statement = sql`set local idle_in_transaction_session_timeout = 20`
export const PING: Statement = sql`select 1`
