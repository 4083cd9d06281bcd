import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { recoverAlertsCte } from '../outbox/alert.sql.ts'
import { freeCancelledCte, holdReplayedCte } from '../relay/settle/held.sql.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import { spell } from '../database/sql-names.ts'
import { anyOf, isRowOf, literal, seqOf, tenantColumn, tenantOf } from '../outbox/clauses.sql.ts'

/** Which dead messages: every condition that is null is left out. */
export function replayable(definition: ResolvedDefinition, p: (param: string) => string): string {
  const { columns, states, order } = definition
  const dead =
    states.dead === undefined
      ? `quarantined_at is not null and ${anyOf(columns.status, [states.ready, states.retry])}`
      : `${columns.status} = ${literal(states.dead)}`
  const conditions = [
    dead,
    `(${p('ids')}::${columns.idType}[] is null or ${columns.id} = any(${p('ids')}::${columns.idType}[]))`,
  ]
  if (columns.createdAt) {
    conditions.push(
      `(${p('since')}::timestamptz is null or ${columns.createdAt} >= ${p('since')}::timestamptz)`,
      `(${p('until')}::timestamptz is null or ${columns.createdAt} < ${p('until')}::timestamptz)`,
    )
  }
  const equal: [string, string | undefined][] = [
    ['type', columns.type],
    ['tenant', columns.tenant],
    ['code', columns.errorCode],
    ['key', order?.key],
  ]
  for (const [param, column] of equal) {
    if (column)
      conditions.push(`(${p(param)}::text is null or ${column}::text = ${p(param)}::text)`)
  }
  return conditions.join('\n   and ')
}

/** How many messages a replay would take. */
export function countReplayable(definition: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `select count(*)::int as count
  from ${definition.table}
 where ${replayable(definition, p)}`,
  )
}

/** More than a person can read. */
export const MOST_GROUPS = 1_000

/** What a replay would take, by the code that each message died of and by these columns. */
export function groupReplayable(definition: ResolvedDefinition, by: readonly string[]): Prepared {
  const { name, table, columns } = definition
  const code = columns.errorCode ? `${columns.errorCode}::text` : 'null::text'
  const error = columns.error ? `${columns.error}::text` : 'null::text'
  return prepare(
    (p) => `select ${code} as code, count(*)::int as count,
       min(posthorn_died_at) as first_died_at, max(posthorn_died_at) as last_died_at,
       left(min(${error}), 1000) as error${by.map((column, i) => `, ${spell(column)} as of_${i}`).join('')}
  from ${table}
  left join (select subject as posthorn_died, max(raised_at) as posthorn_died_at
               from posthorn.alert
              where source = '${name}' and recovered_at is null
              group by subject) as died on posthorn_died = ${columns.id}::text
 where ${replayable(definition, p)}
 group by ${[1, ...by.map((_, i) => i + 6)].join(', ')}
 order by 2 desc, 1
 limit ${MOST_GROUPS}`,
  )
}

/**
 * Makes dead messages wait for a first attempt again, oldest first, spaced out by `spacing_ms`.
 * Nothing else changes: the same ids, the same payloads. In an ordered outbox they wait behind
 * their key, so that they go out in their old order and before what came later.
 */
export function replayDead(definition: ResolvedDefinition): Prepared {
  const { table, columns, order, log } = definition
  const sorted = order ? 'seq' : (columns.createdAt ?? columns.id)
  const keyed = order ? `, m.${order.key}::text as key, m.bucket` : ''
  return prepare(
    (p) => `with picked as (
  select ${columns.id} as id, ${columns.status}::text as from_state, ${sorted} as sorted
    from ${table}
   where ${replayable(definition, p)}
   order by ${sorted}
   limit ${p('limit')}
     for update skip locked
),
-- As lists: a join may be planned for a single row, and compare each with each.
r as materialized (
  select array_agg(id order by sorted) as ids,${log === undefined ? '' : ' array_agg(sorted) as seqs,'} array_agg(from_state order by sorted) as from_states from picked
),
replayed as (
  update ${table} as m
     set ${reviveAssignments(definition, p).join(',\n         ')}
   where m.${columns.id} = any((select ids from r)::${columns.idType}[])${
     log === undefined ? '' : '\n     and m.seq = any((select seqs from r)::bigint[])'
   }
  returning m.${columns.id} as id, ${fromState(definition)} as from_state, m.${columns.dueAt} as due_at${keyed}${tenantOf(definition)}
)${order ? holdReplayedCte(definition) : ''}${noteReplayCte(definition, p)}${recoverAlertsCte(definition.name, 'replayed')}
select id::text as id from replayed`,
  )
}

