import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import {
  isRowOf,
  readColumns,
  seqOf,
  unlessPaused,
  waitsCondition,
} from '../../outbox/clauses.sql.ts'
import { ASYNC_COMMIT, prepare, type Prepared } from '../../database/prepared.ts'
import { isAlive, newestBucket, NOTHING_IN_FLIGHT, SERVER } from '../settle/bucket.sql.ts'
import { holdSuspects } from '../settle/held.sql.ts'

/** A claim that may take few messages begins with the buckets that were read longest ago. */
const BY_TURNS = '\n   order by l.place'

/** The buckets of `l` that are ours. */
function leaseCte({ name, limit }: ResolvedDefinition, p: (param: string) => string): string {
  return `lease as materialized (
  select b.bucket, b.run, b.token, l.place
    from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[])
           with ordinality as l (bucket, token, place)
   cross join ${newestBucket(name, 'bucket, run, token')} as b
   where b.token = l.token and ${isAlive(p)}
     and ${unlessPaused({ name } as ResolvedDefinition)}${limit ? BY_TURNS : ''}
)`
}

/**
 * Notes what is about to be in flight under each lease, and numbers the run. Losing this note in a
 * crash of Postgres itself is harmless (no relay died of a message), so its commit does not wait for
 * the disk. A lease that was lost since it was looked at gets no note, and its rows are not claimed.
 */
function noteRunCte({ name }: ResolvedDefinition, note: { set: string; from: string }): string {
  return `size as materialized (
  select counted.*, lease.run, lease.token
    from (${note.from}) as counted
    join lease on lease.bucket = counted.bucket
),
noted as (
  update posthorn.bucket as b
     set run = b.run + 1, ${note.set}
    from size as r
   where b.outbox = '${name}' and b.bucket = r.bucket and b.run = r.run and b.token = r.token
     and ${ASYNC_COMMIT}
  returning b.bucket, b.run
)`
}

/** Which of the buckets it is: tokens and floors come in their order. */
function placeOf(p: (param: string) => string, bucket: string): string {
  return `array_position(${p('buckets')}::smallint[], ${bucket})`
}

/** Milliseconds until a message is due; null where it is. */
function early({ columns }: ResolvedDefinition): string {
  return `case when run.${columns.dueAt} > (select posthorn.now())
            then extract(epoch from run.${columns.dueAt} - posthorn.now()) * 1000
       end as claim_early_ms`
}

/**
 * Where a bucket is read from: its floor, if that is of the server that answers; else its front. In a
 * sub-select, so that the server is asked for once and not for each bucket.
 */
function floorOf(p: (param: string) => string, place: string): string {
  return `(select case when ${p('server')}::text = ${SERVER} then ${p('floors')}::bigint[] end)[${place}]`
}

/**
 * Reads the head of each bucket in order: no row is written or locked, the bucket's lease is the
 * claim. Nothing waits below `floors` on the server that they are of. So that the reader can raise them,
 * the lowest row has in `claim_transactions` the oldest transaction that was open, this statement's own
 * number, which is taken after its snapshot, and the server.
 * `claim_early_ms` is set where a message is not due yet, `claim_tail` where its key waits already.
 */
export function claimFlow(definition: ResolvedDefinition): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `with ${leaseCte(definition, p)},
run as (
  select t.*
    from lease
   cross join lateral (
     select *
       from ${table}
      where bucket = lease.bucket and seq >= coalesce(${floorOf(p, 'lease.place')}, 0)
        and ${waitsCondition(definition)} and not held
        and ${order?.key}::text <> all(${p('late')}::text[])
      order by seq
      limit ${p('limit')}
   ) as t
   limit ${p('batch')}
),
${noteRunCte(definition, {
  // The floor that this reader goes by is kept for the next owner of the bucket.
  set: `run_upto = greatest(b.run_upto, r.upto), run_size = coalesce(b.run_size, 0) + r.size,
         floor = greatest(b.floor, ${floorOf(p, placeOf(p, 'r.bucket'))})`,
  from: 'select bucket, max(seq) as upto, count(*) as size from run group by bucket',
})}
select ${readColumns(definition, 'run')}, noted.run as claim_run, h.tail as claim_tail,
       ${early(definition)},
       case when run.seq = (select min(seq) from run)
            then pg_snapshot_xmin(pg_current_snapshot())::text || ':' || pg_current_xact_id()::text || ':' || ${SERVER}
       end as claim_transactions
  from run
  join noted on noted.bucket = run.bucket
  left join posthorn.held_key as h on h.outbox = '${name}' and h.key = run.${order?.key}::text`,
  )
}

/** Of the suspects that were found: those of a group, and where there are none, the first of the others. */
const SUSPECTS_CTE = `
run as (
  select *
    from found
   where coalesce(lost_claims, 0) < 2
      or (not exists (select from found where lost_claims = 1)
          and (claim_key, seq) = (select claim_key, seq from found where lost_claims > 1 limit 1))
),`

