// What leaves a log for its exceptions, where it waits, is dead or was cancelled. A message is in one of the two.
import { writeOnce, type ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { BUCKETS, newestBucket, newestBuckets } from '../settle/bucket.sql.ts'
import { holdSuspects } from '../settle/held.sql.ts'
import { waitsInTable } from './table-moves.sql.ts'
import { lastSeq, mayReadSequence, pageSql } from './log.sql.ts'
import { opaqueArray, prepare, type Prepared } from '../../database/prepared.ts'
import { bare } from '../../database/sql-names.ts'

/**
 * Takes rows out of the log and puts them into its exceptions, whole: both tables have the same columns in the
 * same order. They wait there, and keep their `seq`. `using` and `where` are of `m`.
 */
function moveCtes(
  { log, table, columns, order, states }: ResolvedDefinition,
  { using, where, lostClaims = 0 }: { using: string; where: string; lostClaims?: number },
): string {
  // In a log every message is ready, whatever its row says.
  const arrival = { [bare(columns.status)]: states.ready, held: true, lost_claims: lostClaims }
  return `taken as (
  delete from ${log} as m
   ${using}
   where ${where}
  returning m as whole
),
moved as (
  insert into ${table}
  select kept.*
    from taken
   cross join lateral jsonb_populate_record(taken.whole, '${JSON.stringify(arrival)}') as kept
  returning ${columns.id}::text as id, ${order?.key}::text as key, bucket, seq
)`
}

/** Moves rows of a run that did not go straight through. They wait behind their key, which is written apart. */
function moveRows(definition: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `with ${moveCtes(definition, {
      using: `using unnest(${opaqueArray(p('buckets'), 'smallint')}, ${opaqueArray(p('seqs'), 'bigint')}) as u (bucket, seq)`,
      where: 'm.bucket = u.bucket and m.seq = u.seq',
    })}
select id from moved`,
  )
}

/** Takes messages that an operator acts on out of the log, as what they are: gone by, or waiting. */
function moveByIds(definition: ResolvedDefinition): Prepared {
  const { name, columns } = definition
  return prepare(
    (p) => `with ${moveCtes(definition, {
      using: 'using posthorn.bucket as b',
      where: `m.${columns.id} = any(${p('ids')}::${columns.idType}[])
     and b.outbox = '${name}' and b.bucket = m.bucket and not posthorn.log_gone(b, m.xid, m.seq)`,
    })}
select id from moved`,
  )
}

/**
 * What was in flight under an abandoned lease is suspect: it leaves the log and is next claimed in a small
 * group. The cursor goes on behind it. Returns the keys.
 */
function suspectLogRun(definition: ResolvedDefinition): Prepared {
  const { name } = definition
  const bounds = { tick: 'c.log_tick', tickSeq: 'c.log_upto', limit: 'c.run_size' }
  return prepare(
    (p) => `with c as materialized (
  select *
    from posthorn.bucket
   where outbox = '${name}' and bucket = any(${p('buckets')}::smallint[])
     and token = ${p('token')}::uuid and log_upto is not null
),
page as materialized (
  select t.bucket, t.seq
    from c
   cross join lateral (${pageSql(definition, bounds)}) as t
),
${moveCtes(definition, {
  using: 'using page',
  where: 'm.bucket = page.bucket and m.seq = page.seq',
  lostClaims: 1,
})},
cleared as (
  update posthorn.bucket as b
     -- What is left in flight is in the exceptions.
     set run = b.run + 1, run_size = case when c.run_keys is not null then c.run_size end,
         log_done = c.log_upto, log_upto = null
    from c
   where b.outbox = '${name}' and b.bucket = c.bucket
),
suspect as (select key, bucket, seq from moved)
${holdSuspects(definition)}`,
  )
}

/**
 * Buckets whose cursor speaks of another cluster, or of none yet, whether the log has rows of another, buckets
 * whose cursor is ahead of the log's sequence: it was restarted; and whether anything waits in the table.
 */
export function selectStrangers(definition: ResolvedDefinition): string {
  const { name, log } = definition
  return `select count(*) filter (where is_strange and log_cluster is not null)::int as moved,
       count(*) filter (where is_strange and log_cluster is null)::int as fresh,
       case when bool_or(is_strange)
            then coalesce((select xid from ${log} order by xid desc limit 1) > pg_current_xact_id(), false)
            end as is_ahead,
       count(*) filter (where ${IS_RESTARTED('given')})::int as restarted,
       ${mayReadSequence(log)} as may_read,
       ${waitsInTable(definition)} as waits_in_table
  from (select n::smallint as bucket from generate_series(0, ${BUCKETS - 1}) as n) as l
 cross join ${newestBucket(name, 'log_cluster, log_seen_seq, log_tick_seq, log_since')} as b
 cross join lateral (select log_cluster is distinct from (select posthorn.log_cluster()) as is_strange) as c
 cross join (select ${lastSeq(log)} as seq) as given`
}

const IS_RESTARTED = (given: string) =>
  `greatest(log_seen_seq, coalesce(log_tick_seq, 0), log_since) > ${given}.seq`

