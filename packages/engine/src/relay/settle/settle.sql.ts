import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { bare, spell } from '../../database/sql-names.ts'
import { endRun } from './bucket.sql.ts'
import { prepare, opaqueArray, type Prepared } from '../../database/prepared.ts'
import { anyOf, isRowOf, literal, tenantColumn, tenantOf } from '../../outbox/clauses.sql.ts'

/** What a settled message becomes. */
export type SettleRole = 'sent' | 'confirmed' | 'retry' | 'stay' | 'await' | 'dead' | 'quarantined'

/**
 * What proves that the message is still ours to settle: its own claim, its bucket's lease, the end of
 * its bucket's run earlier in the same transaction, or a lock on the row.
 */
export type Guard = 'claim' | 'lease' | 'ended' | 'lock'

/**
 * One statement that settles every message of a batch which goes the same way, with its
 * transitions and alerts. A message whose guard no longer holds is left as it is: then `only` lists
 * the others. It is null where all were settled, as nearly always. It does not wait for long where another
 * transaction has locked a row, and fails: see `selectLocked`.
 */
export function settle(definition: ResolvedDefinition, role: SettleRole, guard: Guard): Prepared {
  const { table, columns } = definition
  const given = fields(definition, role, guard)
  return prepare((p) => {
    const ids = opaqueArray(p('ids'), columns.idType)
    const lists = [ids, ...given.map(({ name, list }) => list(p(name)))]
    // With nothing to say about the single message, the ids alone are the faster join.
    const from =
      given.length === 0
        ? ''
        : `\n    from unnest(${lists.join(', ')})
           as u (${['id', ...given.map(({ name }) => name)].join(', ')})`
    const found = given.length === 0 ? `m.${columns.id} = any(${ids})` : isRowOf(definition, 'u')
    const fieldsGiven = given.map(({ name }) => `, u.${name}`).join('')
    const isPatient = guard === 'lock'
    const patience = isPatient ? '' : `${PATIENCE_CTE},\n`
    return `with ${patience}${guard === 'lease' ? `${lease(definition, p)},\n` : ''}settled as (
  update ${table} as m
     set ${assignments(definition, role, guard).join(',\n         ')}${from}
   where ${found}${guardCondition(definition, { role, guard, p })}${isPatient ? '' : '\n     and (select now from patience) is not null'}
  returning m.${columns.id} as id, ${attempt(definition, role)} as attempt${fieldsGiven}${tenantOf(definition)}
)${recordCte(definition, { role, guard, p })}${alertCte(definition, role)}
select case when count(*) < cardinality(${ids}) then coalesce(array_agg(id::text), '{}') end as only${isPatient ? '' : END_PATIENCE}
  from settled`
  })
}

/** How long a statement that settles waits for a lock. */
export const PATIENCE_MS = 100

/** What follows in its transaction waits as it did before. */
const PATIENCE_CTE = `patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '${PATIENCE_MS}ms', true) as now
)`
const END_PATIENCE = `,
       set_config('lock_timeout', (select before from patience), true) as patience`

/**
 * Which of the messages another transaction has locked; the others are locked by this one. A lock for a
 * foreign key does not count: it keeps nobody from settling.
 */
function selectLocked({ table, columns }: ResolvedDefinition): Prepared {
  return prepare((p) => {
    const ids = opaqueArray(p('ids'), columns.idType)
    return `with free as materialized (
  select ${columns.id} as id
    from ${table}
   where ${columns.id} = any(${ids})
     for no key update skip locked
)
select ${columns.id}::text as id
  from ${table}
 where ${columns.id} = any(${ids}) and ${columns.id} not in (select id from free)`
  })
}

/**
 * The bucket's lease is fence, mark and renewal in one write: with another relay's token, or once the
 * run is over, there is no row here, and so nothing is settled below.
 */
function lease(definition: ResolvedDefinition, p: (param: string) => string): string {
  return `lease as (
  ${endRun(definition, p)}
)`
}

function guardCondition(
  { states, columns, counter }: ResolvedDefinition,
  { role, guard, p }: { role: SettleRole; guard: Guard; p: (param: string) => string },
): string {
  if (guard === 'claim') return `\n     and m.claim_token = ${p('token')}::uuid`
  // An operator may have cancelled or replayed it while it was under way.
  if (guard === 'lease' || guard === 'ended') {
    // An array, not a join: the planner would look up every message once for every bucket.
    const ended =
      guard === 'lease' ? 'array(select bucket from lease)' : `${p('ended')}::smallint[]`
    const waits = anyOf(`m.${columns.status}`, [states.ready, states.retry])
    // Settled before, by a commit whose answer got lost, it is counted.
    const counted = FAILED.includes(role) ? ` and m.${counter.column} = u.counted` : ''
    return `\n     and m.bucket = any(${ended}) and ${waits}${counted}`
  }
  return ''
}

const FAILED: readonly SettleRole[] = ['retry', 'stay', 'await', 'dead', 'quarantined']

/** What is said of each message beside its id. */
interface Field {
  readonly name: string
  /** The SQL of the list of all, out of its parameter. */
  list(param: string): string
}

