import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { unlessPaused, waiting } from './claim.ts'
import { ASYNC_COMMIT, prepare, type Prepared } from './prepared.ts'

/** Keys hash into this many buckets: the most relays that can share one ordered outbox. */
export const BUCKETS = 64

/** Makes the outbox's bucket rows; harmless when they are there. */
export function createBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    () => `insert into posthorn.bucket (outbox, bucket)
select '${name}', n from generate_series(0, ${BUCKETS - 1}) as n
on conflict do nothing`,
  )
}

/** Takes free or abandoned buckets; `run_*` tells what was in flight when the last owner vanished. */
export function acquireBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with free as (
  select bucket
    from posthorn.bucket
   where outbox = '${name}' and (token is null or until < now())
   order by bucket
   limit ${p('want')}
     for update skip locked
)
update posthorn.bucket as b
   set token = ${p('token')}::uuid,
       relay = ${p('relay')}::text,
       until = now() + ${p('leaseMs')} * interval '1 ms'
  from free
 where b.outbox = '${name}' and b.bucket = free.bucket
returning b.bucket, b.run_upto, b.run_size, b.run_key, b.floor`,
  )
}

/** Renews leases while work goes on; returns the buckets that are still ours. */
export function renewBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
   set until = now() + ${p('leaseMs')} * interval '1 ms'
  from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[]) as l (bucket, token)
 where b.outbox = '${name}' and b.bucket = l.bucket and b.token = l.token
returning b.bucket`,
  )
}

/** Gives buckets back, with nothing in flight. */
export function releaseBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
   set token = null, relay = null, until = null, run_upto = null, run_size = null, run_key = null
  from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[]) as l (bucket, token)
 where b.outbox = '${name}' and b.bucket = l.bucket and b.token = l.token`,
  )
}

/** Ends a run and renews its lease; the buckets that are not in the result belong to somebody else. */
export function endRun({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
   set run_upto = null, run_size = null, run_key = null,
       until = now() + ${p('leaseMs')} * interval '1 ms'
  from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[]) as l (bucket, token)
 where b.outbox = '${name}' and b.bucket = l.bucket and b.token = l.token
returning b.bucket`,
  )
}

/** The buckets of `l` that are ours, on real time. */
function leased({ name }: ResolvedDefinition, p: (param: string) => string): string {
  return `lease as (
  select b.bucket, l.place
    from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[])
           with ordinality as l (bucket, token, place)
    join posthorn.bucket as b
      on b.outbox = '${name}' and b.bucket = l.bucket and b.token = l.token and b.until > now()
   where ${unlessPaused({ name } as ResolvedDefinition)}
)`
}

/** The floor that the reader goes by, kept for the next owner of the bucket. */
function raised(p: (param: string) => string): string {
  const place = `array_position(${p('buckets')}::smallint[], b.bucket)`
  return `greatest(b.floor, (${p('floors')}::bigint[])[${place}])`
}

/**
 * Notes what is about to be in flight under each lease. Losing this note in a crash of Postgres
 * itself is harmless (no relay died of a message), so its commit does not wait for the disk.
 */
function noted({ name }: ResolvedDefinition, key: string, floor: string): string {
  return `noted as (
  update posthorn.bucket as b
     set run_upto = r.upto, run_size = r.size, run_key = r.key, floor = ${floor}
    from (select bucket, max(seq) as upto, count(*) as size, ${key} as key
            from run group by bucket) as r
   where b.outbox = '${name}' and b.bucket = r.bucket
     and ${ASYNC_COMMIT}
)`
}

/**
 * Reads the head of each bucket in order: no row is written or locked, the bucket's lease is the
 * claim. Nothing waits below `floors`; the lowest row says with `claim_snapshot` which transactions
 * were open while it was read, so that the reader can raise them.
 * `claim_early_ms` is set where a message is not due yet, `claim_tail` where its key waits already.
 */
