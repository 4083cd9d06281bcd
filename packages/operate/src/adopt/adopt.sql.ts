import { sql, type Statement } from '@posthorn/engine'
import { spell, spellTable, type TableName } from '@posthorn/engine/internal'

/** A column as an adopted table has it. */
export interface AdoptedColumn {
  readonly table: TableName
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly generated: boolean
  readonly primary: boolean
  /** Words that its enum, its checks and its default have. */
  readonly words: readonly string[]
  /** It holds only those of its enum or its checks. */
  readonly closed: boolean
}

/** The columns of the table of this name, with its schema or in the search path. */
export function selectColumns(table: string): Statement {
  return sql`
    select n.nspname || '.' || c.relname as table,
           a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           not a.attnotnull as nullable,
           a.attgenerated <> '' or a.attidentity <> '' as generated,
           exists (select from pg_index as i
                    where i.indrelid = a.attrelid and i.indisprimary
                      and i.indnkeyatts = 1 and a.attnum = i.indkey[0]) as primary,
           labels || checked
           || array(select m[1]
                      from pg_attrdef as d
                     cross join regexp_matches(
                             pg_get_expr(d.adbin, d.adrelid), '^''?([[:alnum:]_-]+)''?') as m
                     where d.adrelid = a.attrelid and d.adnum = a.attnum) as words,
           cardinality(labels || checked) > 0 as closed
      from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
      join pg_attribute as a on a.attrelid = c.oid
     cross join lateral (
           select array(select e.enumlabel::text from pg_enum as e
                         where e.enumtypid = a.atttypid order by e.enumsortorder) as labels,
                  array(select replace(m[1], '''''', '''')
                          from pg_constraint as k
                         cross join regexp_matches(
                                 pg_get_constraintdef(k.oid), '''((?:[^'']|'''')*)''', 'g') as m
                         where k.conrelid = a.attrelid and k.contype = 'c'
                           and k.conkey = array[a.attnum]) as checked) as allowed
     where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
       and (n.nspname || '.' || c.relname = ${table}
            or c.relname = ${table} and pg_table_is_visible(c.oid))
     order by a.attnum`
}

const SAMPLED = 10_000

/** Distinct values among some rows: a table of any size is read in bounded time. */
export function selectSample({ table, name }: AdoptedColumn): Statement {
  return {
    text: `select distinct value from (
  select left(${spell(name)}::text, 100) as value from ${spellTable(table)} limit ${SAMPLED}) as sampled
 where value is not null
 order by value limit 30`,
    values: [],
  }
}

export function addColumnSql(table: TableName, column: string, type: string): string {
  return `alter table ${spellTable(table)} add column ${column} ${type};`
}

/** Rows that were sent before there was a state; `where` is the caller's. */
export function markSentSql(table: TableName, where: string): string {
  return `update ${spellTable(table)} set status = 'sent' where ${where};`
}

/** What the writers of the table leave out has a value from now on. */
export function fillNullsSql(table: TableName, column: string, value: string): string {
  const [place, name] = [spellTable(table), spell(column)]
  return `update ${place} set ${name} = ${value} where ${name} is null;
alter table ${place} alter column ${name} set default ${value}, alter column ${name} set not null;`
}
