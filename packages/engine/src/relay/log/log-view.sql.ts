// How a log's messages are shown. A message is in the log or in the table, never in both; one in the log has
// gone by, or waits.
import type { ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { BUCKETS, newestBuckets } from '../settle/bucket.sql.ts'
import { literal } from '../../outbox/clauses.sql.ts'
import { lastSeq } from './log.sql.ts'
import { undoneSql } from './log-moves.sql.ts'

/** The log as `m`, with the cursor of each row's bucket as `c.b`. */
export function fromLog({ name, log }: ResolvedDefinition): string {
  return `${log} as m
  left join ${newestBuckets(name)} as c on c.number = m.bucket`
}

/** Whether the row `m` of `fromLog` has gone by; it has not where no relay has ever read the log. */
export const HAS_GONE = 'coalesce(posthorn.log_gone(c.b, m.xid, m.seq), false)'

/**
 * The word for the state of the row `m`. The last branch is never reached: it gives the words the type of the
 * column, which may be an enum.
 */
export function loggedState({ states, columns }: ResolvedDefinition): string {
  return `case when ${HAS_GONE} then ${literal(states.sent)} when true then ${literal(states.ready)} else m.${columns.status} end`
}

/** The condition on `m` for being in a state; undefined for states that nothing in a log is in. */
export function inLoggedState({ states }: ResolvedDefinition, state: string): string | undefined {
  if (state === String(states.sent)) return HAS_GONE
  return state === String(states.ready) ? `not ${HAS_GONE}` : undefined
}

/** Waiting rows of one bucket that are looked at; what is beyond is estimated by the distance. */
export const MOST_LOGGED = 500

/** What the log adds to the numbers of its outbox. */
export interface LogStatsRow {
  readonly waiting: number
  readonly due: number
  /** When the longest waiting message of those looked at became due. */
  readonly oldest_due: number
  /** Not all that waits was looked at. */
  readonly is_cut: boolean
  /** How much waits, by the distance between the cursors and the log's end. */
  readonly distance: number
  /** All rows: counted where they are few, else estimated. */
  readonly rows: number
  readonly is_estimate: boolean
}

export function selectLogStats(definition: ResolvedDefinition, small: number): string {
  const { name, log, columns } = definition
  return `with undone as materialized (
  ${undoneSql(definition, `m.bucket, m.${columns.dueAt} as due_at`, `limit ${MOST_LOGGED + 1}`)}
),
size as (
  select coalesce(sum(pg_relation_size(c.oid) / current_setting('block_size')::float8
         * case when c.reltuples >= 0 and c.relpages > 0 then c.reltuples / c.relpages else 60 end), 0) as rows
    from pg_partition_tree('${log}') as part
    join pg_class as c on c.oid = part.relid
   where part.isleaf
)
select count(*)::float8 as waiting,
       count(*) filter (where due_at <= (select posthorn.now()))::float8 as due,
       coalesce(greatest(0, extract(epoch from posthorn.now() - min(due_at))), 0)::float8 as oldest_due,
       exists (select from undone group by bucket having count(*) > ${MOST_LOGGED}) as is_cut,
       (select sum(greatest(0, given.seq - coalesce(greatest((c.b).log_seen_seq, (c.b).log_done), 0)))::float8 / ${BUCKETS}
          from generate_series(0, ${BUCKETS - 1}) as number
         cross join (select ${lastSeq(log)} as seq) as given
          left join ${newestBuckets(name)} as c using (number)) as distance,
       case when (select rows from size) < ${small}
            then (select count(*)::float8 from ${log}) else (select rows from size) end as rows,
       (select rows from size) >= ${small} as is_estimate
  from undone`
}
