import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { dueByPriority, dueByShares, lookByShares, nextDueByShares } from './fair-shares.sql.ts'
import { ASYNC_COMMIT, prepare, opaqueArray, type Prepared } from '../../database/prepared.ts'
import {
  literal,
  tenantColumn,
  readColumns,
  unlessPaused,
  waitsCondition,
} from '../../outbox/clauses.sql.ts'

/** What changes on a row when a fresh attempt begins: column and value. */
function attemptAssignments({
  columns,
  counter,
  states,
}: ResolvedDefinition): [column: string, value: string][] {
  const set: [string, string][] = []
  if (states.claimed !== undefined) set.push([columns.status, literal(states.claimed)])
  if (counter.bumps === 'on-claim') set.push([counter.column, `m.${counter.column} + 1`])
  if (counter.bumps === 'on-retry-claim') {
    // A lone claim after a loss goes on with the attempt that was counted already.
    const isRetry = `m.${columns.status} = ${literal(states.retry)} and m.lost_claims = 0`
    set.push([counter.column, `m.${counter.column} + (${isRetry})::int`])
  }
  if (columns.attemptId) {
    const goesOn = `m.lost_claims > 0 and m.${columns.attemptId} is not null`
    set.push([
      columns.attemptId,
      `case when ${goesOn} then m.${columns.attemptId} else gen_random_uuid() end`,
    ])
  }
  return set
}

/** Takes a batch of due messages, oldest first. */
export function claimBatch(definition: ResolvedDefinition): Prepared {
  return definition.states.claimed === undefined
    ? claimByColumns(definition)
    : claimByState(definition)
}

/**
 * Without a claimed state the claim touches no indexed column, so it is a HOT update. An expired
 * claim that is met here is only released: the message is marked and next claimed alone. The ids go
 * over as a list, since a join may be planned as a reading of the whole table.
 */
function claimByColumns(definition: ResolvedDefinition): Prepared {
  const { table, columns } = definition
  const begins = attemptAssignments(definition)
  // A claim that writes nothing but its lease need not survive a crash of Postgres.
  const quick = begins.length === 0 ? `\n     and ${ASYNC_COMMIT}` : ''
  const lost = 'm.claimed_until is not null'
  const set = begins.map(
    ([column, value]) =>
      `,\n       ${column} = case when ${lost} then m.${column} else ${value} end`,
  )
  return prepare(
    (p) => `with ${
      isRanked(definition)
        ? dueByRank(definition, p)
        : `due as (
  select ${columns.id} as id, ${columns.dueAt} as due_at
    from ${table}
   where ${waitsCondition(definition)}
     and ${aboveFloor(definition, p)}
     and ${columns.dueAt} <= posthorn.now()
     and (claimed_until is null or claimed_until < now())
     and lost_claims = 0
     and ${unlessPaused(definition)}${quick}
   order by ${columns.dueAt}, ${columns.id}
   limit ${p('batch')}
     for update skip locked
)`
    }
update ${table} as m
   set claim_token = case when ${lost} then null else ${p('token')}::uuid end,
       claimed_until = case when ${lost} then null else now() + ${p('leaseMs')} * interval '1 ms' end,
       lost_claims = (${lost})::int${set.join('')}
 where m.${columns.id} = any(array(select id from due))
returning ${readColumns(definition, 'm')}, m.claimed_until is null as claim_lost, m.${columns.status}::text as claim_from${
      isRanked(definition) ? '' : `,\n          ${CLAIM_UPTO} as claim_upto`
    }`,
  )
}

/** Whether something else than the due time says what goes first. */
function isRanked({ fair, columns }: ResolvedDefinition): boolean {
  return fair !== undefined || columns.priority !== undefined
}

function dueByRank(definition: ResolvedDefinition, p: (param: string) => string): string {
  return definition.fair
    ? dueByShares(definition, definition.fair, p)
    : dueByPriority(definition, definition.columns.priority as string, p)
}

/** See `DueFloor`. */
function aboveFloor({ columns }: ResolvedDefinition, p: (param: string) => string): string {
  const due = `${p('floorDue')}::timestamptz - ${p('floorLateMs')} * interval '1 ms'`
  return `(${columns.dueAt}, ${columns.id}) >= (${due}, ${p('floorId')}::${columns.idType})`
}

