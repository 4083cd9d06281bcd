import type { Shape } from '../statements.ts'
import type { Prepared } from './prepared.ts'
import { anyOf, literal, prepare } from './prepared.ts'

/** What a settled message becomes. */
export type SettleRole = 'sent' | 'confirmed' | 'retry' | 'stay' | 'await' | 'dead' | 'quarantined'

/** What proves that the message is still ours to settle. */
export type Guard = 'claim' | 'lease' | 'lock'

/**
 * One statement that settles every message of a batch which goes the same way, with its
 * transitions and alerts. A message whose guard no longer holds is not in the result.
 */
export function settle(shape: Shape, role: SettleRole, guard: Guard): Prepared {
  const { table, columns } = shape
  return prepare(
    (p) => `with u as (
  select * from unnest(${p('ids')}::${columns.idType}[]${unnested(shape, role, p)}) as u (id${unnestedNames(shape, role)})
),
${guard === 'lease' ? `${lease(shape, p)},\n` : ''}settled as (
  update ${table} as m
     set ${assignments(shape, role, guard).join(',\n         ')}
    from u${guard === 'lease' ? ', lease' : ''}
   where m.${columns.id} = u.id${guarded(shape, guard, p)}
  returning u.*${columns.tenant ? `, m.${columns.tenant}::text as tenant` : ''}
)${recorded(shape, role, p)}${alerted(shape, role)}
select id::text as id from settled`,
  )
}

/**
 * The bucket's lease is fence, mark and renewal in one write: with another relay's token there is
 * no row here, and so nothing is settled below.
 */
function lease({ name }: Shape, p: (param: string) => string): string {
  return `lease as (
  update posthorn.bucket as b
     set run_upto = null, run_size = null, run_key = null,
         until = now() + ${p('leaseMs')} * interval '1 ms'
    from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[]) as l (bucket, token)
   where b.outbox = '${name}' and b.bucket = l.bucket and b.token = l.token
  returning b.bucket
)`
}

function guarded({ states, columns }: Shape, guard: Guard, p: (param: string) => string): string {
  if (guard === 'claim') return ` and m.claim_token = ${p('token')}::uuid`
  // An operator may have cancelled or replayed it while it was under way.
  if (guard === 'lease') {
    return ` and m.bucket = lease.bucket and ${anyOf(`m.${columns.status}`, [states.ready, states.retry])}`
  }
  return ''
}

const FAILED: readonly SettleRole[] = ['retry', 'stay', 'await', 'dead', 'quarantined']

/** Columns of `u` beside the id: only what this role's assignments and records read. */
function fields({ columns, audit }: Shape, role: SettleRole): [name: string, type: string][] {
  const found: [string, string][] = []
  const failed = FAILED.includes(role)
  if (role === 'retry' || role === 'stay' || role === 'await') found.push(['delay_ms', 'float8'])
  if (failed) found.push(['bump', 'int'], ['lost', 'int'], ['code', 'text'], ['error', 'text'])
  if (role === 'sent' && columns.ref) found.push(['ref', 'jsonb'])
  const records = audit.record === 'all' || (audit.record === 'failures' && failed)
  if (records) found.push(['from_state', 'text'], ['attempt', 'int'])
  return found
}

function unnested(shape: Shape, role: SettleRole, p: (param: string) => string): string {
  return fields(shape, role)
    .map(([name, type]) => `, ${p(name)}::${type}[]`)
    .join('')
}

function unnestedNames(shape: Shape, role: SettleRole): string {
  return fields(shape, role)
    .map(([name]) => `, ${name}`)
    .join('')
}

function assignments(shape: Shape, role: SettleRole, guard: Guard): string[] {
  const { columns, counter, states, order, table } = shape
  const set: string[] = []
  const state = stateOf(shape, role)
  if (state !== undefined) set.push(`${columns.status} = ${state}`)
  // An unknown outcome keeps its claim: a confirmation may still come and settle it.
  if (role === 'await') {
    set.push(`claimed_until = now() + u.delay_ms * interval '1 ms'`)
  } else if (guard !== 'lease' && (!order || shape.confirmWithinMs !== undefined)) {
    set.push('claim_token = null', 'claimed_until = null')
  }
  if (role === 'sent' || role === 'confirmed') {
    set.push('lost_claims = 0')
    if (columns.error) set.push(`${columns.error} = null`)
    if (columns.errorCode) set.push(`${columns.errorCode} = null`)
    if (order) set.push('held = false')
  } else {
    set.push('lost_claims = u.lost', `${counter.column} = greatest(m.${counter.column} + u.bump, 0)`)
    if (columns.error) set.push(`${columns.error} = u.error`)
    if (columns.errorCode) set.push(`${columns.errorCode} = u.code`)
    // Whatever waits leaves the flow of its bucket; what is over does not count as held.
    if (order) set.push(`held = ${role === 'dead' ? 'false' : 'true'}`)
  }
  if (role === 'retry' || role === 'stay') {
    set.push(`${columns.dueAt} = posthorn.now() + u.delay_ms * interval '1 ms'`)
  }
  if (role === 'quarantined') set.push('quarantined_at = now()')
  if (role === 'sent' && columns.sentAt) set.push(`${columns.sentAt} = now()`)
  for (const [field, column] of role === 'sent' ? Object.entries(columns.ref ?? {}) : []) {
    // The table's own row type gives the reference its column's type.
    set.push(
      `${column} = (jsonb_populate_record(null::${table}, jsonb_build_object('${column}', u.ref -> '${field}'))).${column}`,
    )
  }
  const isLast =
    role === 'confirmed' || role === 'dead' || (role === 'sent' && states.confirmed === undefined)
  if (isLast && columns.finishedAt && columns.finishedAt !== columns.sentAt) {
    set.push(`${columns.finishedAt} = now()`)
  }
  return set
}

/** The literal of the state this role ends in; undefined where the state stays as it is. */
function stateOf({ states }: Shape, role: SettleRole): string | undefined {
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

function recorded(shape: Shape, role: SettleRole, p: (param: string) => string): string {
  const { name, audit, states } = shape
  const failed = FAILED.includes(role)
  const wanted = audit.record === 'all' || (audit.record === 'failures' && failed)
  if (!wanted) return ''
  const to = stateOf(shape, role)
  const arrival = to === undefined ? 'from_state' : `${to}::text`
  const details = failed ? 'code, error' : 'null, null'
  const through = failed && states.failing !== undefined && (role === 'retry' || role === 'dead')
  const row = (from: string, toState: string) =>
    `select '${name}', id::text, ${from}, ${toState}, attempt, ${details}, ${p('actor')}::text, ${p('reason')}::text from settled`
  const failing = states.failing === undefined ? '' : `${literal(states.failing)}::text`
  const rows = through
    ? `${row('from_state', failing)}\n  union all\n  ${row(failing, arrival)}`
    : row('from_state', arrival)
  return `,
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason)
  ${rows}
)`
}

function alerted({ name, columns }: Shape, role: SettleRole): string {
  if (role !== 'dead' && role !== 'quarantined') return ''
  return `,
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select '${name}', id::text, ${columns.tenant ? 'tenant' : 'null'}, code, error from settled
)`
}
