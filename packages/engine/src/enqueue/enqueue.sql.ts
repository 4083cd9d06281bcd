import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import type { TypedColumn } from '../outbox/table.sql.ts'
import { spell } from '../database/sql-names.ts'
import { prepare, type Prepared } from '../database/prepared.ts'

/**
 * One statement for one message or ten thousand: an array for each column, put together again by
 * `unnest`. A message whose dedupe columns are taken is left out of the result. By key it tells the
 * buckets, so that a relay of this process looks nowhere else.
 */
export function insertMessages(
  { table, log, columns, order }: ResolvedDefinition,
  {
    given,
    delayed,
    dedupes,
  }: { given: readonly TypedColumn[]; delayed: boolean; dedupes: boolean },
): Prepared {
  const names = given.map(({ name }) => spell(name))
  // Without a delay the column's own default applies where it is not given.
  const due = delayed ? [columns.dueAt] : []
  const dueValue = delayed ? [`posthorn.now() + u.delay_ms * interval '1 ms'`] : []
  return prepare((p) => {
    const arrays = given.map(({ name, type }) => `${p(name)}::${arrayOf(type)}`)
    if (delayed) arrays.push(`${p('delay_ms')}::float8[]`)
    // Once, before the first row: a transaction without a number could have a `seq` that no reader
    // knows to wait for.
    const numbered = order ? '\n where pg_current_xact_id() is not null' : ''
    const conflict = dedupes ? `\n    on conflict (${columns.dedupe?.join(', ')}) do nothing` : ''
    return `insert into ${log ?? table} (${[...names, ...due].join(', ')})
select ${[...given.map(({ name, type }) => selectColumn(spell(name), type)), ...dueValue].join(', ')}
  from unnest(${arrays.join(', ')})
    as u (${[...names, ...(delayed ? ['delay_ms'] : [])].join(', ')})${numbered}${conflict}
returning ${columns.id}::text as id${order ? ', bucket' : ''}`
  })
}

/** `unnest` would take an array of arrays apart to its last element: those travel as JSON. */
function arrayOf(type: string): string {
  return type.endsWith('[]') ? 'jsonb[]' : `${type}[]`
}

function selectColumn(name: string, type: string): string {
  if (!type.endsWith('[]')) return `u.${name}`
  return `array(select jsonb_array_elements_text(u.${name}))::${type}`
}

/** Messages that were there before, found by their dedupe columns. */
export function findDuplicates(
  { table, columns }: ResolvedDefinition,
  given: readonly TypedColumn[],
): Prepared {
  const dedupe = given.filter(({ name }) => columns.dedupe?.includes(spell(name)))
  const names = dedupe.map(({ name }) => spell(name))
  return prepare(
    (p) => `select t.${columns.id}::text as id, u.at::int as at
  from unnest(${dedupe.map(({ name, type }) => `${p(name)}::${arrayOf(type)}`).join(', ')})
    with ordinality as u (${names.join(', ')}, at)
  join ${table} as t on ${names.map((name) => `t.${name} = u.${name}`).join(' and ')}`,
  )
}

/**
 * Locks the buckets of keys until the transaction ends, always in the same order, so that two
 * writers of one key get their `seq` in the order in which they commit.
 */
export function lockBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `select pg_advisory_xact_lock(hashtext('${name}'), bucket)
  from (select distinct posthorn.bucket_of(key)::int as bucket
          from unnest(${p('keys')}::text[]) as key
         order by bucket) as b`,
  )
}