/** What it was: dead, or of an outbox without an end one of two. */
function fromState(definition: ResolvedDefinition): string {
  const { ready, retry, dead } = definition.states
  if (dead !== undefined) return `${literal(dead)}::text`
  if (ready === retry) return `${literal(ready)}::text`
  return `(select from_states from r)[${placeOf(definition)}]`
}

/** Which of the messages that are replayed it is. */
function placeOf({ columns }: ResolvedDefinition): string {
  return `array_position((select ids from r), m.${columns.id})`
}

function reviveAssignments(definition: ResolvedDefinition, p: (param: string) => string): string[] {
  const { columns, counter, states, order, retry } = definition
  const set = [
    `${columns.status} = ${literal(states.ready)}`,
    `${counter.column} = 0`,
    'lost_claims = 0',
    `${columns.dueAt} = posthorn.now() + case when ${p('spacing_ms')}::float8 > 0
           then (${placeOf(definition)} - 1) * ${p('spacing_ms')}::float8 else 0 end * interval '1 ms'`,
  ]
  if (retry.attempts === undefined) set.push('quarantined_at = null')
  if (columns.finishedAt) set.push(`${columns.finishedAt} = null`)
  if (order) set.push('held = true')
  return set
}

function noteReplayCte(definition: ResolvedDefinition, p: (param: string) => string): string {
  const { name, audit, states } = definition
  if (audit.record === 'none') return ''
  return `,
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, actor, reason${tenantColumn(definition)})
  select '${name}', id::text, from_state, ${literal(states.ready)}::text, 0, 'REPLAYED',
         ${p('actor')}::text, ${p('reason')}::text${tenantColumn(definition)}
    from replayed
)`
}

/** Ends messages that an operator does not want any more: those that wait, and dead ones. */
export function cancelMessages(definition: ResolvedDefinition): Prepared | undefined {
  const { name, table, columns, states, order, counter, audit } = definition
  if (states.cancelled === undefined) return undefined
  const cancelled = literal(states.cancelled)
  const endable = [states.ready, states.retry, ...(states.dead === undefined ? [] : [states.dead])]
  const set = [`${columns.status} = ${cancelled}`]
  if (columns.finishedAt) set.push(`${columns.finishedAt} = now()`)
  if (order) set.push('held = false')
  else set.push('claim_token = null', 'claimed_until = null')
  return prepare(
    (p) => `with wanted as (
  select ${columns.id} as id${seqOf(definition)}, ${columns.status}::text as from_state
    from ${table}
   where ${columns.id} = any(${p('ids')}::${columns.idType}[])
     and ${anyOf(columns.status, endable)}${order ? '' : '\n     and claim_token is null'}
   order by ${columns.id}
     for update
),
cancelled as (
  update ${table} as m
     set ${set.join(', ')}
    from wanted
   where ${isRowOf(definition, 'wanted')}
  returning m.${columns.id} as id, wanted.from_state, m.${counter.column} as attempt${
    order ? `, m.${order.key}::text as key` : ''
  }${tenantOf(definition)}
)${order ? freeCancelledCte(definition) : ''}${recoverAlertsCte(name, 'cancelled')}${
      audit.record === 'none'
        ? ''
        : `,
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor, reason${tenantColumn(definition)})
  select '${name}', id::text, from_state, ${cancelled}::text, attempt, ${p('actor')}::text, ${p('reason')}::text${tenantColumn(definition)}
    from cancelled
)`
    }
select id::text as id from cancelled`,
  )
}
