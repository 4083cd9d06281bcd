// What stands in the table of an outbox that is kept in a log: it was enqueued before, or past the library.
import type { ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { anyOf, literal, waitsCondition } from '../../outbox/clauses.sql.ts'
import { prepare, type Prepared } from '../../database/prepared.ts'
import { spell } from '../../database/sql-names.ts'
import { sql, type Statement } from '../../database/sql-tag.ts'

/** Columns that rows of one table can take with them to another, which gives itself the rest. */
export function selectSharedColumns(from: string, to: string): Statement {
  return sql`
    select attname::text as name
      from pg_attribute as a
     where attrelid = ${to}::regclass and attnum > 0 and not attisdropped
       and attgenerated = '' and attidentity = ''
       and exists (
         select from pg_attribute as b
          where b.attrelid = ${from}::regclass and b.attname = a.attname and not b.attisdropped)
     order by attnum`
}

/** Whether anything waits in the table. Two looks, one for each index. */
export function waitsInTable(definition: ResolvedDefinition): string {
  const { template } = definition
  const waits = waitsCondition(definition)
  return `exists (select from ${template} where ${waits} and not held)
       or exists (select from ${template} where held and ${waits})`
}

/** Places of the table are before all of the log, in their own order, and exact as numbers of JavaScript. */
const BEFORE_ALL = '1000000000000000'

/** Moves what waits or is dead in the table to the exceptions; what is over stays until retention takes it. */
export function adoptTable(definition: ResolvedDefinition, names: readonly string[]): Prepared {
  const { name, table, template, columns, order, states } = definition
  const over = anyOf(
    columns.status,
    [states.sent, states.cancelled].filter((state) => state !== undefined),
  )
  const isDead =
    states.dead === undefined
      ? 'quarantined_at is not null'
      : `${columns.status} = ${literal(states.dead)}`
  const valueOf = (column: string) => {
    if (column === 'seq') return `seq - ${BEFORE_ALL}`
    if (column === 'held') return `not (${isDead})`
    // Whatever else it was: no relay has it in hand.
    if (column !== columns.status) return column
    return `case when ${isDead} then ${column} else ${literal(states.ready)} end`
  }
  const spelled = names.map(spell)
  return prepare(
    () => `with gone as (
  delete from ${template} where not (${over}) returning *
),
moved as (
  insert into ${table} (${spelled.join(', ')})
  select ${spelled.map(valueOf).join(', ')} from gone
  returning ${order?.key}::text as key, bucket, held
),
kept as (
  insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by)
  select '${name}', key, min(bucket), posthorn.now(), 'MOVED' from moved where held group by key order by key
      on conflict (outbox, key) do update set version = h.version + 1
)
select count(*)::int as moved from moved`,
  )
}
