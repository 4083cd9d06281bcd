/*
 * How a log is read. Its rows are never written again, so a bucket keeps a cursor (see posthorn.bucket in the migration): what
 * was seen, as a snapshot, and the tick that is being read, a later snapshot. A tick has the rows that are
 * visible in it and were not seen, and is read through in the order of `seq`, a page at a time. There are two
 * kinds of them, each with an index of its own:
 *
 *   fresh   by transactions that had no number yet when the last tick began: all have a higher seq than
 *           any that was given out then
 *   late    by transactions that were open then, however long ago: looked up by their number
 *
 * Each condition is written so that only its own index can answer it: without statistics the planner takes
 * either for as good, and the wrong one reads the whole log.
 * Bounds are compared as rows: of a bucket with two bounds on `seq` the planner expects one row in two hundred,
 * takes a page for more than there is, and reads and sorts all that waits in the bucket for each page.
 *
 * A writer that stays open holds up nothing, and a row that commits late is found by the next tick.
 */
import { beside } from '../../database/sql-names.ts'
import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import {
  isAlive,
  leaseRows,
  newestBucket,
  NOTHING_IN_FLIGHT,
  openRows,
} from '../settle/bucket.sql.ts'
import { unlessPaused, waitsCondition, readColumns } from '../../outbox/clauses.sql.ts'
import { ASYNC_COMMIT, prepare, type Prepared } from '../../database/prepared.ts'

/**
 * This moment, in the only order that is safe: the statement's snapshot, then the highest seq given out,
 * then a transaction number. What is visible has a seq up to that one; a transaction with a higher number has
 * a higher seq.
 */
function momentCte({ log }: ResolvedDefinition): string {
  return `moment as materialized (
  select pg_current_snapshot() as tick, given.seq,
         case when given.seq is not null then pg_current_xact_id() end as by
    from (select ${lastSeq(log)} as seq) as given
)`
}

/** The highest seq that was given out, committed or not. */
export function lastSeq(log = ''): string {
  return `coalesce(pg_sequence_last_value('${beside(log, '_seq_seq')}'), 0)`
}

/** Whether this role may: without the right the sequence looks as if it had given out nothing. */
export function mayReadSequence(log = ''): string {
  return `coalesce(has_sequence_privilege(to_regclass('${beside(log, '_seq_seq')}'), 'usage, select'), false)`
}

/** What bounds a page of the cursor `c`, as SQL. */
export interface PageBounds {
  readonly tick: string
  readonly tickSeq: string
  readonly limit: string
}

/** The rows of a tick behind `c.log_done`, in order: fresh ones and late ones. */
export function pageSql({ log }: ResolvedDefinition, { tick, tickSeq, limit }: PageBounds): string {
  return `select ticked.*
       from ((select m.*
                from ${log} as m
               where (m.bucket, m.seq) > (c.bucket, greatest(c.log_seen_seq, c.log_done))
                 and (m.bucket, m.seq) <= (c.bucket, ${tickSeq})
                 and xid8cmp(m.xid, c.log_seen_by) > 0 and pg_visible_in_snapshot(m.xid, ${tick})
               order by m.bucket, m.seq
               limit ${limit})
             union all
             (select found.*
                -- posthorn.log_late, written out: it is asked at every claim.
                from (select pg_snapshot_xip(c.log_seen)
                      union all
                      select n::text::xid8
                        from generate_series(pg_snapshot_xmax(c.log_seen)::text::bigint,
                                             c.log_seen_by::text::bigint) as n) as late (xid)
               cross join lateral (
                     select m.*
                       from ${log} as m
                      where m.xid = late.xid
                        and (m.bucket, m.seq) > (c.bucket, greatest(c.log_since, c.log_done))
                        and (m.bucket, m.seq) <= (c.bucket, ${tickSeq})
                        and pg_visible_in_snapshot(m.xid, ${tick})
                      order by m.bucket, m.seq
                      limit ${limit}) as found)) as ticked
      order by ticked.seq
      limit ${limit}`
}

/**
 * Reads the next page of each bucket and notes it as the run in flight. Where there is no tick, this moment
 * becomes one. A bucket whose tick is at its end comes without a message, and is read again.
 * Buckets of whose keys something waits in the table itself, not held, are left alone until that is gone.
 * The reader puts the messages in order: sorting them here would copy each of them once more.
 */