export function claimFlow(definition: ResolvedDefinition): Prepared {
  const { name, table, columns, order } = definition
  return prepare(
    (p) => `with ${leased(definition, p)},
run as (
  select t.*
    from lease
   cross join lateral (
     select *
       from ${table}
      where bucket = lease.bucket and seq >= (${p('floors')}::bigint[])[lease.place]
        and ${waiting(definition)} and not held
      order by seq
      limit ${p('limit')}
   ) as t
   limit ${p('batch')}
),
${noted(definition, 'null::text', raised(p))}
select run.*, h.tail as claim_tail,
       case when run.${columns.dueAt} > (select posthorn.now())
            then extract(epoch from run.${columns.dueAt} - posthorn.now()) * 1000
       end as claim_early_ms,
       case when run.seq = (select min(seq) from run) then pg_current_snapshot()::text
       end as claim_snapshot
  from run
  left join posthorn.held_key as h on h.outbox = '${name}' and h.key = run.${order?.key}::text`,
  )
}

/**
 * Reads the messages of one waiting key a bucket whose time has come. A message whose earlier
 * claim was lost comes alone (`alone`), and everything behind it waits for another round.
 */
export function claimHeld(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `with ${leased(definition, p)},
due as (
  select distinct on (h.bucket) h.bucket, h.key, h.version, h.due_at
    from posthorn.held_key as h
    join lease on lease.bucket = h.bucket
   cross join lateral (
     select lost_claims > 0 as suspect
       from ${table}
      where held and ${order?.key}::text = h.key and ${waiting(definition)}
      order by seq
      limit 1
   ) as head
   where h.outbox = '${name}' and h.due_at <= posthorn.now() and head.suspect = ${p('suspect')}
   order by h.bucket, h.due_at
   limit ${p('keys')}
),
run as (
  select t.*, due.version as claim_version
    from due
   cross join lateral (
     select r.*,
            row_number() over (order by seq) as position,
            count(*) filter (where lost_claims > 0) over (order by seq) as suspects
       from (select * from ${table}
              where held and ${order?.key}::text = due.key and ${waiting(definition)}
              order by seq
              limit ${p('limit')}) as r
   ) as t
   where t.suspects = 0 or t.position = 1
),
${noted(definition, `min(${order?.key}::text)`, 'b.floor')}
select * from run`,
  )
}

/**
 * What was in flight under an abandoned lease is suspect: it leaves the flow and is next claimed
 * alone. A run of one counts against its message.
 */
export function suspectRun(definition: ResolvedDefinition): Prepared {
  const { name, table, columns, order } = definition
  return prepare(
    (p) => `with lost as (
  select *
    from unnest(${p('buckets')}::smallint[], ${p('uptos')}::bigint[], ${p('sizes')}::int[], ${p('keys')}::text[])
      as l (bucket, upto, size, key)
),
-- Two reads, one for each index: with a choice in one condition neither would be used.
run as (
  select m.${columns.id} as id, lost.size
    from lost join ${table} as m on m.bucket = lost.bucket and m.seq <= lost.upto
   where lost.key is null and not m.held and ${waiting(definition)}
  union all
  select m.${columns.id} as id, lost.size
    from lost join ${table} as m on m.${order?.key}::text = lost.key and m.seq <= lost.upto
   where m.held and ${waiting(definition)}
),
suspect as (
  update ${table} as m
     set held = true,
         lost_claims = case when run.size = 1 then m.lost_claims + 1 else greatest(m.lost_claims, 1) end
    from run
   where m.${columns.id} = run.id
  returning m.${order?.key}::text as key, m.bucket
),
cleared as (
  update posthorn.bucket as b
     set run_upto = null, run_size = null, run_key = null
    from lost
   where b.outbox = '${name}' and b.bucket = lost.bucket
)
insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
select distinct on (key) '${name}', key, bucket, posthorn.now(), 'CLAIM_EXPIRED'
  from suspect
    on conflict (outbox, key)
    do update set due_at = posthorn.now(), version = held_key.version + 1`,
  )
}
