import { bareTable, beside, spell } from '../outbox/sql-names.ts'
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'

/**
 * The log in front of a definition's table: the same columns, partitions that are dropped when their time is
 * over, and the three indexes that it is read by. The xid stands before everything else, since defaults are
 * evaluated in the order of the columns: a writer without a number could have a `seq` that no reader knows
 * to wait for.
 */
export function logTableSql({ log, table, columns }: ResolvedDefinition): string[] {
  if (log === undefined) return []
  const index = (what: string) => spell(`${bareTable(log)}_${what}`)
  return [
    `create table if not exists ${log} (
  xid xid8 not null default pg_current_xact_id(),
  logged_at timestamptz not null default now(),
  like ${table} including defaults including constraints including generated including identity
) partition by range (logged_at);`,
    `create table if not exists ${beside(log, '_default')} partition of ${log} default;`,
    `create index if not exists ${index('flow')} on ${log} (bucket, seq);`,
    `create index if not exists ${index('late')} on ${log} (xid, bucket, seq);`,
    `create index if not exists ${index('id')} on ${log} (${columns.id});`,
  ]
}

/** Names of columns that the table has and its log has not. */
export function selectMissingInLog(table: string, log: string): { text: string; values: string[] } {
  return {
    text: `select t.attname::text as name
  from pg_attribute as t
 where t.attrelid = to_regclass($1) and t.attnum > 0 and not t.attisdropped
   and not exists (
     select from pg_attribute as l
      where l.attrelid = to_regclass($2) and l.attname = t.attname and not l.attisdropped)
 order by t.attnum`,
    values: [table, log],
  }
}
