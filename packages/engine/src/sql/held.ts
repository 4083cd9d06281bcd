import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { waiting } from './claim.ts'
import { literal, prepare, tenantColumn, tenantOf, opaqueArray, type Prepared } from './prepared.ts'

/** Makes keys wait: until a time, or (without `delay_ms`) until an operator acts. */
export function holdKeys({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `insert into posthorn.held_key (outbox, key, bucket, due_at, tail, held_by)
select '${name}', key, bucket, posthorn.now() + delay_ms * interval '1 ms', tail, held_by
  from unnest(${p('keys')}::text[], ${p('buckets')}::smallint[], ${p('delays')}::float8[], ${p('tails')}::text[], ${p('heldBy')}::text[])
    as u (key, bucket, delay_ms, tail, held_by)
    on conflict (outbox, key)
    do update set due_at = excluded.due_at, tail = excluded.tail, held_by = excluded.held_by,
                  version = held_key.version + 1`,
  )
}

/** Takes messages out of their bucket's flow, to wait behind an earlier one of their key. */
export function setAside({ table, columns }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update ${table}
   set held = true
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)}) and not held`,
  )
}

/**
 * Ends the waiting of keys with nothing left behind them. The version is the fence: a replay that
 * put a message behind the key meanwhile has raised it.
 */
export function freeKeys(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `delete from posthorn.held_key as h
 using unnest(${p('keys')}::text[], ${p('versions')}::bigint[]) as u (key, version)
 where h.outbox = '${name}' and h.key = u.key and h.version = u.version
   and not exists (
     select from ${table} where held and ${order?.key}::text = u.key and ${waiting(definition)}
   )`,
  )
}

/** Dead-letters what waits behind a dead message, in an outbox that parks. */
export function parkTails(definition: ResolvedDefinition): Prepared | undefined {
  const { name, table, columns, order, states, audit, counter } = definition
  if (order?.dead !== 'park' || states.dead === undefined) return undefined
  const dead = literal(states.dead)
  const set = [`${columns.status} = ${dead}`, 'held = false']
  if (columns.errorCode) set.push(`${columns.errorCode} = 'PARKED'`)
  if (columns.error) set.push(`${columns.error} = 'waits behind a dead message of its key'`)
  if (columns.finishedAt) set.push(`${columns.finishedAt} = now()`)
  const noted =
    audit.record === 'none'
      ? ''
      : `,
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, actor${tenantColumn(definition)})
  select '${name}', id, from_state, ${dead}::text, attempt, 'PARKED', '${audit.actor}'${tenantColumn(definition)} from parked
)`
  return prepare(
    (p) => `with tail as (
  select ${columns.id} as id, ${columns.status}::text as from_state
    from ${table}
   where held and ${order.key}::text = any(${p('keys')}::text[]) and ${waiting(definition)}
     for update
),
parked as (
  update ${table} as m
     set ${set.join(', ')}
    from tail
   where m.${columns.id} = tail.id
  returning m.${columns.id}::text as id, tail.from_state, m.${counter.column} as attempt${tenantOf(definition)}
)${noted}
select id from parked`,
  )
}

/** Held messages whose key nobody holds any more: a net under all the rest, run with the poll. */
export function rescueHeld(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
select distinct on (t.${order?.key}) '${name}', t.${order?.key}::text, t.bucket, posthorn.now(), 'RESCUED'
  from ${table} as t
 where t.held and t.bucket = any(${p('buckets')}::smallint[]) and ${waiting(definition)}
   and not exists (
     select from posthorn.held_key as h where h.outbox = '${name}' and h.key = t.${order?.key}::text
   )
    on conflict do nothing`,
  )
}

/**
 * Keys that wait for nothing: their messages were cancelled or deleted by hand. Younger ones are
 * left alone, a replay may be about to commit what they hold.
 */
export function sweepKeys(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `delete from posthorn.held_key as h
 where h.outbox = '${name}' and h.bucket = any(${p('buckets')}::smallint[])
   and h.due_at < posthorn.now() - interval '10 s'
   and not exists (
     select from ${table} where held and ${order?.key}::text = h.key and ${waiting(definition)}
   )`,
  )
}