/** Only what this role's statement reads. */
function fields(definition: ResolvedDefinition, role: SettleRole, guard: Guard): Field[] {
  const { table, columns, log } = definition
  const found: Field[] = []
  const add = (name: string, type: string) =>
    found.push({ name, list: (param) => opaqueArray(param, type) })
  if (log !== undefined) add('seq', 'bigint')
  if (role === 'retry' || role === 'stay' || role === 'await') add('delay_ms', 'float8')
  if (FAILED.includes(role)) {
    if (guard === 'lease' || guard === 'ended') add('counted', 'int')
    add('bump', 'int')
    add('lost', 'int')
    add('code', 'text')
    add('error', 'text')
  }
  for (const column of role === 'sent' ? Object.values(columns.ref ?? {}) : []) {
    // Put behind an empty list of the column's values, the parameter has to be of its type.
    const list = (param: string) =>
      `(select array_cat(array(select ${column} from ${table} where false), ${param}))`
    found.push({ name: refParam(column), list })
  }
  if (records(definition, role) && knownOrigin(definition, guard) === undefined)
    add('from_state', 'text')
  return found
}

/** The parameter for a column of the outcome's reference; a field may have any name, a column may not. */
export function refParam(column: string): string {
  return spell(`ref_${bare(column)}`)
}

function records({ audit }: ResolvedDefinition, role: SettleRole): boolean {
  return audit.record === 'all' || (audit.record === 'failures' && FAILED.includes(role))
}

/** The state that all messages come from, where there is only one they can. */
function knownOrigin(
  { states, confirmWithinMs }: ResolvedDefinition,
  guard: Guard,
): string | undefined {
  if (guard === 'lock' || confirmWithinMs !== undefined) return undefined
  if (states.claimed !== undefined) return `${literal(states.claimed)}::text`
  return states.ready === states.retry ? `${literal(states.ready)}::text` : undefined
}

/** Attempts made, this one included, from the counter as it stands after the update. */
function attempt({ counter }: ResolvedDefinition, role: SettleRole): string {
  const before = FAILED.includes(role) ? `m.${counter.column} - u.bump` : `m.${counter.column}`
  return counter.bumps === 'on-claim' ? before : `${before} + 1`
}

function assignments(definition: ResolvedDefinition, role: SettleRole, guard: Guard): string[] {
  const { columns, counter, states, order } = definition
  const set: string[] = []
  const state = stateOf(definition, role)
  if (state !== undefined) set.push(`${columns.status} = ${state}`)
  if (role === 'await') {
    set.push(...awaitAssignments(definition))
  } else if (
    guard !== 'lease' &&
    guard !== 'ended' &&
    (!order || definition.confirmWithinMs !== undefined)
  ) {
    set.push('claim_token = null', 'claimed_until = null')
  }
  if (role === 'sent' || role === 'confirmed') {
    set.push('lost_claims = 0')
    if (columns.error) set.push(`${columns.error} = null`)
    if (columns.errorCode) set.push(`${columns.errorCode} = null`)
    if (order) set.push('held = false')
  } else {
    set.push(
      'lost_claims = u.lost',
      `${counter.column} = greatest(m.${counter.column} + u.bump, 0)`,
    )
    if (columns.error) set.push(`${columns.error} = u.error`)
    if (columns.errorCode) set.push(`${columns.errorCode} = u.code`)
    // What waits leaves the flow of its bucket; what is over does not count as held.
    if (order) set.push(`held = ${role === 'dead' ? 'false' : 'true'}`)
  }
  if (role === 'retry' || role === 'stay') {
    set.push(`${columns.dueAt} = posthorn.now() + u.delay_ms * interval '1 ms'`)
  }
  if (role === 'quarantined') set.push('quarantined_at = now()')
  if (role === 'sent' && columns.sentAt) set.push(`${columns.sentAt} = now()`)
  for (const column of role === 'sent' ? Object.values(columns.ref ?? {}) : []) {
    set.push(`${column} = u.${refParam(column)}`)
  }
  const isLast =
    role === 'confirmed' || role === 'dead' || (role === 'sent' && states.confirmed === undefined)
  if (isLast && columns.finishedAt && columns.finishedAt !== columns.sentAt) {
    set.push(`${columns.finishedAt} = now()`)
  }
  return set
}

/**
 * An unknown outcome stays claimed for a while, by no relay: a confirmation may still settle it.
 * After that it is due by its own schedule. What was sent and is sent again keeps its claim.
 */
function awaitAssignments({ columns, states, unknown }: ResolvedDefinition): string[] {
  const delay = `u.delay_ms * interval '1 ms'`
  if (states.claimed === undefined) return [`claimed_until = now() + ${delay}`]
  const isUnknown = `m.${columns.status} = ${literal(states.claimed)}`
  const wait = `interval '${unknown.waitMs} ms'`
  return [
    `claimed_until = now() + case when ${isUnknown} then ${wait} else ${delay} end`,
    `claim_token = case when ${isUnknown} then null else m.claim_token end`,
    `${columns.dueAt} = case when ${isUnknown} then posthorn.now() + ${delay} else m.${columns.dueAt} end`,
  ]
}

