import { type ResolvedDefinition, inSql, storageOf } from './resolved-definition.ts'
import { sql, type Statement } from '../database/sql-tag.ts'
import { bareTable, spell, beside } from '../database/sql-names.ts'
import { waitsCondition, anyOf, literal } from './clauses.sql.ts'
import type { Outbox } from './define.ts'

/** A column with its type in the table, as the catalogue prints it. */
export interface TypedColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
}

/** Columns a table has, with their types; no row where there is no table. */
export function selectColumns(table: string): Statement {
  return sql`
    select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable
      from pg_attribute
     where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`
}

/** Tables that are called alike but for case and underscores, as ORMs translate names. */
export function selectNamesakes(table: string): Statement {
  return sql`
    select n.nspname || '.' || c.relname as name
      from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p')
       and replace(lower(n.nspname || '.' || c.relname), '_', '') = replace(lower(${table}), '_', '')
     order by 1`
}

/** Predicates of a table's partial indexes, as the server prints them. */
export function selectIndexes(table: string): Statement {
  return sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index
     where indrelid = to_regclass(${table})`
}

/** Columns of each unique index that holds for all rows of a table. */
export function selectUniqueKeys(table: string): Statement {
  return sql`
    select array(select attname::text from pg_attribute
                  where attrelid = indrelid and attnum = any(indkey)) as columns
      from pg_index
     where indrelid = to_regclass(${table}) and indisunique and indpred is null and indexprs is null`
}

/** The index that keeps a definition's dedupe columns unique. */
export function dedupeIndexSql(table: string, dedupe: readonly string[]): string {
  return `create unique index ${spell(`${bareTable(table)}_dedupe`)} on ${table} (${dedupe.join(', ')});`
}

/** What makes a column never null. */
export function notNullSql(table: string, column: string): string {
  return `alter table ${table} alter column ${spell(column)} set not null;`
}

/**
 * Whether row-level security stands between this role and the table, unless a policy lets the role
 * read and write everything. What a policy with a condition hides cannot be known from here.
 */
export function selectVisibility(table: string): Statement {
  return sql`
    with policy as (
      select polpermissive as permissive,
             coalesce(pg_get_expr(polqual, polrelid), 'true') = 'true'
               and coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true' as is_open,
             polcmd as command
        from pg_policy
       where polrelid = to_regclass(${table})
         and (polroles = '{0}' or exists (
               select from unnest(polroles) as role where role <> 0 and pg_has_role(role, 'usage')))
    )
    select current_user::text as role,
           row_security_active(to_regclass(${table}))
             and not (
               (exists (select from policy where permissive and is_open and command = '*')
                 or (exists (select from policy where permissive and is_open and command = 'r')
                      and exists (select from policy where permissive and is_open and command = 'w')))
               and not exists (select from policy where not permissive and not is_open)
             ) as hidden`
}

/**
 * Notes that a name belongs to a table and says to which it does. A table that is gone, or was
 * renamed, gives it free. One statement, so that of two applications only one gets it. Another storage of the
 * same table is the relay's to change to.
 */
export function registerOutbox(definition: ResolvedDefinition): Statement {
  const { name, template, log, order } = definition
  return sql`
    insert into posthorn.outbox as o (name, table_name, log_name, storage, serialise)
    values (${name}, ${template}, ${log ?? null}, ${storageOf(definition)}, ${order?.serialise ?? false})
    on conflict (name) do update
       set table_name = case when to_regclass(o.table_name) is null
                             then excluded.table_name else o.table_name end,
           log_name = case when to_regclass(o.table_name) is null
                           then excluded.log_name else o.log_name end,
           storage = case when to_regclass(o.table_name) is null
                          then excluded.storage else o.storage end,
           serialise = case when o.table_name = excluded.table_name or to_regclass(o.table_name) is null
                            then excluded.serialise else o.serialise end
    returning table_name`
}

/** How an outbox is kept, if any relay or migration has said so. */
export function selectStorage({ name, template }: ResolvedDefinition): Statement {
  return sql`select storage from posthorn.outbox where name = ${name} and table_name = ${template}`
}

/** Whether this role may not read the sequence of a log. */
export function selectSequenceHidden(log: string): Statement {
  const sequence = beside(log, '_seq_seq')
  return sql`
    select not has_sequence_privilege(to_regclass(${sequence}), 'usage, select') as hidden`
}

/** The engine's columns that a definition's table must have: name and type. */
export function engineColumns({
  order,
  retry,
  confirmWithinMs,
}: ResolvedDefinition): [name: string, ddl: string][] {
  const columns: [string, string][] = []
  if (!order || confirmWithinMs !== undefined) {
    columns.push(['claim_token', 'uuid'], ['claimed_until', 'timestamptz'])
  }
  columns.push(['lost_claims', 'smallint not null default 0'])
  if (retry.attempts === undefined) columns.push(['quarantined_at', 'timestamptz'])
  if (order) {
    columns.push(
      ['seq', 'bigint generated always as identity'],
      [
        'bucket',
        `smallint not null generated always as (posthorn.bucket_of(${order.key}::text)) stored`,
      ],
      ['held', 'boolean not null default false'],
    )
  }
  return columns
}

/**
 * What to add to a table that has the definition's own columns: the engine's columns, and the
 * partial indexes of its claims. Goes into a migration, where it can be reviewed.
 */
export function engineTableSql(definition: ResolvedDefinition): string {
  const { table, template, columns, states, order, fair, retry, confirmWithinMs, retention } =
    definition
  const base = bareTable(table)
  const added = engineColumns(definition).map(
    ([name, ddl]) => `  add column if not exists ${name} ${ddl}`,
  )
  const index = (name: string, on: string, where: string) =>
    `create index if not exists ${spell(`${base}_${name}`)} on ${table} ${on}\n  where ${where};`
  const first = fair?.by ?? columns.priority
  const indexes: string[] = []
  if (order) {
    indexes.push(
      index('flow', '(bucket, seq)', `${waitsCondition(definition)} and not held`),
      index('held', `((${order.key}::text), seq)`, `held and ${waitsCondition(definition)}`),
    )
  } else {
    indexes.push(
      index(
        'due',
        `(${first ? `${first}, ` : ''}${columns.dueAt}, ${columns.id})`,
        waitsCondition(definition),
      ),
      index(
        'suspect',
        `(${columns.dueAt}, ${columns.id})`,
        `${waitsCondition(definition)} and lost_claims > 0`,
      ),
    )
  }
  if (states.claimed !== undefined) {
    const claimed = `${columns.status} = ${literal(states.claimed)}`
    indexes.push(index('claimed', '(claimed_until)', claimed))
  }
  // Only what is bound counts what is under way.
  if (fair?.atOnce !== undefined) {
    indexes.push(
      index('unconfirmed', `(${fair.by})`, `${columns.status} = ${literal(states.sent)}`),
    )
  }
  if (confirmWithinMs !== undefined) {
    indexes.push(
      index('sent', `(${columns.sentAt})`, `${columns.status} = ${literal(states.sent)}`),
    )
  }
  if (states.dead !== undefined) {
    const dead = `${columns.status} = ${literal(states.dead)}`
    indexes.push(index('dead', `(${columns.createdAt ?? columns.id})`, dead))
  }
  if (retry.attempts === undefined) {
    indexes.push(index('quarantined', `(${columns.id})`, 'quarantined_at is not null'))
  }
  if (retention && columns.finishedAt) {
    indexes.push(index('finished', `(${columns.finishedAt})`, finishedCondition(definition)))
  }
  return [
    `alter table ${template}\n${added.join(',\n')};`,
    ...logTableSql(definition),
    // Claims then find room on the row's own page (HOT), and vacuum comes before bloat does.
    `alter table ${table} set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);`,
    ...indexes,
  ].join('\n')
}

/** Messages that will not move again by themselves and may be archived; the dead wait for a person. */
export function finishedCondition({ columns, states }: ResolvedDefinition): string {
  const last = states.confirmed ?? states.sent
  const words = states.cancelled === undefined ? [last] : [last, states.cancelled]
  return anyOf(columns.status, words)
}

/**
 * The SQL that makes a table fit its definition: the engine's columns and the indexes of its
 * claims. Put it into the migration that makes the table.
 */
export function outboxTableSql<Row>(outbox: Outbox<Row>): string {
  return engineTableSql(inSql(outbox))
}

/**
 * The log of a definition: the columns of its table, partitions that are dropped when their time is over, and
 * the three indexes that it is read by. The xid stands before everything else, since defaults are evaluated in
 * the order of the columns: a writer without a number could have a `seq` that no reader knows to wait for.
 * Its exceptions are rows of the log that left it, whole: no index of the definition's table refuses them.
 */
export function logTableSql({ name, log, table, template, columns }: ResolvedDefinition): string[] {
  if (log === undefined) return []
  const index = (what: string, on = log) => spell(`${bareTable(on)}_${what}`)
  return [
    `create table if not exists ${log} (
  xid xid8 not null default pg_current_xact_id(),
  logged_at timestamptz not null default now(),
  like ${template} including defaults including constraints including generated including identity including comments
) partition by range (logged_at);`,
    `create table if not exists ${beside(log, '_default')} partition of ${log} default;`,
    `create index if not exists ${index('flow')} on ${log} (bucket, seq);`,
    `create index if not exists ${index('late')} on ${log} (xid, bucket, seq);`,
    `create index if not exists ${index('id')} on ${log} (${columns.id});`,
    `create table if not exists ${table} (like ${log} including defaults including constraints including comments);`,
    `create index if not exists ${index('id', table)} on ${table} (${columns.id});`,
    `${makeRedirect(name, template)};`,
  ]
}

/** Lets messages go on from where the outbox is not kept any more. */
export function makeRedirect(name: string, place: string): string {
  return `create or replace trigger posthorn_redirect after insert on ${place}
  for each row execute function posthorn.redirect_message('${name}', '${place}')`
}

/** Whether two tables differ in their columns, in the order of these or in their types. */
export function selectDiffers(one: string, other: string): Statement {
  const shape = (table: string) => sql`
    array(select attname::text || ' ' || format_type(atttypid, atttypmod)
            from pg_attribute
           where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped
           order by attnum)`
  return sql`select ${shape(one)} <> ${shape(other)} as differs`
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