function claimLog(definition: ResolvedDefinition): Prepared {
  const { name, table, columns, order } = definition
  return prepare(
    (p) => `with ${momentCte(definition)},
lease as materialized (
  select b.*, coalesce(b.log_tick, moment.tick) as tick,
         case when b.log_tick is null then moment.by else b.log_tick_by end as tick_by,
         case when b.log_tick is null then moment.seq else b.log_tick_seq end as tick_seq
    from unnest(${p('buckets')}::smallint[], ${p('tokens')}::uuid[]) as l (bucket, token)
   cross join ${newestBucket(name)} as b
   cross join moment
   where b.token = l.token and ${isAlive(p)}
     and ${unlessPaused(definition)}
     and b.log_cluster = (select posthorn.log_cluster())
     and not exists (
       select from ${table} as t
        where t.bucket = l.bucket and ${waitsCondition(definition)} and not t.held)
),
page as (
  select t.*
    from lease as c
   cross join lateral (${pageSql(definition, { tick: 'c.tick', tickSeq: 'c.tick_seq', limit: `${p('limit')}::int` })}) as t
   limit ${p('batch')}
),
read as materialized (
  select lease.bucket, lease.run, lease.token, lease.tick, lease.tick_by, lease.tick_seq, r.upto, r.size
    from (select bucket, max(seq) as upto, count(*) as size from page group by bucket) as r
    join lease on lease.bucket = r.bucket
),
noted as (
  update posthorn.bucket as b
     set run = b.run + 1, run_size = coalesce(b.run_size, 0) + r.size,
         log_upto = r.upto, log_tick = r.tick, log_tick_by = r.tick_by, log_tick_seq = r.tick_seq
    from read as r
   where b.outbox = '${name}' and b.bucket = r.bucket and b.run = r.run and b.token = r.token
     and ${ASYNC_COMMIT}
  returning b.bucket, b.run
),
passed as (
  update posthorn.bucket as b
     set ${CLOSE_TICK}
    from lease
   where b.outbox = '${name}' and b.bucket = lease.bucket and b.run = lease.run and b.token = lease.token
     and b.log_tick is not null and lease.log_tick is not null
     and not exists (select from read as r where r.bucket = lease.bucket)
     -- Behind a full batch no bucket was read.
     and (select coalesce(sum(r.size), 0) from read as r) < ${p('batch')}
  returning b.bucket
)
select ${readColumns(definition, 'page')}, taken.run as claim_run, h.tail as claim_tail,
       case when page.${columns.dueAt} > (select posthorn.now())
            then extract(epoch from page.${columns.dueAt} - posthorn.now()) * 1000
       end as claim_early_ms
  from (select bucket, run from noted
        union all
        select bucket, null from passed) as taken
  left join page on page.bucket = taken.bucket
  left join posthorn.held_key as h on h.outbox = '${name}' and h.key = page.${order?.key}::text`,
  )
}

/** What the tick of the row `b` showed is seen. */
const CLOSE_TICK = `log_seen = b.log_tick, log_seen_by = b.log_tick_by, log_seen_seq = b.log_tick_seq,
         log_tick = null, log_tick_by = null, log_tick_seq = null, log_done = 0`

/**
 * Ends runs of the log: fence and cursor in one write. The run's number must be the very one that
 * was noted: where a crash or a failover of Postgres has lost the note, the tick is of transactions that may
 * be lost as well, and their numbers given to others. `closed` are the buckets whose tick ends with the run. With
 * messages that are `busy` in the log's exceptions, the note of them stays.
 */
function endLogRun({ name }: ResolvedDefinition, isBusy: boolean): Prepared {
  const unlessClosed = (column: string, closed: string, open = `b.${column}`) =>
    `${column} = case when l.closed then ${closed} else ${open} end`
  const note = isBusy
    ? 'run_size = l.sizes, run_keys = busy.keys, run_uptos = busy.uptos'
    : NOTHING_IN_FLIGHT
  const sizes = isBusy ? { sizes: 'bigint' } : undefined
  return prepare(
    (p) => `update posthorn.bucket as b
   set run = l.runs + 1, ${note}, log_upto = null,
       ${unlessClosed('log_seen', 'b.log_tick')},
       ${unlessClosed('log_seen_by', 'b.log_tick_by')},
       ${unlessClosed('log_seen_seq', 'b.log_tick_seq')},
       ${unlessClosed('log_tick', 'null')},
       ${unlessClosed('log_tick_by', 'null')},
       ${unlessClosed('log_tick_seq', 'null')},
       ${unlessClosed('log_done', '0', 'b.log_upto')}
  from ${leaseRows(name, p, { runs: 'bigint', closed: 'boolean', ...sizes })}${isBusy ? `\n  left join ${openRows(p)} on true` : ''}
 where b.outbox = '${name}' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run = l.runs
   and b.log_upto is not null
returning b.bucket`,
  )
}

/** Statements that claim from a log and end its runs. */
export const logStatements = writeOnce((definition) => ({
  claimLog: claimLog(definition),
  endLogRun: endLogRun(definition, false),
  endLogRunExcept: endLogRun(definition, true),
}))