/** The literal of the state this role ends in; undefined where the state stays as it is. */
function stateOf({ states }: ResolvedDefinition, role: SettleRole): string | undefined {
  switch (role) {
    case 'sent':
      return literal(states.sent)
    case 'confirmed':
      return states.confirmed === undefined ? undefined : literal(states.confirmed)
    case 'retry':
      return literal(states.retry)
    case 'dead':
      return states.dead === undefined ? undefined : literal(states.dead)
    // A claimed state must be left even when nothing else changes.
    case 'stay':
    case 'quarantined':
      return states.claimed === undefined ? undefined : literal(states.retry)
    case 'await':
      return undefined
  }
}

function recordCte(
  definition: ResolvedDefinition,
  { role, guard, p }: { role: SettleRole; guard: Guard; p: (param: string) => string },
): string {
  const { name, states, attempting } = definition
  if (!records(definition, role)) return ''
  const origin = knownOrigin(definition, guard) ?? 'from_state'
  const to = stateOf(definition, role)
  const arrival = to === undefined ? origin : `${to}::text`
  const details = FAILED.includes(role) ? 'code, error' : 'null, null'
  const row = (from: string, toState: string) =>
    `select '${name}', id::text, ${from}, ${toState}, attempt, ${details}, ${p('actor')}::text, ${p('reason')}::text${tenantColumn(definition)} from settled`
  const passes = states.failing !== undefined && (role === 'retry' || role === 'dead')
  const through = [
    guard === 'lock' ? undefined : attempting,
    passes ? states.failing : undefined,
  ].flatMap((word) => (word === undefined ? [] : `${literal(word)}::text`))
  const places = [origin, ...through, arrival]
  const rows = places.slice(1).map((place, i) => row(places[i] ?? origin, place))
  return `,
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason${tenantColumn(definition)})
  ${rows.join('\n  union all\n  ')}
)`
}

function alertCte({ name, columns }: ResolvedDefinition, role: SettleRole): string {
  if (role !== 'dead' && role !== 'quarantined') return ''
  return `,
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select '${name}', id::text, ${columns.tenant ? 'tenant' : 'null'}, code, error from settled where code <> 'PARKED'
)`
}

/**
 * Locks messages that an outcome may still settle: sent ones, and those on their way. Ordered by
 * id, so that two batches of outcomes cannot deadlock.
 */
function lockSent({ table, columns, states, order }: ResolvedDefinition): Prepared {
  const sent = `${columns.status} = ${literal(states.sent)}`
  const onItsWay =
    states.claimed !== undefined
      ? `${columns.status} = ${literal(states.claimed)}`
      : `claim_token is not null and ${anyOf(columns.status, [states.ready, states.retry])}`
  return prepare(
    (p) => `select *, ${columns.status}::text as claim_from
  from ${table}
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and (${order ? sent : `${sent} or ${onItsWay}`})
 order by ${columns.id}
   for update`,
  )
}

/** Counts messages that were sent again and could not be settled; their claims run out by themselves. */
function countUnsettled({
  table,
  columns,
  confirmWithinMs,
}: ResolvedDefinition): Prepared | undefined {
  if (confirmWithinMs === undefined) return undefined
  return prepare(
    (p) => `update ${table}
   set lost_claims = greatest(lost_claims, 1) + 1
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}

/**
 * Marks messages that could not be settled, though their neighbours could: they need no group to be
 * found out. Each is next claimed alone, and ends after as many times as a message that kills its relay.
 * The relay that settles still owns them.
 */
function markSuspects(definition: ResolvedDefinition): Prepared {
  const { table, columns, states, order } = definition
  if (states.claimed !== undefined) return shortenClaims(definition)
  return prepare(
    (p) => `update ${table}
   set lost_claims = greatest(lost_claims, 1) + 1,
       ${columns.dueAt} = posthorn.now() + ${p('delayMs')} * interval '1 ms',
       ${order ? 'held = true' : 'claim_token = null, claimed_until = null'}
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})${
   order ? '' : `\n   and claim_token = ${p('token')}::uuid`
 }`,
  )
}

/**
 * With a claimed state its claim runs out soon, and the message goes the way of all lost claims: to set
 * its state here would be a change without a record, unknown to the definition's audit, and a message
 * whose unknown outcome is to be held would be sent again.
 */
function shortenClaims({ table, columns }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update ${table}
   set claimed_until = now() + ${p('delayMs')} * interval '1 ms'
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}

/** Statements that settle messages and confirm them later. */
export const settleStatements = writeOnce((definition) => {
  const settles = new Map<string, Prepared>()
  return {
    lockSent: lockSent(definition),
    selectLocked: selectLocked(definition),
    markSuspects: markSuspects(definition),
    countUnsettled: countUnsettled(definition),
    settle(role: SettleRole, guard: Guard): Prepared {
      const known = settles.get(`${role} ${guard}`) ?? settle(definition, role, guard)
      settles.set(`${role} ${guard}`, known)
      return known
    },
  }
})
