import { sql, type Statement } from '@posthorn/engine'
import { spell, spellTable, type TableName } from '@posthorn/engine/internal'

/** A column as an adopted table has it. */
export interface AdoptedColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** As SQL. */
  readonly default: string | null
  readonly generated: boolean
  /** Of an enum. */
  readonly labels: readonly string[]
  readonly primary: boolean
}

/** The table of this name, with its schema or in the search path. */
export function selectTable(name: string): Statement {
  return sql`
    select n.nspname || '.' || c.relname as table, c.reltuples::float8 as rows
      from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p')
       and (n.nspname || '.' || c.relname = ${name}
            or c.relname = ${name} and pg_table_is_visible(c.oid))`
}

export function selectTableColumns(table: TableName): Statement {
  return sql`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           not a.attnotnull as nullable, pg_get_expr(d.adbin, d.adrelid) as default,
           a.attgenerated <> '' or a.attidentity <> '' as generated,
           array(select e.enumlabel::text from pg_enum as e
                  where e.enumtypid = a.atttypid order by e.enumsortorder) as labels,
           exists (select from pg_index as i
                    where i.indrelid = a.attrelid and i.indisprimary
                      and i.indnkeyatts = 1 and a.attnum = i.indkey[0]) as primary
      from pg_attribute as a
      left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = to_regclass(${spellTable(table)}) and a.attnum > 0 and not a.attisdropped
     order by a.attnum`
}

/** Checks, and unique indexes but the primary key. */
export function selectRules(table: TableName): Statement {
  return sql`
    select 'check' as kind, conname::text as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where conrelid = to_regclass(${spellTable(table)}) and contype = 'c'
    union all
    select 'unique', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
      from pg_index
     where indrelid = to_regclass(${spellTable(table)}) and indisunique and not indisprimary`
}

const SAMPLED = 10_000

/** Distinct values of a column among some rows: a table of any size is read in bounded time. */
export function selectSample(table: TableName, column: string): Statement {
  return {
    text: `select distinct value from (
  select left(${spell(column)}::text, 10000) as value from ${spellTable(table)} limit ${SAMPLED}) as sampled
 where value is not null
 order by value limit 30`,
    values: [],
  }
}

export function addColumnSql(table: TableName, column: string, type: string): string {
  return `alter table ${spellTable(table)} add column ${column} ${type};`
}

/** Rows that were sent before there was a state; `where` is the caller's. */
export function markSentSql(table: TableName, sent: unknown, where: string): string {
  return `update ${spellTable(table)} set status = '${String(sent)}' where ${where};`
}

/** What the writers of the table leave out has a value from now on. */
export function fillNullsSql(table: TableName, column: string, value: string): string[] {
  const name = spell(column)
  return [
    `update ${spellTable(table)} set ${name} = ${value} where ${name} is null;`,
    `alter table ${spellTable(table)} alter column ${name} set default ${value}, alter column ${name} set not null;`,
  ]
}

export function addLabelSql(type: string, label: string): string {
  return `alter type ${type} add value '${label}';`
}

/** A check on a column with other words. */
export function replaceCheckSql(
  table: TableName,
  { name, column, words }: { name: string; column: string; words: readonly string[] },
): string[] {
  const list = words.map((word) => `'${word}'`).join(', ')
  return [
    `alter table ${spellTable(table)} drop constraint ${spell(name)};`,
    `alter table ${spellTable(table)} add constraint ${spell(name)} check (${spell(column)} in (${list}));`,
  ]
}
