import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { opaqueArray, prepare, type Prepared } from '../../database/prepared.ts'

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

/**
 * The server that answers, by the time of its start. What was learnt from one server holds on it alone:
 * another one may not have seen the last transactions, and gives their numbers and `seq` a second time.
 */
export const SERVER = 'extract(epoch from pg_postmaster_start_time())::text'

/**
 * The newest version of the row of the bucket `l.bucket`. Each run has a version of its own, and while a
 * transaction is held open elsewhere all of them stay: the row is always looked for by its run.
 */
export function newestBucket(name: string, columns = '*'): string {
  return `lateral (
           select ${columns} from posthorn.bucket
            where outbox = '${name}' and bucket = l.bucket
            order by run desc
            limit 1)`
}

/**
 * Each bucket's `number` with the newest version of its row as `b`, by as many looks into the index; those that
 * no relay has ever had are missing.
 */
export function newestBuckets(name: string): string {
  return `(
        select number, newest.b
          from generate_series(0, ${BUCKETS - 1}) as number
         cross join lateral (
           select b from posthorn.bucket as b
            where b.outbox = '${name}' and b.bucket = number
            order by b.run desc
            limit 1) as newest)`
}

/**
 * Leases as rows `l`, each with the newest `run` of its bucket. Of a list and a limit that it cannot look into
 * the planner expects one row, so it looks each bucket up by the index; of ten it would rather read all versions.
 */
export function leaseRows(
  name: string,
  p: (param: string) => string,
  lists: Readonly<Record<string, string>> = {},
): string {
  const all = { buckets: 'smallint', tokens: 'uuid', ...lists }
  const arrays = Object.entries(all).map(([list, type]) => opaqueArray(p(list), type))
  const names = ['bucket', 'token', ...Object.keys(lists)]
  return `(
        select l.*, newest.run
          from unnest(${arrays.join(', ')}) as l (${names.join(', ')})
         cross join ${newestBucket(name, 'run')} as newest
         limit (select ${BUCKETS})) as l`
}

/** What was in flight under a lease: nothing is, once it is settled. */
export const NOTHING_IN_FLIGHT =
  'run_upto = null, run_size = null, run_keys = null, run_uptos = null'

/** Whether the session that asks is alive, by the real time; a claim of one that is not finds nothing. */
export function isAlive(p: (param: string) => string): string {
  return `(select until > now() from posthorn.session where id = ${p('session')}::uuid)`
}

/**
 * Takes buckets that no living session has; `lost` tells that a run was in flight when the last owner vanished.
 * What belongs to the session that asks although it does not hold it, is taken too, and first: it has abandoned
 * that, or never heard that it got it.
 */
export function acquireBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with others as materialized (
  select id from posthorn.session where until is not null and id <> ${p('session')}::uuid
),
free as (
  select bucket, run
    from posthorn.bucket
   where outbox = '${name}' and (session is null or session not in (select id from others))
     and bucket <> all(${p('holds')}::smallint[])
     and exists (select from posthorn.session where id = ${p('session')}::uuid and until is not null)
   order by session is distinct from ${p('session')}::uuid, bucket
   limit greatest(${p('want')}, (select count(*) from posthorn.bucket
                                  where outbox = '${name}' and session = ${p('session')}::uuid
                                    and bucket <> all(${p('holds')}::smallint[])))
     for update skip locked
)
update posthorn.bucket as b
   set token = ${p('token')}::uuid, session = ${p('session')}::uuid
  from free
 where b.outbox = '${name}' and b.bucket = free.bucket and b.run = free.run
returning b.bucket, b.run_size is not null as lost, b.floor, ${SERVER} as server`,
  )
}

/** Keeps buckets ours until the transaction ends; returns those that are. */
export function lockBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `select b.bucket
  from ${leaseRows(name, p)}
  join posthorn.bucket as b
    on b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token
   for update of b`,
  )
}

/** Gives buckets back, with nothing in flight. */
export function releaseBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
   set token = null, session = null, ${NOTHING_IN_FLIGHT}
  from ${leaseRows(name, p)}
 where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token`,
  )
}

/**
 * Ends runs: fence and mark in one write. A bucket with another
 * relay's token, or whose run was ended before, is not in the result. The number on the bucket may be
 * lower than the run's own: a crash of Postgres can lose the note of it.
 */
export function endRun({ name }: ResolvedDefinition, p: (param: string) => string): string {
  return `update posthorn.bucket as b
     set run = l.runs + 1, ${NOTHING_IN_FLIGHT}
    from ${leaseRows(name, p, { runs: 'bigint' })}
   where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket`
}

/** Waiting messages of the lease `l` that are still being delivered, as lists of their keys and places. */
export function openRows(p: (param: string) => string): string {
  return `lateral (
         select array_agg(k.key) as keys, array_agg(k.upto) as uptos
           from unnest(${p('openBuckets')}::smallint[], ${p('openKeys')}::text[], ${p('openKeyUptos')}::bigint[])
             as k (bucket, key, upto)
          where k.bucket = l.bucket) as busy`
}

/** The same where some of a bucket's messages are still being delivered: the note of them stays. */
export function endRunExcept({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
     set run = l.runs + 1, run_upto = l.uptos, run_size = l.sizes, run_keys = busy.keys, run_uptos = busy.uptos
    from ${leaseRows(name, p, { runs: 'bigint', uptos: 'bigint', sizes: 'bigint' })}
    left join ${openRows(p)} on true
   where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket`,
  )
}

/** Runs that were ended under our own lease: settled already, by a commit whose answer got lost. */
export function endedRuns({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `select b.bucket
  from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[], ${p('runs')}::bigint[])
    as l (bucket, token, run)
  join posthorn.bucket as b
    on b.outbox = '${name}' and b.bucket = l.bucket and b.token = l.token and b.run = l.run + 1`,
  )
}

/** Statements on the leases of buckets. */
export const leaseStatements = writeOnce((definition) => ({
  createBuckets: createBuckets(definition),
  acquireBuckets: acquireBuckets(definition),
  lockBuckets: lockBuckets(definition),
  releaseBuckets: releaseBuckets(definition),
  endRun: prepare((p) => endRun(definition, p)),
  endRunExcept: endRunExcept(definition),
  endedRuns: endedRuns(definition),
}))
