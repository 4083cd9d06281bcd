import { sql, type Statement } from '@posthorn/engine'
import { heldCondition, type RetentionRule } from './retention.sql.ts'

/** By what a person is named. */
export type SubjectKind = 'email' | 'phone' | 'externalId' | 'dossierId'

/**
 * A table in which a person can be found. Expressions are SQL about the row `t`, with `$value` for
 * what names the person, `$find` and `$pattern` for the expressions that find and replace it in texts, and
 * `$tenant` for the organisation.
 */
export interface PersonalTable extends Pick<RetentionRule, 'table' | 'key' | 'org' | 'things'> {
  /**
   * In rows in which the person is found, the person is replaced where a column names it. Here are the
   * columns of which the whole value changes instead.
   */
  readonly columns?: Readonly<Record<string, { readonly to: string }>>
  /** True of rows that are about the person, also if no text names it; by the kind of the subject. */
  readonly about?: Partial<Readonly<Record<SubjectKind, string>>>
  /** Of an audit: `posthorn.erase_audit` empties the personal columns of a row, and its seal holds. */
  readonly audit?: true
  /** True of rows that are in flight: they wait until they are over. */
  readonly busy?: string
}

/** Whom an erasure is about, as statements need it. */
export interface ErasureTarget {
  readonly tenant: string
  readonly kind: SubjectKind
  readonly value: string
  /** Finds the person in texts; null where the name alone would find others too. */
  readonly find: string | null
  /** Replaces it in rows that were found. */
  readonly pattern: string
}

/** Personal columns are declared where they are made: `comment on column … is 'personal'`. */
export function selectColumns(table: string): Statement {
  return sql`
    select attname::text as name, format_type(atttypid, null) as type,
           coalesce(col_description(attrelid, attnum) = 'personal', false) as personal
      from pg_attribute
     where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`
}

export type ColumnTypes = Readonly<Record<string, string>>

/** A table with what becomes of each of its columns: those that are declared, and the exceptions. */
export interface ErasableTable extends Omit<PersonalTable, 'columns'> {
  readonly columns: Readonly<Record<string, 'mention' | { readonly to: string }>>
  readonly types: ColumnTypes
}

/** Rows of a table behind a key, each with whether it is to be erased, and what stands in the way. */
export function selectPage(
  table: ErasableTable,
  page: ErasureTarget & { after: readonly string[] | null; limit: number },
): Statement {
  const { key, columns, types, org, about = {}, busy = 'false' } = table
  const bound = binder(page)
  const texts = Object.keys(columns).map((column) =>
    bound(`coalesce(${textOf(column, types)} ~* $find, false)`),
  )
  const own = about[page.kind]
  const hit = [
    'false',
    ...texts,
    ...(own === undefined ? [] : [bound(`coalesce((${own}), false)`)]),
  ]
  const names = key.map((column) => `t.${column}`)
  const { after } = page
  const behind =
    after === null
      ? ''
      : `where (${names.join(', ')}) > (${key
          .map((column, i) => `${bound.param(after[i])}::text::${types[column]}`)
          .join(', ')})`
  const text = `select array[${names.map((name) => `${name}::text`).join(', ')}] as key,
       ${org === undefined ? 'true' : bound(`(${org}) = $tenant`)}
         and (${hit.join('\n              or ')}) as hit,
       coalesce((${bound(busy)}), false) as busy,
       ${bound(heldCondition(table))} as held
  from ${table.table} as t
 ${behind}
 order by ${names.join(', ')}
 limit ${bound.param(page.limit)}`
  return { text, values: bound.values }
}

/** How many rows of a page are to be erased, how many of them wait, and where the page ends. */
export function countPage(...[table, page]: Parameters<typeof selectPage>): Statement {
  const { text, values } = selectPage(table, page)
  return {
    text: `select count(*)::int as looked, json_agg(p.key) -> -1 as last,
       (count(*) filter (where p.hit))::int as rows,
       (count(*) filter (where p.hit and p.held))::int as held
  from (${text}) as p`,
    values,
  }
}

/** Overwrites rows by their keys; those that went into flight meanwhile stay as they are. */
export function eraseRows(
  table: ErasableTable,
  rows: ErasureTarget & { keys: readonly (readonly string[])[] },
): Statement {
  const { key, columns, types, busy = 'false', audit } = table
  const bound = binder(rows)
  if (audit) {
    const list = `${bound.param(rows.keys.map(([seq]) => seq))}::text[]::bigint[]`
    const text = `select generate_series(1,
         posthorn.erase_audit('${table.table}', ${list}, 'RETENTION', 'a person was erased'))`
    return { text, values: bound.values }
  }
  const set = Object.entries(columns).map(([column, how]) => {
    const value = how === 'mention' ? mentionless(column, types) : how.to
    return `${column} = ${bound(value)}`
  })
  const lists = key.map((_, i) => `${bound.param(rows.keys.map((each) => each[i]))}::text[]`)
  const parts = key.map((column, i) => `u.k${i}::${types[column]}`)
  const text = `update ${table.table} as t
   set ${set.join(',\n       ')}
 where (${key.map((column) => `t.${column}`).join(', ')}) in (
         select ${parts.join(', ')}
           from unnest(${lists.join(', ')}) as u (${key.map((_, i) => `k${i}`).join(', ')}))
   and not coalesce((${bound(busy)}), false)
returning 1`
  return { text, values: bound.values }
}

function textOf(column: string, types: ColumnTypes): string {
  return types[column] === 'bytea' ? `encode(t.${column}, 'escape')` : `t.${column}::text`
}

