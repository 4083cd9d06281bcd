/*
 * Every statement that writes posthorn.held_key. A key is in one of four states; the rules are those of
 * `testing/held-key-model.ts`, and `held-key.test.ts` runs each of them against these statements.
 *
 *   free      no row
 *   waiting   due_at is a time: then its messages are read as a run of their own
 *   blocked   due_at is null, tail 'wait': until every message of blocked_by is dealt with
 *   parked    due_at is null, tail 'park': the same, and what comes behind is dead-lettered
 *
 * Every write raises `version`: it fences a delete, or a time, that was decided on an older reading.
 */
import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import {
  waitsCondition,
  anyOf,
  isRowOf,
  literal,
  seqOf,
  tenantColumn,
  tenantOf,
} from '../../outbox/clauses.sql.ts'
import { prepare, opaqueArray, type Prepared } from '../../database/prepared.ts'

/**
 * Makes keys wait: until a time, or (without `delay_ms`) until an operator acts. A blocked key stays
 * blocked, and one more dead message blocks it too. Two of one key come as one.
 */
function holdKeys({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `insert into posthorn.held_key as h
       (outbox, key, bucket, due_at, tail, held_by, blocked_by, suspect, version)
select '${name}', key, min(bucket),
       case when count(*) = count(delay_ms) then posthorn.now() + min(delay_ms) * interval '1 ms' end,
       case when bool_or(tail = 'park') then 'park' else 'wait' end,
       (array_agg(held_by order by delay_ms nulls first))[1],
       coalesce(array_agg(held_by) filter (where delay_ms is null), '{}'),
       bool_or(suspect),
       -- One more than the version that the writer has read; none is as low as zero.
       coalesce(max(version), 0) + 1
  from unnest(${p('keys')}::text[], ${p('buckets')}::smallint[], ${p('delays')}::float8[], ${p('tails')}::text[],
              ${p('heldBy')}::text[], ${p('suspects')}::boolean[], ${p('versions')}::bigint[])
    as u (key, bucket, delay_ms, tail, held_by, suspect, version)
 group by key
 order by key
    on conflict (outbox, key) do update
   set due_at = case when h.due_at is null or excluded.due_at is null then null
                     -- The owner of the bucket has just read the key: it knows the time.
                     when h.version = excluded.version - 1 then excluded.due_at
                     -- Another message waits too. The key is read at the earlier time, and held again.
                     else least(h.due_at, excluded.due_at) end,
       tail = case when excluded.due_at is null then excluded.tail else h.tail end,
       held_by = case when h.due_at is null then h.held_by else excluded.held_by end,
       blocked_by = case when h.due_at is not null then excluded.blocked_by
                         else h.blocked_by || excluded.blocked_by end,
       suspect = case when h.version = excluded.version - 1 then excluded.suspect
                      else h.suspect or excluded.suspect end,
       version = h.version + 1`,
  )
}

/**
 * Takes messages out of their bucket's flow, to wait behind an earlier one of their key. The key is
 * written too: a relay that is about to free it must see that something waits again.
 */
function setAside({ name, table, columns }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with kept as (
  insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by)
  select '${name}', key, min(bucket), posthorn.now(), 'SET_ASIDE'
    from unnest(${p('keys')}::text[], ${p('buckets')}::smallint[]) as u (key, bucket)
   group by key
   order by key
      on conflict (outbox, key) do update set version = h.version + 1
  returning key, version
),
aside as (
  update ${table}
     set held = true
   where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)}) and not held
)
select key, version from kept`,
  )
}

/** Which of the waiting keys another transaction has locked; the others are locked by this one. */
function selectLockedKeys({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with free as materialized (
  select key from posthorn.held_key
   where outbox = '${name}' and key = any(${p('keys')}::text[])
     for no key update skip locked
)
select key from posthorn.held_key
 where outbox = '${name}' and key = any(${p('keys')}::text[]) and key not in (select key from free)`,
  )
}

/**
 * Ends the waiting of keys with nothing left behind them, unless they were written since they were read, or an
 * operator's transaction has locked them: those are read again.
 * The others begin with an ordinary message now, as far as anyone knows.
 */