/**
 * After `truncate … restart identity`, or when the log was made anew: the places of the cursors say nothing
 * any more, their snapshots still do. What they have not seen is read from the first place on. What left the
 * log before goes before it, in its own order.
 */
function restartCursors({ name, log, table }: ResolvedDefinition): Prepared {
  return prepare(
    () => `with restarted as (
  update posthorn.bucket
     set run = run + 1, run_size = null, log_upto = null, log_done = 0, log_seen_seq = 0, log_since = 0,
         log_tick = null, log_tick_by = null, log_tick_seq = null
    from (select ${lastSeq(log)} as seq) as given
   where outbox = '${name}' and ${IS_RESTARTED('given')}
  returning bucket
)
update ${table}
   set seq = seq - (select max(seq) from ${table})
 where exists (select from restarted)`,
  )
}

/** Says of buckets without a cursor that the log's numbers are of this cluster. */
function beginCursors({ name }: ResolvedDefinition): Prepared {
  return prepare(
    () => `update posthorn.bucket
   set log_cluster = posthorn.log_cluster()
 where outbox = '${name}' and log_cluster is null`,
  )
}

/** Behind a lock that is waited for, every writer waits. */
export const PATIENCE_WITH_WRITERS_MS = 5_000

/** Keeps writers out and waits for those that are open: what they write afterwards is of this cluster. */
function lockLog({ log }: ResolvedDefinition): Prepared {
  return prepare(() => `lock table ${log} in share row exclusive mode`)
}

/**
 * After a restore into another cluster the numbers of transactions begin anew, and say nothing about the rows
 * that came with it. Everything that had not gone by is moved, to go out by key before all that comes later;
 * the cursors begin with what is written from now on. Runs behind `lockLog`.
 */
function adoptLog(definition: ResolvedDefinition): Prepared {
  const { name, log } = definition
  return prepare(
    () => `with given as materialized (
  select ${lastSeq(log)} as seq
),
c as materialized (
  select *
    from posthorn.bucket
   where outbox = '${name}' and log_cluster is distinct from (select posthorn.log_cluster())
     for update
),
${moveCtes(definition, {
  using: 'using c',
  where: `m.bucket = c.bucket and (m.seq > c.log_seen_seq or m.xid = any(posthorn.log_late(c.log_seen, c.log_seen_by)))
     and m.seq > c.log_since
     and not (c.log_tick is not null and m.seq <= c.log_done and pg_visible_in_snapshot(m.xid, c.log_tick))`,
})},
kept as (
  insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by)
  select '${name}', key, min(bucket), posthorn.now(), 'RESTORED' from moved group by key order by key
      on conflict (outbox, key) do update set version = h.version + 1
)
update posthorn.bucket as b
   set run = b.run + 1, run_size = null, log_upto = null, log_done = 0,
       log_seen = null, log_seen_by = '0', log_seen_seq = given.seq, log_since = given.seq,
       log_tick = null, log_tick_by = null, log_tick_seq = null, log_cluster = posthorn.log_cluster()
  from c cross join given
 where b.outbox = '${name}' and b.bucket = c.bucket
returning (select count(*)::int from moved) as moved`,
  )
}

/** Rows in the log that have not gone by, of all buckets: what waits and what is in flight. */
export function undoneSql({ name, log }: ResolvedDefinition, shown: string, limit: string): string {
  // Where no relay has ever been there is no cursor, and nothing has gone by.
  const from = 'coalesce(greatest((c.b).log_seen_seq, (c.b).log_done), 0)'
  const waits = 'not coalesce(posthorn.log_gone(c.b, m.xid, m.seq), false)'
  return `select found.*
    from generate_series(0, ${BUCKETS - 1}) as number
    left join ${newestBuckets(name)} as c using (number)
   cross join lateral (
     (select ${shown} from ${log} as m
       where m.bucket = number::smallint and m.seq > ${from} and ${waits}
       order by m.seq ${limit})
     union all
     (select late.*
        from (select unnest(posthorn.log_late((c.b).log_seen, (c.b).log_seen_by))
              union
              select unnest(posthorn.log_late((c.b).log_tick, (c.b).log_tick_by))) as by (xid)
       cross join lateral (
         select ${shown} from ${log} as m
          where m.xid = by.xid and (m.bucket, m.seq) >= (number::smallint, 0)
            and (m.bucket, m.seq) <= (number::smallint, ${from}) and ${waits}
          order by m.bucket, m.seq ${limit}) as late
       ${limit})
   ) as found`
}

/** Statements that move what leaves a log, and look for a restore into another cluster. */
export const moveStatements = writeOnce((definition) => ({
  moveRows: moveRows(definition),
  moveByIds: moveByIds(definition),
  suspectLogRun: suspectLogRun(definition),
  adoptLog: adoptLog(definition),
  selectStrangers: prepare(() => selectStrangers(definition)),
  beginCursors: beginCursors(definition),
  lockLog: lockLog(definition),
  restartCursors: restartCursors(definition),
}))
