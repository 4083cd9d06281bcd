import {
  type ResolvedDefinition,
  type TimeSort,
  fromLog,
  inLoggedState,
  loggedState,
  prepare,
  type Prepared,
  literal,
  waitsCondition,
  HAS_GONE,
  failedCondition,
  postponedCondition,
} from '@posthorn/engine/internal'
import { sql, type Statement } from '@posthorn/engine'

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
    select from_state as "from", to_state as "to", attempt, code, error, actor, reason, at
      from posthorn.transition
     where message_id = ${id} and outbox = ${outbox}
     order by id`
}

/** Rows of one tenant that are looked at, at the most. */
export const MOST_OF_TENANT = 10_000

export interface TenantCountRow {
  readonly state: string
  readonly n: number
  readonly due: number
  readonly retrying: number
  readonly postponed: number
  readonly scheduled: number
  readonly oldest_due: number
  readonly oldest: number | null
  readonly dead_since: Date | null
}

/** One tenant's messages by state, and what of them is due. */
export function countTenant(definition: ResolvedDefinition): Prepared {
  const { table, log, columns, states } = definition
  const written = columns.createdAt === undefined ? 'null' : `m.${columns.createdAt}`
  const isState = (state: string | number | undefined) =>
    state === undefined ? 'false' : `${columns.status} = ${literal(state)}`
  return prepare((p) => {
    const found = (from: string, { state, waits, failed, postponed, claimed, dead }: Signs) =>
      `select (${state})::text as state, m.${columns.dueAt} as due_at, ${written}::timestamptz as written,
               ${waits} as waits, m.${columns.dueAt} <= (select posthorn.now()) as due,
               ${failed} as failed, ${postponed} as postponed, ${claimed} as claimed, ${dead} as dead
          from ${from}
         where m.${columns.tenant}::text = ${p('tenant')}::text`
    const inTable = found(`${table} as m`, {
      state: `m.${columns.status}`,
      waits: waitsCondition(definition),
      failed: failedCondition(definition),
      postponed: postponedCondition(definition),
      claimed: isState(states.claimed),
      dead: isState(states.dead),
    })
    const logged = { state: loggedState(definition), waits: `not ${HAS_GONE}` }
    const inLog =
      log === undefined
        ? ''
        : `\n        union all\n        ${found(fromLog(definition), { ...logged, ...UNCLAIMED })}`
    return `select state, count(*)::int as n,
       count(*) filter (where waits and due)::int as due,
       count(*) filter (where waits and not due and failed)::int as retrying,
       count(*) filter (where waits and not due and postponed)::int as postponed,
       count(*) filter (where waits and not due and not failed and not postponed)::int as scheduled,
       coalesce(max(extract(epoch from posthorn.now() - due_at)) filter (where waits and due), 0)::float8 as oldest_due,
       extract(epoch from now() - min(written) filter (where claimed or waits and (due or failed or postponed)))::float8 as oldest,
       min(written) filter (where dead) as dead_since
  from (${inTable}${inLog}
         limit ${MOST_OF_TENANT + 1}) as found
 group by state`
  })
}

/** What is said of a row, as conditions. */
interface Signs {
  readonly state: string
  readonly waits: string
  readonly failed: string
  readonly postponed: string
  readonly claimed: string
  readonly dead: string
}

/** A message that was claimed is no longer in the log. */
const UNCLAIMED = { failed: 'false', postponed: 'false', claimed: 'false', dead: 'false' }

/** Tables that are an inbox by their columns and key; partitions are left out. */
export const selectInboxes: Statement = sql`
  select n.nspname as schema, c.relname as name
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    join pg_index as i on i.indrelid = c.oid and i.indisprimary
   where c.relkind in ('r', 'p') and not c.relispartition
     and has_table_privilege(c.oid, 'select') and has_schema_privilege(n.oid, 'usage')
     and (select array_agg(a.attname::text order by a.attname)
            from pg_attribute as a
           where a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])) = array['consumer', 'event_id']
     and exists (select from pg_attribute as a
                  where a.attrelid = c.oid and a.attname = 'event_id' and a.atttypid = 'text'::regtype)
     and exists (select from pg_attribute as a
                  where a.attrelid = c.oid and a.attname = 'received_at'
                    and a.atttypid = 'timestamptz'::regtype)
   order by n.nspname, c.relname`

/** Who has had a message, by one inbox. */
export function selectReceipts(table: string, id: string): Statement {
  return sql`
    select consumer, received_at
      from ${sql.id(table)}
     where event_id = ${id}
     order by received_at, consumer`
}

/** Whether there are topics in this database at all. */
export const selectHasTopics: Statement = sql`
  select to_regclass('posthorn.topic_message') is not null as has_topics`

/** A message in a topic of Postgres, and how far each group has read its partition. */
export function selectTopicMessage(place: {
  topic: string
  partition: string
  offset: string
}): Statement {
  return sql`
    select m.appended_at,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'group', g.group_name, 'hasPassed', g.committed_offset > m.log_offset)
                     order by g.group_name), '[]')
              from posthorn.topic_group_partition as g
             where g.topic = m.topic and g.partition = m.partition) as groups
      from posthorn.topic_message as m
     where m.topic = ${place.topic} and m.partition = ${place.partition}::int
       and m.log_offset = ${place.offset}::bigint`
}

/** Nothing leads to a trace but reading: what takes longer is left out. */
export const limitSearch: Statement = sql`set local statement_timeout = '500ms'`

/** Messages of an outbox that were written in one trace, of one tenant or of all. */
export function selectTraced(definition: ResolvedDefinition, ofTenant: boolean): Prepared {
  const { table, log, columns } = definition
  const at = columns.createdAt ?? columns.dueAt
  return prepare((p) => {
    const found = (from: string, state: string) =>
      `select m.${columns.id}::text as id, (${state})::text as state, m.${at}::timestamptz as at
  from ${from}
 where m.${columns.traceparent} like ${p('pattern')}${
   ofTenant ? `\n   and m.${columns.tenant}::text = ${p('tenant')}::text` : ''
 }`
    const inLog =
      log === undefined ? '' : `\nunion all\n${found(fromLog(definition), loggedState(definition))}`
    return `${found(`${table} as m`, `m.${columns.status}`)}${inLog}
 limit 20`
  })
}
