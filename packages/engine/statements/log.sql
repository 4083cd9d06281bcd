-- The statements of families.log-events, as they run.

-- claimLog: $1 buckets, $2 tokens, $3 limit, $4 batch
with moment as materialized (
  select pg_current_snapshot() as tick, given.seq,
         case when given.seq is not null then pg_current_xact_id() end as by
    from (select coalesce(pg_sequence_last_value('families.logged_events_log_seq_seq'), 0) as seq) as given
),
lease as materialized (
  select b.*, coalesce(b.log_tick, moment.tick) as tick,
         case when b.log_tick is null then moment.by else b.log_tick_by end as tick_by,
         case when b.log_tick is null then moment.seq else b.log_tick_seq end as tick_seq
    from unnest($1::smallint[], $2::uuid[]) as l (bucket, token)
   cross join lateral (
           select * from posthorn.bucket
            where outbox = 'families.log-events' and bucket = l.bucket
            order by run desc
            limit 1) as b
   cross join moment
   where b.token = l.token and b.until > now()
     and not exists (select from posthorn.pause where outbox = 'families.log-events')
     and b.log_cluster = (select posthorn.log_cluster())
     and not exists (
       select from families.logged_events as t
        where t.bucket = l.bucket and status = 0 and not t.held)
),
page as (
  select t.*
    from lease as c
   cross join lateral (select ticked.*
       from ((select m.*
                from families.logged_events_log as m
               where (m.bucket, m.seq) > (c.bucket, greatest(c.log_seen_seq, c.log_done))
                 and (m.bucket, m.seq) <= (c.bucket, c.tick_seq)
                 and xid8cmp(m.xid, c.log_seen_by) > 0 and pg_visible_in_snapshot(m.xid, c.tick)
               order by m.bucket, m.seq
               limit $3::int)
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
                       from families.logged_events_log as m
                      where m.xid = late.xid
                        and (m.bucket, m.seq) > (c.bucket, greatest(c.log_since, c.log_done))
                        and (m.bucket, m.seq) <= (c.bucket, c.tick_seq)
                        and pg_visible_in_snapshot(m.xid, c.tick)
                      order by m.bucket, m.seq
                      limit $3::int) as found)) as ticked
      order by ticked.seq
      limit $3::int) as t
   limit $4
),
read as materialized (
  select lease.bucket, lease.run, lease.token, lease.tick, lease.tick_by, lease.tick_seq, r.upto, r.size
    from (select bucket, max(seq) as upto, count(*) as size from page group by bucket) as r
    join lease on lease.bucket = r.bucket
),
noted as (
  update posthorn.bucket as b
     set run = b.run + 1, run_upto = null, run_size = r.size, run_key = null, run_keys = null, run_uptos = null,
         log_upto = r.upto, log_tick = r.tick, log_tick_by = r.tick_by, log_tick_seq = r.tick_seq
    from read as r
   where b.outbox = 'families.log-events' and b.bucket = r.bucket and b.run = r.run and b.token = r.token
     and (select set_config('synchronous_commit', 'off', true)) = 'off'
  returning b.bucket, b.run
),
passed as (
  update posthorn.bucket as b
     set log_seen = b.log_tick, log_seen_by = b.log_tick_by, log_seen_seq = b.log_tick_seq,
         log_tick = null, log_tick_by = null, log_tick_seq = null, log_done = 0
    from lease
   where b.outbox = 'families.log-events' and b.bucket = lease.bucket and b.run = lease.run and b.token = lease.token
     and b.log_tick is not null and lease.log_tick is not null
     and not exists (select from read as r where r.bucket = lease.bucket)
     -- Behind a full batch no bucket was read.
     and (select coalesce(sum(r.size), 0) from read as r) < $4
  returning b.bucket
)
select page.*, taken.run as claim_run, h.tail as claim_tail,
       case when page.next_attempt_at > (select posthorn.now())
            then extract(epoch from page.next_attempt_at - posthorn.now()) * 1000
       end as claim_early_ms
  from (select bucket, run from noted
        union all
        select bucket, null from passed) as taken
  left join page on page.bucket = taken.bucket
  left join posthorn.held_key as h on h.outbox = 'families.log-events' and h.key = page.aggregate_id::text;

-- endLogRun: $1 leaseMs, $2 buckets, $3 tokens, $4 runs, $5 closed
update posthorn.bucket as b
   set run = l.runs + 1, run_size = null, log_upto = null,
       log_seen = case when l.closed then b.log_tick else b.log_seen end,
       log_seen_by = case when l.closed then b.log_tick_by else b.log_seen_by end,
       log_seen_seq = case when l.closed then b.log_tick_seq else b.log_seen_seq end,
       log_tick = case when l.closed then null else b.log_tick end,
       log_tick_by = case when l.closed then null else b.log_tick_by end,
       log_tick_seq = case when l.closed then null else b.log_tick_seq end,
       log_done = case when l.closed then 0 else b.log_upto end,
       until = now() + $1 * interval '1 ms'
  from (
        select l.*, newest.run
          from unnest((select $2::smallint[])::smallint[], (select $3::uuid[])::uuid[], (select $4::bigint[])::bigint[], (select $5::boolean[])::boolean[]) as l (bucket, token, runs, closed)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.log-events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
 where b.outbox = 'families.log-events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run = l.runs
   and b.log_upto is not null
returning b.bucket;

-- selectStrangers
select count(*) filter (where log_cluster is not null)::int as moved,
       count(*) filter (where log_cluster is null)::int as fresh,
       coalesce((select max(xid) from families.logged_events_log) > pg_current_xact_id(), false) as is_ahead
  from (select n::smallint as bucket from generate_series(0, 63) as n) as l
 cross join lateral (
           select log_cluster from posthorn.bucket
            where outbox = 'families.log-events' and bucket = l.bucket
            order by run desc
            limit 1) as b
 where log_cluster is distinct from (select posthorn.log_cluster());

-- beginCursors
update posthorn.bucket
   set log_cluster = posthorn.log_cluster()
 where outbox = 'families.log-events' and log_cluster is null;

-- lockLog
lock table families.logged_events_log in share row exclusive mode;