/** The last message of a claim in the order of the index, on each of its rows. */
const CLAIM_UPTO = `(select due_at::text || '|' || id::text from due order by due_at desc, id desc limit 1)`

/** With a claimed state, expired claims are found by their own index, see `takeExpired`. */
function claimByState(definition: ResolvedDefinition): Prepared {
  const { table, columns } = definition
  return prepare(
    (p) => `with ${
      isRanked(definition)
        ? dueByRank(definition, p)
        : `due as (
  select ${columns.id} as id, ${columns.dueAt} as due_at, ${columns.status}::text as claim_from
    from ${table}
   where ${waitsCondition(definition)}
     and ${aboveFloor(definition, p)}
     and ${columns.dueAt} <= posthorn.now()
     and lost_claims = 0
     and ${unlessPaused(definition)}
   order by ${columns.dueAt}, ${columns.id}
   limit ${p('batch')}
     for update skip locked
)`
    },
${takeCte(definition, p)}${isRanked(definition) ? '' : `, lateral ${CLAIM_UPTO} as upto (claim_upto)`}`,
  )
}

/**
 * Takes messages whose earlier claim was lost. Those that were lost once, with their batch, come in a small
 * group; what was lost again in such a group comes alone, behind all groups: if it kills this relay, it
 * takes no other message with it.
 */
function claimSuspect(definition: ResolvedDefinition): Prepared {
  const { table, columns, states } = definition
  const byColumns = states.claimed === undefined
  const lost = byColumns ? 'lost_claims + (claimed_until is not null)::int' : 'lost_claims'
  return prepare(
    (p) => `with suspect as (
  select ${columns.id} as id, ${columns.dueAt} as due_at, ${columns.status}::text as claim_from,
         ${lost} as lost
    from ${table}
   where ${waitsCondition(definition)}
     and ${columns.dueAt} <= posthorn.now()
     and lost_claims > 0${byColumns ? '\n     and (claimed_until is null or claimed_until < now())' : ''}
     and ${unlessPaused(definition)}
   order by ${columns.dueAt}, ${columns.id}
   limit ${p('group')}
     for update skip locked
),
due as (
  select id, claim_from from suspect where lost = 1
  union all
  (select id, claim_from
     from suspect
    where not exists (select from suspect where lost = 1)
    order by due_at, id
    limit 1)
),
${takeCte(definition, p)}`,
  )
}

function takeCte(definition: ResolvedDefinition, p: (param: string) => string): string {
  const { name, table, columns, counter, states, audit } = definition
  const set = attemptAssignments(definition).map(
    ([column, value]) => `,\n         ${column} = ${value}`,
  )
  const recorded = states.claimed !== undefined && audit.record === 'all'
  return `taken as (
  update ${table} as m
     set claim_token = ${p('token')}::uuid,
         claimed_until = now() + ${p('leaseMs')} * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int${set.join('')}
    from due
   where m.${columns.id} = due.id
  returning m.*, false as claim_lost, due.claim_from
)${
    recorded
      ? `,
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor${tenantColumn(definition)})
  select '${name}', ${columns.id}::text, claim_from, ${columns.status}::text, ${counter.column}, '${audit.actor}'${columns.tenant ? `, ${columns.tenant}::text` : ''}
    from taken
)`
      : ''
  }
select * from taken`
}

/**
 * Takes over, in an outbox with a claimed state, claims whose relay never came back, and messages
 * with an unknown outcome whose time to be confirmed is over (`claim_waited`): those have no token,
 * and no relay was lost with them.
 */
function takeExpired(definition: ResolvedDefinition): Prepared | undefined {
  const { table, columns, states } = definition
  if (states.claimed === undefined) return undefined
  const claimed = literal(states.claimed)
  return prepare(
    (p) => `with expired as (
  select ${columns.id} as id, claim_token is null as waited
    from ${table}
   where ${columns.status} = ${claimed}
     and claimed_until < now()
   order by claimed_until
   limit ${p('batch')}
     for update skip locked
)
update ${table} as m
   set claim_token = ${p('token')}::uuid,
       claimed_until = now() + ${p('leaseMs')} * interval '1 ms',
       lost_claims = m.lost_claims + (not expired.waited)::int
  from expired
 where m.${columns.id} = expired.id
returning m.*, m.${columns.status}::text as claim_from, expired.waited as claim_waited,
          extract(epoch from m.${columns.dueAt} - posthorn.now()) * 1000 as claim_due_ms`,
  )
}

