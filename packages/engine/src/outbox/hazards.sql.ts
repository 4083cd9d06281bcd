// What the catalogue says of things that would keep a relay from finding or settling messages.
import { spell } from '../database/sql-names.ts'
import { sql, type Statement } from '../database/sql-tag.ts'
import type { CheckedDefinition } from './resolved-definition.ts'

/** A right that a relay's role needs and has not. */
export interface MissingRight {
  readonly role: string
  readonly privilege: string
  /** As in `table shop.outbox`. */
  readonly object: string
}

/** Rights on one table: `privileges` on all of it, `update` on each of `columns`. */
export interface TableNeed {
  readonly schema: string
  readonly name: string
  readonly privileges: readonly string[]
  /** Default: all of the table's. */
  readonly columns?: readonly string[]
}

/** Schemas that this role may not use: nothing in them can be asked for. */
export function selectHiddenSchemas(schemas: readonly string[]): Statement {
  return sql`
    select current_user::text as role, 'usage' as privilege, format('schema %I', nspname) as object
      from pg_namespace
     where nspname = any(${[...schemas]}::text[]) and not has_schema_privilege(oid, 'usage')
     order by nspname`
}

/** Rights on tables that this role has not; a right on every column that counts is as good. */
export function selectMissingRights(needs: readonly TableNeed[]): Statement {
  const json = JSON.stringify(needs)
  return sql`
    with need as (
      select n.schema, n.name, p.privilege, n.columns
        from jsonb_to_recordset(${json}::jsonb) as n (schema text, name text, privileges text[], columns text[])
       cross join unnest(n.privileges) as p (privilege)
    )
    select current_user::text as role, need.privilege, format('table %I.%I', need.schema, need.name) as object
      from need
      join pg_namespace as s on s.nspname = need.schema
      join pg_class as c on c.relnamespace = s.oid and c.relname = need.name
     where not has_table_privilege(c.oid, need.privilege)
       and (need.privilege = 'delete' or exists (
             select from pg_attribute as a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                and (need.privilege <> 'update' or need.columns is null or a.attname = any(need.columns))
                and not has_column_privilege(c.oid, a.attnum, need.privilege)))
     order by object, need.privilege`
}

/** Functions of the engine that this role may not call. */
export function selectForbiddenFunctions(names: readonly string[]): Statement {
  return sql`
    select current_user::text as role, 'execute' as privilege,
           format('function %s', p.oid::regprocedure) as object
      from pg_proc as p
      join pg_namespace as s on s.oid = p.pronamespace
     where s.nspname = 'posthorn' and p.proname = any(${[...names]}::text[])
       and not has_function_privilege(p.oid, 'execute')
     order by object`
}

/** A trigger before a row is written, with what it runs. */
export interface RowTrigger {
  readonly name: string
  readonly source: string
  readonly on_update: boolean
}

export function selectRowTriggers(table: string): Statement {
  return sql`
    select t.tgname as name, p.prosrc as source, (t.tgtype & 16) <> 0 as on_update
      from pg_trigger as t
      join pg_proc as p on p.oid = t.tgfoid
     where t.tgrelid = to_regclass(${table}) and not t.tgisinternal and t.tgenabled <> 'D'
       and (t.tgtype & 1) <> 0 and (t.tgtype & 2) <> 0
     order by t.tgname`
}

/** How an ordered table comes by the places of its messages. */
export function selectPlaceColumns(table: string): Statement {
  return sql`
    select a.attname as name, a.attgenerated = 's' as is_generated, a.attidentity <> '' or a.atthasdef as has_default,
           pg_get_expr(d.adbin, d.adrelid) as expression
      from pg_attribute as a
      left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = to_regclass(${table}) and a.attname in ('seq', 'bucket')`
}

/** A unique index with the columns that it compares or chooses its rows by. */
export interface UniqueIndex {
  readonly name: string
  readonly columns: readonly string[]
  readonly definition: string
}

/** Unique indexes other than those that have the id in them, which are unique whatever else changes. */
export function selectUniqueIndexes(table: string, id: string): Statement {
  return sql`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition,
           array(select a.attname::text from pg_attribute as a
                  where a.attrelid = i.indrelid and a.attnum > 0
                    and (a.attnum = any(i.indkey)
                         or exists (select from pg_depend as d
                                     where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
                                       and d.refobjid = i.indrelid and d.refobjsubid = a.attnum))) as columns
      from pg_index as i
     where i.indrelid = to_regclass(${table}) and i.indisunique
       and not exists (select from pg_attribute as a
                        where a.attrelid = i.indrelid and a.attname = ${id} and a.attnum = any(i.indkey))
     order by 1`
}

/** Names of tables that the engine itself needs for a definition, with what it does to them. */
export function engineNeeds({ order, limit, audit }: CheckedDefinition): TableNeed[] {
  const need = (name: string, ...privileges: string[]) => ({ schema: 'posthorn', name, privileges })
  return [
    need('clock', 'select'),
    need('outbox', 'select', 'insert', 'update'),
    need('pause', 'select'),
    need('session', 'select', 'insert', 'update', 'delete'),
    need('relay', 'select'),
    need('pulse', 'select', 'insert', 'update', 'delete'),
    need('recurring', 'select', 'delete'),
    need('alert', 'select', 'insert', 'update'),
    ...(audit.record === 'none' ? [] : [need('transition', 'insert')]),
    ...(order
      ? [
          need('bucket', 'select', 'insert', 'update'),
          need('held_key', 'select', 'insert', 'update', 'delete'),
        ]
      : []),
    ...(limit ? [need('permit', 'select', 'insert', 'update', 'delete')] : []),
  ]
}

/** The same of functions. */
export function engineFunctions({ order, log, limit }: CheckedDefinition): string[] {
  return [
    ...['now', 'add_counts'],
    ...(order ? ['bucket_of', 'key_digest'] : []),
    ...(log === undefined ? [] : ['log_late', 'log_gone', 'log_cluster']),
    ...(limit ? ['take_permits'] : []),
  ]
}

/** Repairs that a hazard proposes. */
export function replaceColumnSql(table: string, column: string, type: string): string {
  return `alter table ${table} drop column ${column}, add column ${column} ${type};`
}

export function dropTriggerSql(table: string, trigger: string): string {
  return `drop trigger ${spell(trigger)} on ${table};`
}

export function dropIndexSql(index: string, definition: string): string {
  return `drop index ${index}; -- ${definition}`
}