function freeKeys(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `with read as materialized (
  select h.key, h.version, exists (
           select from ${table} where held and ${order?.key}::text = u.key and ${waitsCondition(definition)}
         ) as more
    from unnest(${p('keys')}::text[], ${p('versions')}::bigint[]) as u (key, version)
    join posthorn.held_key as h
      on h.outbox = '${name}' and h.key = u.key and h.version = u.version and h.due_at is not null
     for update of h skip locked
),
marked as (
  update posthorn.held_key as h
     set suspect = false
    from read
   where h.outbox = '${name}' and h.key = read.key and h.version = read.version
     and read.more and h.suspect
)
delete from posthorn.held_key as h
 using read
 where h.outbox = '${name}' and h.key = read.key and h.version = read.version and not read.more`,
  )
}

/** Notes whether the first message of waiting keys is a suspect, where that was not known. */
function markKeys({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with free as materialized (
  select key from posthorn.held_key
   where outbox = '${name}' and key = any(${p('keys')}::text[])
     for no key update skip locked
)
update posthorn.held_key
   set suspect = ${p('suspect')}, version = version + 1
 where outbox = '${name}' and key = any(array(select key from free))`,
  )
}

/** Dead-letters what waits behind a dead message, where the key is parked. */
function parkTails(definition: ResolvedDefinition): Prepared | undefined {
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
  select ${columns.id} as id${seqOf(definition)}, ${columns.status}::text as from_state
    from ${table}
   where held and ${waitsCondition(definition)}
     and ${order.key}::text = any(array(
           select key from posthorn.held_key
            where outbox = '${name}' and key = any(${p('keys')}::text[])
              and due_at is null and tail = 'park'))
     -- What is locked is parked by the relay's maintenance.
     for no key update skip locked
),
parked as (
  update ${table} as m
     set ${set.join(', ')}
    from tail
   where ${isRowOf(definition, 'tail')}
  returning m.${columns.id}::text as id, tail.from_state, m.${counter.column} as attempt${tenantOf(definition)}
)${noted}
select id from parked`,
  )
}

/**
 * Part of a replay: its messages wait behind their key, so that they go out in their old order and before
 * what came later. A block ends with the last message that makes it; until then they wait behind it.
 */
export function holdReplayedCte({ name }: ResolvedDefinition): string {
  const remaining = `array(select b from unnest(h.blocked_by) as b
                               where b not in (select id::text from replayed))`
  return `,
waiting as (
  insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by)
  select '${name}', key, min(bucket), min(due_at), 'REPLAYED' from replayed group by key order by key
      on conflict (outbox, key) do update
     set due_at = case when h.due_at is not null then least(h.due_at, excluded.due_at)
                       when ${remaining} = '{}' then excluded.due_at end,
         tail = case when h.due_at is null and ${remaining} <> '{}' then h.tail else 'wait' end,
         held_by = case when h.due_at is null and ${remaining} <> '{}' then (${remaining})[1] else 'REPLAYED' end,
         blocked_by = case when h.due_at is null then ${remaining} else '{}' end,
         version = h.version + 1
)`
}

/** Part of a cancel: what waited for a message that is no longer wanted goes on. */
export function freeCancelledCte({ name }: ResolvedDefinition): string {
  const remaining = `array(select b from unnest(h.blocked_by) as b where b <> all(c.ids))`
  return `,
unblocked as (
  update posthorn.held_key as h
     set due_at = case when h.due_at is not null or ${remaining} = '{}' then posthorn.now() end,
         tail = case when h.due_at is null and ${remaining} <> '{}' then h.tail else 'wait' end,
         held_by = case when h.due_at is null then coalesce((${remaining})[1], h.held_by) else h.held_by end,
         blocked_by = case when h.due_at is null then ${remaining} else '{}' end,
         version = h.version + 1
    from (select key, array_agg(id::text) as ids from cancelled group by key) as c
   where h.outbox = '${name}' and h.key = c.key
     and (h.held_by = any(c.ids) or h.blocked_by && c.ids)
)`
}

