import { storageOf, type ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { engineTableSql } from '../outbox/table.sql.ts'
import { sql, type Statement } from '../database/sql-tag.ts'

/** The table of an outbox whose columns the engine chose, with its name noted for `posthorn.enqueue`. */
export function standardTableSql(definition: ResolvedDefinition): string {
  const { name, template: table, log, order, columns } = definition
  const [schema] = table.split('.')
  return `create schema if not exists ${schema};
create table if not exists ${table} (
  id uuid primary key,
  type text not null,
  payload jsonb not null,
  key text${order ? ' not null' : ''},
  tenant text,
  headers jsonb,
  dedupe text unique,${columns.priority ? '\n  priority integer not null default 0,' : ''}
  status text not null default 'pending',
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  error text,
  error_code text,
  traceparent text
);
${engineTableSql(definition)}
insert into posthorn.outbox (name, table_name, log_name, storage, serialise)
values ('${name}', '${table}', ${log === undefined ? 'null' : `'${log}'`}, '${storageOf(definition)}', ${order?.serialise ?? false}) on conflict do nothing;`
}

/**
 * Notes that a handler has done a message; gives a row if it had not. A second one at the same time
 * waits for the first to end, and goes on if that one rolled back.
 */
export function noteHandled(outbox: string, id: string): Statement {
  return sql`
    insert into posthorn.handled (outbox, message_id)
    values (${outbox}, ${id})
    on conflict do nothing
    returning 1`
}