/**
 * Reads the messages of waiting keys whose time has come: a few keys of each bucket by the index, no
 * matter how many are due. Everything behind a message whose earlier claim was lost waits for another
 * round; keys that begin with one are read as `suspect`: what was lost once in a small group, what was
 * lost in such a group alone. A key with nothing behind it comes as a row without a message.
 */
export function claimHeld(definition: ResolvedDefinition, kind: 'held' | 'suspect'): Prepared {
  const { name, table, order } = definition
  return prepare(
    (p) => `with ${leaseCte(definition, p)},
due as (
  select h.*
    from lease
   cross join lateral (
     select bucket, key, version
       from posthorn.held_key
      where outbox = '${name}' and bucket = lease.bucket and key <> all(${p('late')}::text[])
        and due_at <= posthorn.now() and ${kind === 'held' ? 'not suspect' : 'suspect'}
      order by due_at
      limit ${p('share')}
   ) as h
   limit ${p('keys')}
),
${kind === 'held' ? 'run' : 'found'} as (
  select due.bucket as claim_bucket, due.key as claim_key, due.version as claim_version, t.*
    from due
    left join lateral (
     select r.*,
            row_number() over (order by seq) as position,
            count(*) filter (where lost_claims <> ${kind === 'held' ? 0 : 1}) over (order by seq) as others
       from (select * from ${table}
              where held and ${order?.key}::text = due.key and ${waitsCondition(definition)}
              order by seq
              limit ${p('limit')}) as r
   ) as t on t.others = 0 or t.position = 1
   limit ${p('batch')}
),${kind === 'held' ? '' : SUSPECTS_CTE}
${noteRunCte(definition, {
  set: `run_size = nullif(coalesce(b.run_size, 0) + coalesce(r.size, 0), 0),
         run_keys = b.run_keys || r.keys, run_uptos = b.run_uptos || r.uptos`,
  // A key that begins with a message of the other kind is read, and not attempted.
  from: `select bucket, nullif(sum(size), 0) as size,
                 array_agg(key) filter (where size > 0) as keys,
                 array_agg(upto) filter (where size > 0) as uptos
            from (select claim_bucket as bucket, claim_key as key,
                         max(seq) filter (where lost_claims ${kind === 'held' ? '= 0' : '> 0'}) as upto,
                         count(seq) filter (where lost_claims ${kind === 'held' ? '= 0' : '> 0'}) as size
                    from run group by claim_bucket, claim_key) as k
           group by bucket`,
})}
select ${readColumns(definition, 'run', ['claim_bucket', 'claim_key', 'claim_version'])}, noted.run as claim_run,
       ${early(definition)}
  from run
  join noted on noted.bucket = run.claim_bucket`,
  )
}

/**
 * What was in flight under an abandoned lease is suspect: it leaves the flow and is next claimed in a
 * small group, and alone if it was in one; a run of one is as good as a group. Returns the keys. A key of which
 * another transaction has locked a row stays in the flow, as if the note of its run had been lost.
 */
export function suspectRun(definition: ResolvedDefinition): Prepared {
  const { name, table, columns, order } = definition
  return prepare(
    (p) => `with lost as (
  select bucket, run_upto, run_size, run_keys, run_uptos
    from posthorn.bucket
   where outbox = '${name}' and bucket = any(${p('buckets')}::smallint[])
     and token = ${p('token')}::uuid and run_size is not null
),
-- Two reads, one for each index: with a choice in one condition neither would be used.
run as (
  select m.${columns.id} as id${seqOf(definition)}, m.${order?.key}::text as key, lost.run_size
    from lost join ${table} as m on m.bucket = lost.bucket and m.seq <= lost.run_upto
   where not m.held and ${waitsCondition(definition)}
  union all
  select m.${columns.id} as id${seqOf(definition)}, k.key, lost.run_size
    from lost
   cross join lateral unnest(lost.run_keys, lost.run_uptos) as k (key, upto)
    join ${table} as m on m.${order?.key}::text = k.key and m.seq <= k.upto
   where m.held and ${waitsCondition(definition)}
),
free as materialized (
  select ${columns.id} as id
    from ${table}
   where ${columns.id} = any(array(select id from run))
     for no key update skip locked
),
suspect as (
  update ${table} as m
     set held = true,
         lost_claims = case when run.run_size = 1 then greatest(m.lost_claims, 1) else m.lost_claims end + 1
    from run
   where ${isRowOf(definition, 'run')}
     and run.key not in (select key from run where id not in (select id from free))
  returning m.${order?.key}::text as key, m.bucket, m.seq
),
cleared as (
  update posthorn.bucket as b
     set run = b.run + 1, ${NOTHING_IN_FLIGHT}
    from lost
   where b.outbox = '${name}' and b.bucket = lost.bucket
)
${holdSuspects(definition)}`,
  )
}

/** Statements that claim by key. */
export const keyStatements = writeOnce((definition) => ({
  claimFlow: claimFlow(definition),
  claimHeld: claimHeld(definition, 'held'),
  claimSuspect: claimHeld(definition, 'suspect'),
  suspectRun: suspectRun(definition),
}))