/** Lets the messages behind a dead one go on without it. */
export function unblockKey({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with unblocked as (
  update posthorn.held_key
     set due_at = posthorn.now(), tail = 'wait', blocked_by = '{}', version = version + 1
   where outbox = '${name}' and key = ${p('key')} and due_at is null
  returning key
),
noted as (
  insert into posthorn.operation (operation, outbox, subject, actor, reason)
  select 'unblock', '${name}', key, ${p('actor')}::text, ${p('reason')}::text from unblocked
)
select key from unblocked`,
  )
}

/** Part of taking over a lost run: its messages wait behind their key, to be claimed as suspects. */
export function holdSuspects(definition: ResolvedDefinition): string {
  const { name, table, order } = definition
  return `insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by, suspect)
select distinct on (key) '${name}', key, bucket, posthorn.now(), 'CLAIM_EXPIRED', not exists (
         select from ${table}
          where held and ${order?.key}::text = suspect.key and ${waitsCondition(definition)}
            and seq < suspect.seq and lost_claims = 0)
  from suspect
 order by key, seq
    on conflict (outbox, key) do update
   set due_at = case when h.due_at is not null then posthorn.now() end,
       suspect = excluded.suspect,
       version = h.version + 1
returning key`
}

/** Held messages whose key is free: a net under all the rest. */
function rescueHeld(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
select distinct on (t.${order?.key}) '${name}', t.${order?.key}::text, t.bucket, posthorn.now(), 'RESCUED'
  from ${table} as t
 where t.held and t.bucket = any(${p('buckets')}::smallint[]) and ${waitsCondition(definition)}
   and not exists (
     select from posthorn.held_key as h where h.outbox = '${name}' and h.key = t.${order?.key}::text
   )
    on conflict do nothing`,
  )
}

/** Keys that have been due for a while and wait for nothing: their messages were deleted by hand. */
function sweepKeys(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `with stray as materialized (
  select h.key, h.version
    from posthorn.held_key as h
   where h.outbox = '${name}' and h.bucket = any(${p('buckets')}::smallint[])
     and h.due_at < posthorn.now() - interval '10 s'
     and not exists (
       select from ${table} where held and ${order?.key}::text = h.key and ${waitsCondition(definition)}
     )
     for update skip locked
)
-- A replay whose transaction was open meanwhile has raised the version.
delete from posthorn.held_key as h
 using stray
 where h.outbox = '${name}' and h.key = stray.key and h.version = stray.version`,
  )
}

/** Blocked keys with the messages that block them, for `liftKeys`. */
function blockedKeys({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `select h.key, h.version, h.blocked_by as blockers
  from posthorn.held_key as h
 where h.outbox = '${name}' and h.bucket = any(${p('buckets')}::smallint[]) and h.due_at is null`,
  )
}

/** Lets keys go on whose blocking messages are all gone: deleted, or settled by other means. */
function liftKeys({ name, table, columns, states }: ResolvedDefinition): Prepared {
  const dead =
    states.dead === undefined
      ? `quarantined_at is not null and ${anyOf(columns.status, [states.ready, states.retry])}`
      : `${columns.status} = ${literal(states.dead)}`
  return prepare(
    (p) => `with free as materialized (
  select key from posthorn.held_key
   where outbox = '${name}' and key = any(${p('keys')}::text[])
     for no key update skip locked
),
gone as materialized (
  select u.key, u.version
    from unnest(${p('keys')}::text[], ${p('versions')}::bigint[], ${opaqueArray(p('ids'), columns.idType)})
      as u (key, version, id)
    left join ${table} as m on m.${columns.id} = u.id and ${dead}
   group by u.key, u.version
  having count(m.${columns.id}) = 0
)
update posthorn.held_key as h
   set due_at = posthorn.now(), tail = 'wait', blocked_by = '{}', version = h.version + 1
  from gone
 where h.outbox = '${name}' and h.key = gone.key and h.version = gone.version
   and h.key in (select key from free)
returning h.key`,
  )
}

/** Statements on the waiting keys of an ordered outbox. */
export const heldStatements = writeOnce((definition) => ({
  holdKeys: holdKeys(definition),
  setAside: setAside(definition),
  selectLockedKeys: selectLockedKeys(definition),
  freeKeys: freeKeys(definition),
  markKeys: markKeys(definition),
  parkTails: parkTails(definition),
  rescueHeld: rescueHeld(definition),
  sweepKeys: sweepKeys(definition),
  blockedKeys: blockedKeys(definition),
  liftKeys: liftKeys(definition),
}))