function mentionless(column: string, types: ColumnTypes): string {
  const own = `t.${column}`
  switch (types[column]) {
    case 'jsonb':
      return `posthorn.erase_json(${own}, $pattern)`
    case 'json':
      return `posthorn.erase_json(${own}::jsonb, $pattern)::json`
    case 'bytea':
      return `posthorn.erase_bytes(${own}, $pattern)`
    case 'text[]':
      return `posthorn.erase_text(${own}::text, $pattern)::text[]`
    case undefined:
    default:
      return `posthorn.erase_text(${own}, $pattern)`
  }
}

/** Numbers the names in expressions, each value once. */
function binder(target: ErasureTarget) {
  const values: unknown[] = []
  const numbers = new Map<string, string>()
  const param = (value: unknown) => `$${values.push(value)}`
  const bound = (expression: string) =>
    expression.replaceAll(/\$(value|find|pattern|tenant)\b/g, (_, name: keyof ErasureTarget) => {
      const known = numbers.get(name) ?? `${param(target[name])}::text`
      numbers.set(name, known)
      return known
    })
  return Object.assign(bound, { values, param })
}

const COLUMNS = sql`
  id, tenant, subject_kind, status, reason, requested_by, requested_at, finished_at,
  erased::float8 as erased, looked_at::float8 as looked_at, in_flight::float8 as in_flight,
  held::float8 as held`

export interface NewErasure {
  readonly id: string
  readonly tenant: string
  readonly kind: SubjectKind
  readonly digest: string
  readonly sealed: string
  readonly by: string
  readonly reason: string | null
}

/** Begins an erasure, with its trace in the audit; no row if one of the same person is under way. */
export function insertErasure(erasure: NewErasure): Statement {
  const { id, tenant, kind, digest, sealed, by, reason } = erasure
  return sql`
    with made as (
      insert into posthorn.erasure
             (id, tenant, subject_kind, subject_digest, sealed_subject, reason, requested_by)
      values (${id}, ${tenant}, ${kind}, ${digest}, ${sealed}, ${reason}, ${by})
          on conflict (tenant, subject_kind, subject_digest) where status <> 'done' do nothing
      returning *
    ), noted as (
      insert into posthorn.operation (operation, subject, tenant, actor, reason)
      select 'erase person', id::text, tenant, requested_by, reason from made
    )
    select ${COLUMNS} from made`
}

export function selectOpenErasure(key: Pick<NewErasure, 'tenant' | 'kind' | 'digest'>): Statement {
  return sql`
    select ${COLUMNS} from posthorn.erasure
     where tenant = ${key.tenant} and subject_kind = ${key.kind}
       and subject_digest = ${key.digest} and status <> 'done'`
}

export function selectErasure(id: string): Statement {
  return sql`select ${COLUMNS} from posthorn.erasure where id = ${id}`
}

export function selectErasures(page: {
  tenant: string | null
  before: string | null
  limit: number
}): Statement {
  return sql`
    select ${COLUMNS}
      from posthorn.erasure
     where (${page.tenant}::text is null or tenant = ${page.tenant})
       and (${page.before}::uuid is null or id < ${page.before}::uuid)
     order by id desc
     limit ${page.limit}`
}

export interface ErasureWork {
  readonly id: string
  readonly tenant: string
  readonly subject_kind: SubjectKind
  readonly sealed_subject: string
  readonly status: 'running' | 'waiting'
  readonly table_no: number
  readonly after_key: readonly string[] | null
}

/** An erasure with work to do, locked for this transaction; a pass that begins counts anew. */
export const claimErasure: Statement = sql`
  select id, tenant, subject_kind, sealed_subject, status, table_no, after_key
    from posthorn.erasure
   where status <> 'done' and next_pass_at <= now()
   order by next_pass_at, id
   limit 1
     for update skip locked`

export interface ErasureProgress {
  readonly id: string
  readonly tableNo: number
  readonly after: readonly string[] | null
  readonly looked: number
  readonly erased: number
  readonly inFlight: number
  readonly held: number
}

export function saveProgress(p: ErasureProgress): Statement {
  return sql`
    update posthorn.erasure
       set table_no = ${p.tableNo}, after_key = ${p.after}, looked_at = looked_at + ${p.looked},
           erased = erased + ${p.erased},
           in_flight = case when status = 'waiting' then 0 else in_flight end + ${p.inFlight},
           held = case when status = 'waiting' then 0 else held end + ${p.held},
           status = 'running'
     where id = ${p.id}`
}

/** Ends a pass: all is done and the subject is forgotten, or what stood in the way is tried later. */
export function endPass(id: string, retryMs: number): Statement {
  return sql`
    with ended as (
      update posthorn.erasure
         set status = case when in_flight + held = 0 then 'done' else 'waiting' end,
             finished_at = case when in_flight + held = 0 then now() end,
             sealed_subject = case when in_flight + held = 0 then null else sealed_subject end,
             next_pass_at = now() + ${retryMs}::float8 * interval '1 ms',
             table_no = 0, after_key = null
       where id = ${id}
      returning *
    ), noted as (
      insert into posthorn.operation (operation, subject, tenant, actor, reason)
      select 'erased person', id::text, tenant, 'RETENTION', erased || ' rows overwritten'
        from ended where status = 'done'
    )
    select ${COLUMNS} from ended`
}

/** Lets erasures go on at once that wait for a legal hold. */
export function wakeErasures(tenant: string): Statement {
  return sql`
    update posthorn.erasure set next_pass_at = now() where tenant = ${tenant} and status = 'waiting'`
}