/** Takes messages that were sent and of which no outcome came in time. */
function claimUnconfirmed(definition: ResolvedDefinition): Prepared | undefined {
  const { table, columns, states, confirmWithinMs } = definition
  if (confirmWithinMs === undefined || columns.sentAt === undefined) return undefined
  return prepare(
    (p) => `with overdue as (
  select ${columns.id} as id
    from ${table}
   where ${columns.status} = ${literal(states.sent)}
     and ${columns.sentAt} < now() - interval '${confirmWithinMs} ms'
     and (claimed_until is null or claimed_until < now())
     and ${unlessPaused(definition)}
   order by ${columns.sentAt}
   limit ${p('batch')}
     for update skip locked
)
update ${table} as m
   set claim_token = ${p('token')}::uuid,
       claimed_until = now() + ${p('leaseMs')} * interval '1 ms'
  from overdue
 where m.${columns.id} = overdue.id
returning m.*, m.${columns.status}::text as claim_from`,
  )
}

/** Gives up a claim that wrote nothing but its lease: its messages wait as if it had never been. */
function putBack({ table, columns }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update ${table}
   set claim_token = null, claimed_until = null
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}

/**
 * Renews a claim while work goes on; returns the messages that are still ours. A row that another transaction
 * has locked keeps nobody waiting, nor can another relay claim it meanwhile.
 */
function renewClaim({ table, columns }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with free as materialized (
  select ${columns.id} as id
    from ${table}
   where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
     and claim_token = ${p('token')}::uuid
     for no key update skip locked
),
renewed as (
  update ${table}
     set claimed_until = now() + ${p('leaseMs')} * interval '1 ms'
   where ${columns.id} = any(array(select id from free))
)
select ${columns.id}::text as id
  from ${table}
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}

/**
 * Milliseconds until the next message is due by the business clock; no row if none waits. What became
 * due since the last look, `sinceMs` ago, counts too: no claim has seen it.
 */
export function nextDueSql(
  definition: ResolvedDefinition,
  p: (param: 'sinceMs' | 'buckets' | 'late') => string,
): string {
  const { table, columns, order, name, fair } = definition
  if (fair) return nextDueByShares(definition, fair, p)
  if (columns.priority) return nextDueByShares(definition, { by: columns.priority }, p)
  if (order) {
    return `select extract(epoch from min(due_at) - posthorn.now()) * 1000 as ms
  from posthorn.held_key
 where outbox = '${name}' and bucket = any(${p('buckets')}::smallint[]) and due_at is not null
   and key <> all(${p('late')}::text[])
   and ${unlessPaused(definition)}`
  }
  return `select extract(epoch from ${columns.dueAt} - posthorn.now()) * 1000 as ms
  from ${table}
 where ${waitsCondition(definition)}
   and ${columns.dueAt} > posthorn.now() - ${p('sinceMs')}::float8 * interval '1 ms'
   and (claimed_until is null or claimed_until < now())
   and ${unlessPaused(definition)}
 order by ${columns.dueAt}
 limit 1`
}

/** Statements that claim by row. */
export const rowStatements = writeOnce((definition) => ({
  claimBatch: claimBatch(definition),
  claimSuspect: claimSuspect(definition),
  takeExpired: takeExpired(definition),
  claimUnconfirmed: claimUnconfirmed(definition),
  renewClaim: renewClaim(definition),
  nextDue: prepare((p) => nextDueSql(definition, p)),
  /** Both undefined unless keys have a limit. */
  putBack: definition.limit?.by === undefined ? undefined : putBack(definition),
  look:
    definition.limit?.by === undefined || definition.fair === undefined
      ? undefined
      : lookByShares(definition, definition.fair),
}))
