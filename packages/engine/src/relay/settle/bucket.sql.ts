import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { opaqueArray, prepare, type Prepared } from '../../database/prepared.ts'
import { sql, type Statement } from '../../database/sql-tag.ts'

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

/**
 * Takes free or abandoned buckets; `lost` tells that a run was in flight when the last owner vanished. Those that
 * the relay itself `holds` it has not abandoned, however long the process or the server was away. Those with an
 * `unanswered` token are its own, too: it never heard that it got them.
 */
export function acquireBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with free as (
  select bucket, run
    from posthorn.bucket
   where outbox = '${name}' and (token is null or until < now() or token = any(${p('unanswered')}::uuid[]))
     and bucket <> all(${p('holds')}::smallint[])
   order by bucket
   limit ${p('want')}
     for update skip locked
)
update posthorn.bucket as b
   set token = ${p('token')}::uuid,
       relay = ${p('relay')}::text,
       until = now() + ${p('leaseMs')} * interval '1 ms'
  from free
 where b.outbox = '${name}' and b.bucket = free.bucket and b.run = free.run
returning b.bucket, b.run_size is not null as lost, b.floor, ${SERVER} as server`,
  )
}

/** Renews leases while work goes on; returns the buckets that are still ours. */
export function renewBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
   set until = now() + ${p('leaseMs')} * interval '1 ms'
  from ${leaseRows(name, p)}
 where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token
returning b.bucket`,
  )
}

/** Gives buckets back, with nothing in flight. */
export function releaseBuckets({ name }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update posthorn.bucket as b
   set token = null, relay = null, until = null, ${NOTHING_IN_FLIGHT}
  from ${leaseRows(name, p)}
 where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token`,
  )
}

/**
 * Ends runs and renews their leases: fence, mark and renewal in one write. A bucket with another
 * relay's token, or whose run was ended before, is not in the result. The number on the bucket may be
 * lower than the run's own: a crash of Postgres can lose the note of it.
 */
export function endRun({ name }: ResolvedDefinition, p: (param: string) => string): string {
  return `update posthorn.bucket as b
     set run = l.runs + 1, ${NOTHING_IN_FLIGHT},
         until = now() + ${p('leaseMs')} * interval '1 ms'
    from ${leaseRows(name, p, { runs: 'bigint' })}
   where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket`
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

/**
 * How many other relays of an outbox were heard of within the last `withinMs`, and how many of them
 * come before this one.
 */
export function rankOfRelay({
  relay,
  outbox,
  withinMs,
}: {
  relay: string
  outbox: string
  withinMs: number
}): Statement {
  return sql`
    select count(*)::int as others, count(*) filter (where relay < ${relay})::int as rank
      from posthorn.relay
     where outbox = ${outbox} and relay <> ${relay}
       and seen_at > now() - ${withinMs} * interval '1 ms'`
}

/** Statements on the leases of buckets. */
export const leaseStatements = writeOnce((definition) => ({
  createBuckets: createBuckets(definition),
  acquireBuckets: acquireBuckets(definition),
  renewBuckets: renewBuckets(definition),
  releaseBuckets: releaseBuckets(definition),
  endRun: prepare((p) => endRun(definition, p)),
  endedRuns: endedRuns(definition),
}))
