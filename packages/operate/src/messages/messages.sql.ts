import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { sql, type Statement } from '../enqueue/sql-tag.ts'
import type { TimeSort } from './direction.ts'
import { fromLog, inLoggedState, loggedState } from './log-view.ts'
import { literal, prepare, type Prepared } from './prepared.ts'

/** What a list is narrowed to; the statement has a condition only for what is given. */
export interface ListConditions {
  readonly state: string | undefined
  readonly given: readonly ListCondition[]
  readonly goesOn: boolean
  readonly sort: TimeSort
}

export type ListCondition =
  'search' | 'id' | 'tenant' | 'key' | 'type' | 'code' | 'error' | 'since' | 'until'

/**
 * A page of messages, newest or oldest first. The page ends are the time in microseconds, which a JavaScript
 * date cannot hold, and the id; in a table without a time the id alone.
 */
export function listMessages(definition: ResolvedDefinition, conditions: ListConditions): Prepared {
  const { table, log, columns } = definition
  const { createdAt, id, status } = columns
  const shown = [...new Set(selectShownColumns(definition))]
  const time = createdAt
    ? `, (extract(epoch from m.${createdAt}::timestamptz) * 1000000)::bigint as posthorn_us`
    : ''
  const order = conditions.sort === 'newest' ? 'desc' : 'asc'
  const sort = [...(createdAt ? [createdAt] : []), id].map((column) => `m.${column} ${order}`)
  return prepare((p) => {
    const page = (from: string, stateSql: string, where: readonly string[]) => {
      const listed = shown.map((column) =>
        column === status && stateSql !== '' ? `${stateSql} as ${column}` : `m.${column}`,
      )
      return `select ${listed.join(', ')}${time}${labelOf(definition)}
  from ${from}${where.length === 0 ? '' : `\n where ${where.join('\n   and ')}`}
 order by ${sort.join(', ')}
 limit ${p('limit')}`
    }
    const inTable = page(`${table} as m`, '', narrow(definition, conditions, p))
    const { state, ...rest } = conditions
    const word = state === undefined ? 'true' : inLoggedState(definition, state)
    if (log === undefined || word === undefined) return inTable
    const where = [word, ...narrow(definition, { ...rest, state: undefined }, p)]
    const inLog = page(fromLog(definition), loggedState(definition), where)
    return `select m.*
  from ((${inTable})
        union all
        (${inLog})) as m
 order by ${sort.join(', ')}
 limit ${p('limit')}`
  })
}

function narrow(
  definition: ResolvedDefinition,
  { state, given, goesOn, sort }: ListConditions,
  p: (param: string) => string,
): string[] {
  const { columns, states } = definition
  const where: string[] = []
  if (state !== undefined) {
    const word = Object.values(states).find((each) => each !== undefined && String(each) === state)
    // A word the definition does not know may still be in the table, put there by hand.
    if (word === undefined) where.push(`m.${columns.status}::text = ${p('state')}::text`)
    else where.push(`m.${columns.status} = ${literal(word)}`)
  }
  for (const field of given) where.push(conditionOn(definition, field, p(field)))
  if (goesOn) {
    const last = `${p('after_id')}::${columns.idType}`
    const beyond = sort === 'newest' ? '<' : '>'
    where.push(
      columns.createdAt
        ? `(m.${columns.createdAt}, m.${columns.id}) ${beyond} (timestamptz 'epoch' + ${p('us')}::bigint * interval '1 microsecond', ${last})`
        : `m.${columns.id} ${beyond} ${last}`,
    )
  }
  return where
}

function conditionOn(
  { columns, order }: ResolvedDefinition,
  field: ListCondition,
  value: string,
): string {
  switch (field) {
    case 'search':
      return `strpos(lower(m::text), lower(${value}::text)) > 0`
    case 'error':
      return `strpos(lower(m.${columns.error}::text), lower(${value}::text)) > 0`
    case 'id':
      return `m.${columns.id} = ${value}::${columns.idType}`
    case 'since':
      return `m.${columns.createdAt} >= ${value}::timestamptz`
    case 'until':
      return `m.${columns.createdAt} < ${value}::timestamptz`
    case 'tenant':
    case 'type':
      return `m.${columns[field]}::text = ${value}::text`
    case 'key':
      return `m.${order?.key}::text = ${value}::text`
    case 'code':
      return `m.${columns.errorCode}::text = ${value}::text`
  }
}

/** The columns that the summary of a message is made of. */
function selectShownColumns({
  columns,
  counter,
  order,
  retry,
  confirmWithinMs,
}: ResolvedDefinition): string[] {
  const own = [
    columns.id,
    columns.status,
    columns.dueAt,
    columns.createdAt,
    columns.type,
    columns.tenant,
    columns.error,
    columns.errorCode,
    counter.column,
    order?.key,
  ].filter((column) => column !== undefined)
  if (!order || confirmWithinMs !== undefined) own.push('claimed_until')
  if (retry.attempts === undefined) own.push('quarantined_at')
  if (order) own.push('held')
  return own
}

/** Longest label that is shown: a payload may have a novel in the place of a name. */
const MOST_OF_A_LABEL = 200

/** What people know the message by, beside its columns; nothing where the definition names none. */
function labelOf({ label }: ResolvedDefinition): string {
  if (label.length === 0) return ''
  const parts = label.map(([column, ...properties]) => {
    const text =
      properties.length === 0 ? `m.${column}::text` : `m.${column} #>> '{${properties.join(',')}}'`
    return `nullif(${text}, '')`
  })
  return `, nullif(left(concat_ws(' · ', ${parts.join(', ')}), ${MOST_OF_A_LABEL}), '') as posthorn_label`
}

/** One message as it stands in its table. */
export function selectMessage(definition: ResolvedDefinition): Prepared {
  const { table, columns } = definition
  return prepare(
    (p) => `select m.*${labelOf(definition)}
  from ${table} as m
 where m.${columns.id} = ${p('id')}::${columns.idType}`,
  )
}

/** One message as it stands in the log. */
export function selectLogged(definition: ResolvedDefinition): Prepared {
  const { columns } = definition
  return prepare(
    (p) => `select m.*, ${loggedState(definition)} as ${columns.status}${labelOf(definition)}
  from ${fromLog(definition)}
 where m.${columns.id} = ${p('id')}::${columns.idType}
 limit 1`,
  )
}

/** One message that has left its table, with the columns' own types again. */
export function selectArchived(definition: ResolvedDefinition): Prepared {
  const { name, table } = definition
  return prepare(
    (p) => `select m.*, a.archived_at as posthorn_archived_at${labelOf(definition)}
  from posthorn.archive as a
 cross join lateral jsonb_populate_record(null::${table}, a.row_data) as m
 where a.message_id = ${p('id')}::text and a.outbox = '${name}'
 order by a.archived_at desc
 limit 1`,
  )
}

/** Everything that happened to a message, in order. */
export function selectTransitions(outbox: string, id: string): Statement {
  return sql`
    select from_state, to_state, attempt, code, error, actor, reason, at
      from posthorn.transition
     where message_id = ${id} and outbox = ${outbox}
     order by id`
}
