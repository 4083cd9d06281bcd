-- The statements of families.events, as they run.

-- claimFlow: $1 buckets, $2 tokens, $3 session, $4 server, $5 floors, $6 late, $7 limit, $8 batch
with lease as materialized (
  select b.bucket, b.run, b.token, l.place
    from unnest($1::smallint[], $2::uuid[])
           with ordinality as l (bucket, token, place)
   cross join lateral (
           select bucket, run, token from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as b
   where b.token = l.token and (select until > now() from posthorn.session where id = $3::uuid)
     and not exists (select from posthorn.pause where outbox = 'families.events')
),
run as (
  select t.*
    from lease
   cross join lateral (
     select *
       from families.outbox_events
      where bucket = lease.bucket and seq >= coalesce((select case when $4::text = extract(epoch from pg_postmaster_start_time())::text then $5::bigint[] end)[lease.place], 0)
        and status = 0 and quarantined_at is null and not held
        and aggregate_id::text <> all($6::text[])
      order by seq
      limit $7
   ) as t
   limit $8
),
size as materialized (
  select counted.*, lease.run, lease.token
    from (select bucket, max(seq) as upto, count(*) as size from run group by bucket) as counted
    join lease on lease.bucket = counted.bucket
),
noted as (
  update posthorn.bucket as b
     set run = b.run + 1, run_upto = greatest(b.run_upto, r.upto), run_size = coalesce(b.run_size, 0) + r.size,
         floor = greatest(b.floor, (select case when $4::text = extract(epoch from pg_postmaster_start_time())::text then $5::bigint[] end)[array_position($1::smallint[], r.bucket)])
    from size as r
   where b.outbox = 'families.events' and b.bucket = r.bucket and b.run = r.run and b.token = r.token
     and (select set_config('synchronous_commit', 'off', true)) = 'off'
  returning b.bucket, b.run
)
select run.*, noted.run as claim_run, h.tail as claim_tail,
       case when run.next_attempt_at > (select posthorn.now())
            then extract(epoch from run.next_attempt_at - posthorn.now()) * 1000
       end as claim_early_ms,
       case when run.seq = (select min(seq) from run)
            then pg_snapshot_xmin(pg_current_snapshot())::text || ':' || pg_current_xact_id()::text || ':' || extract(epoch from pg_postmaster_start_time())::text
       end as claim_transactions
  from run
  join noted on noted.bucket = run.bucket
  left join posthorn.held_key as h on h.outbox = 'families.events' and h.key = run.aggregate_id::text;

-- claimHeld: $1 buckets, $2 tokens, $3 session, $4 late, $5 share, $6 keys, $7 limit, $8 batch
with lease as materialized (
  select b.bucket, b.run, b.token, l.place
    from unnest($1::smallint[], $2::uuid[])
           with ordinality as l (bucket, token, place)
   cross join lateral (
           select bucket, run, token from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as b
   where b.token = l.token and (select until > now() from posthorn.session where id = $3::uuid)
     and not exists (select from posthorn.pause where outbox = 'families.events')
),
due as (
  select h.*
    from lease
   cross join lateral (
     select bucket, key, version
       from posthorn.held_key
      where outbox = 'families.events' and bucket = lease.bucket and key <> all($4::text[])
        and due_at <= posthorn.now() and not suspect
      order by due_at
      limit $5
   ) as h
   limit $6
),
run as (
  select due.bucket as claim_bucket, due.key as claim_key, due.version as claim_version, t.*
    from due
    left join lateral (
     select r.*,
            row_number() over (order by seq) as position,
            count(*) filter (where lost_claims <> 0) over (order by seq) as others
       from (select * from families.outbox_events
              where held and aggregate_id::text = due.key and status = 0 and quarantined_at is null
              order by seq
              limit $7) as r
   ) as t on t.others = 0 or t.position = 1
   limit $8
),
size as materialized (
  select counted.*, lease.run, lease.token
    from (select bucket, nullif(sum(size), 0) as size,
                 array_agg(key) filter (where size > 0) as keys,
                 array_agg(upto) filter (where size > 0) as uptos
            from (select claim_bucket as bucket, claim_key as key,
                         max(seq) filter (where lost_claims = 0) as upto,
                         count(seq) filter (where lost_claims = 0) as size
                    from run group by claim_bucket, claim_key) as k
           group by bucket) as counted
    join lease on lease.bucket = counted.bucket
),
noted as (
  update posthorn.bucket as b
     set run = b.run + 1, run_size = nullif(coalesce(b.run_size, 0) + coalesce(r.size, 0), 0),
         run_keys = b.run_keys || r.keys, run_uptos = b.run_uptos || r.uptos
    from size as r
   where b.outbox = 'families.events' and b.bucket = r.bucket and b.run = r.run and b.token = r.token
     and (select set_config('synchronous_commit', 'off', true)) = 'off'
  returning b.bucket, b.run
)
select run.*, noted.run as claim_run,
       case when run.next_attempt_at > (select posthorn.now())
            then extract(epoch from run.next_attempt_at - posthorn.now()) * 1000
       end as claim_early_ms
  from run
  join noted on noted.bucket = run.claim_bucket;

-- claimSuspect: $1 buckets, $2 tokens, $3 session, $4 late, $5 share, $6 keys, $7 limit, $8 batch
with lease as materialized (
  select b.bucket, b.run, b.token, l.place
    from unnest($1::smallint[], $2::uuid[])
           with ordinality as l (bucket, token, place)
   cross join lateral (
           select bucket, run, token from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as b
   where b.token = l.token and (select until > now() from posthorn.session where id = $3::uuid)
     and not exists (select from posthorn.pause where outbox = 'families.events')
),
due as (
  select h.*
    from lease
   cross join lateral (
     select bucket, key, version
       from posthorn.held_key
      where outbox = 'families.events' and bucket = lease.bucket and key <> all($4::text[])
        and due_at <= posthorn.now() and suspect
      order by due_at
      limit $5
   ) as h
   limit $6
),
found as (
  select due.bucket as claim_bucket, due.key as claim_key, due.version as claim_version, t.*
    from due
    left join lateral (
     select r.*,
            row_number() over (order by seq) as position,
            count(*) filter (where lost_claims <> 1) over (order by seq) as others
       from (select * from families.outbox_events
              where held and aggregate_id::text = due.key and status = 0 and quarantined_at is null
              order by seq
              limit $7) as r
   ) as t on t.others = 0 or t.position = 1
   limit $8
),
run as (
  select *
    from found
   where coalesce(lost_claims, 0) < 2
      or (not exists (select from found where lost_claims = 1)
          and (claim_key, seq) = (select claim_key, seq from found where lost_claims > 1 limit 1))
),
size as materialized (
  select counted.*, lease.run, lease.token
    from (select bucket, nullif(sum(size), 0) as size,
                 array_agg(key) filter (where size > 0) as keys,
                 array_agg(upto) filter (where size > 0) as uptos
            from (select claim_bucket as bucket, claim_key as key,
                         max(seq) filter (where lost_claims > 0) as upto,
                         count(seq) filter (where lost_claims > 0) as size
                    from run group by claim_bucket, claim_key) as k
           group by bucket) as counted
    join lease on lease.bucket = counted.bucket
),
noted as (
  update posthorn.bucket as b
     set run = b.run + 1, run_size = nullif(coalesce(b.run_size, 0) + coalesce(r.size, 0), 0),
         run_keys = b.run_keys || r.keys, run_uptos = b.run_uptos || r.uptos
    from size as r
   where b.outbox = 'families.events' and b.bucket = r.bucket and b.run = r.run and b.token = r.token
     and (select set_config('synchronous_commit', 'off', true)) = 'off'
  returning b.bucket, b.run
)
select run.*, noted.run as claim_run,
       case when run.next_attempt_at > (select posthorn.now())
            then extract(epoch from run.next_attempt_at - posthorn.now()) * 1000
       end as claim_early_ms
  from run
  join noted on noted.bucket = run.claim_bucket;

-- suspectRun: $1 buckets, $2 token
with lost as (
  select bucket, run_upto, run_size, run_keys, run_uptos
    from posthorn.bucket
   where outbox = 'families.events' and bucket = any($1::smallint[])
     and token = $2::uuid and run_size is not null
),
-- Two reads, one for each index: with a choice in one condition neither would be used.
run as (
  select m.event_id as id, m.aggregate_id::text as key, lost.run_size
    from lost join families.outbox_events as m on m.bucket = lost.bucket and m.seq <= lost.run_upto
   where not m.held and status = 0 and quarantined_at is null
  union all
  select m.event_id as id, k.key, lost.run_size
    from lost
   cross join lateral unnest(lost.run_keys, lost.run_uptos) as k (key, upto)
    join families.outbox_events as m on m.aggregate_id::text = k.key and m.seq <= k.upto
   where m.held and status = 0 and quarantined_at is null
),
free as materialized (
  select event_id as id
    from families.outbox_events
   where event_id = any(array(select id from run))
     for no key update skip locked
),
suspect as (
  update families.outbox_events as m
     set held = true,
         lost_claims = case when run.run_size = 1 then greatest(m.lost_claims, 1) else m.lost_claims end + 1
    from run
   where m.event_id = run.id
     and run.key not in (select key from run where id not in (select id from free))
  returning m.aggregate_id::text as key, m.bucket, m.seq
),
cleared as (
  update posthorn.bucket as b
     set run = b.run + 1, run_upto = null, run_size = null, run_keys = null, run_uptos = null
    from lost
   where b.outbox = 'families.events' and b.bucket = lost.bucket
)
insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by, suspect)
select distinct on (key) 'families.events', key, bucket, posthorn.now(), 'CLAIM_EXPIRED', not exists (
         select from families.outbox_events
          where held and aggregate_id::text = suspect.key and status = 0 and quarantined_at is null
            and seq < suspect.seq and lost_claims = 0)
  from suspect
 order by key, seq
    on conflict (outbox, key) do update
   set due_at = case when h.due_at is not null then posthorn.now() end,
       suspect = excluded.suspect,
       version = h.version + 1
returning key;

-- createBuckets
insert into posthorn.bucket (outbox, bucket)
select 'families.events', n from generate_series(0, 63) as n
on conflict do nothing;

-- acquireBuckets: $1 session, $2 holds, $3 want, $4 token
with others as materialized (
  select id from posthorn.session where until is not null and id <> $1::uuid
),
free as (
  select bucket, run
    from posthorn.bucket
   where outbox = 'families.events' and (session is null or session not in (select id from others))
     and bucket <> all($2::smallint[])
     and exists (select from posthorn.session where id = $1::uuid and until is not null)
   order by session is distinct from $1::uuid, bucket
   limit greatest($3, (select count(*) from posthorn.bucket
                                  where outbox = 'families.events' and session = $1::uuid
                                    and bucket <> all($2::smallint[])))
     for update skip locked
)
update posthorn.bucket as b
   set token = $4::uuid, session = $1::uuid
  from free
 where b.outbox = 'families.events' and b.bucket = free.bucket and b.run = free.run
returning b.bucket, b.run_size is not null as lost, b.floor, extract(epoch from pg_postmaster_start_time())::text as server;

-- lockBuckets: $1 buckets, $2 tokens
select b.bucket
  from (
        select l.*, newest.run
          from unnest((select $1::smallint[])::smallint[], (select $2::uuid[])::uuid[]) as l (bucket, token)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
  join posthorn.bucket as b
    on b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token
   for update of b;

-- releaseBuckets: $1 buckets, $2 tokens
update posthorn.bucket as b
   set token = null, session = null, run_upto = null, run_size = null, run_keys = null, run_uptos = null
  from (
        select l.*, newest.run
          from unnest((select $1::smallint[])::smallint[], (select $2::uuid[])::uuid[]) as l (bucket, token)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
 where b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token;

-- endRun: $1 buckets, $2 tokens, $3 runs
update posthorn.bucket as b
     set run = l.runs + 1, run_upto = null, run_size = null, run_keys = null, run_uptos = null
    from (
        select l.*, newest.run
          from unnest((select $1::smallint[])::smallint[], (select $2::uuid[])::uuid[], (select $3::bigint[])::bigint[]) as l (bucket, token, runs)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
   where b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket;

-- endRunExcept: $1 buckets, $2 tokens, $3 runs, $4 uptos, $5 sizes, $6 openBuckets, $7 openKeys, $8 openKeyUptos
update posthorn.bucket as b
     set run = l.runs + 1, run_upto = l.uptos, run_size = l.sizes, run_keys = busy.keys, run_uptos = busy.uptos
    from (
        select l.*, newest.run
          from unnest((select $1::smallint[])::smallint[], (select $2::uuid[])::uuid[], (select $3::bigint[])::bigint[], (select $4::bigint[])::bigint[], (select $5::bigint[])::bigint[]) as l (bucket, token, runs, uptos, sizes)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
    left join lateral (
         select array_agg(k.key) as keys, array_agg(k.upto) as uptos
           from unnest($6::smallint[], $7::text[], $8::bigint[])
             as k (bucket, key, upto)
          where k.bucket = l.bucket) as busy on true
   where b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket;

-- endedRuns: $1 buckets, $2 tokens, $3 runs
select b.bucket
  from unnest($1::smallint[], $2::uuid[], $3::bigint[])
    as l (bucket, token, run)
  join posthorn.bucket as b
    on b.outbox = 'families.events' and b.bucket = l.bucket and b.token = l.token and b.run = l.run + 1;

-- holdKeys: $1 keys, $2 buckets, $3 delays, $4 tails, $5 heldBy, $6 suspects, $7 versions
insert into posthorn.held_key as h
       (outbox, key, bucket, due_at, tail, held_by, blocked_by, suspect, version)
select 'families.events', key, min(bucket),
       case when count(*) = count(delay_ms) then posthorn.now() + min(delay_ms) * interval '1 ms' end,
       case when bool_or(tail = 'park') then 'park' else 'wait' end,
       (array_agg(held_by order by delay_ms nulls first))[1],
       coalesce(array_agg(held_by) filter (where delay_ms is null), '{}'),
       bool_or(suspect),
       -- One more than the version that the writer has read; none is as low as zero.
       coalesce(max(version), 0) + 1
  from unnest($1::text[], $2::smallint[], $3::float8[], $4::text[],
              $5::text[], $6::boolean[], $7::bigint[])
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
       version = h.version + 1;

-- setAside: $1 keys, $2 buckets, $3 ids
with kept as (
  insert into posthorn.held_key as h (outbox, key, bucket, due_at, held_by)
  select 'families.events', key, min(bucket), posthorn.now(), 'SET_ASIDE'
    from unnest($1::text[], $2::smallint[]) as u (key, bucket)
   group by key
   order by key
      on conflict (outbox, key) do update set version = h.version + 1
  returning key, version
),
aside as (
  update families.outbox_events
     set held = true
   where event_id = any((select $3::uuid[])::uuid[]) and not held
)
select key, version from kept;

-- selectLockedKeys: $1 keys
with free as materialized (
  select key from posthorn.held_key
   where outbox = 'families.events' and key = any($1::text[])
     for no key update skip locked
)
select key from posthorn.held_key
 where outbox = 'families.events' and key = any($1::text[]) and key not in (select key from free);

-- freeKeys: $1 keys, $2 versions
with read as materialized (
  select h.key, h.version, exists (
           select from families.outbox_events where held and aggregate_id::text = u.key and status = 0 and quarantined_at is null
         ) as more
    from unnest($1::text[], $2::bigint[]) as u (key, version)
    join posthorn.held_key as h
      on h.outbox = 'families.events' and h.key = u.key and h.version = u.version and h.due_at is not null
     for update of h skip locked
),
marked as (
  update posthorn.held_key as h
     set suspect = false
    from read
   where h.outbox = 'families.events' and h.key = read.key and h.version = read.version
     and read.more and h.suspect
)
delete from posthorn.held_key as h
 using read
 where h.outbox = 'families.events' and h.key = read.key and h.version = read.version and not read.more;

-- markKeys: $1 keys, $2 suspect
with free as materialized (
  select key from posthorn.held_key
   where outbox = 'families.events' and key = any($1::text[])
     for no key update skip locked
)
update posthorn.held_key
   set suspect = $2, version = version + 1
 where outbox = 'families.events' and key = any(array(select key from free));

-- rescueHeld: $1 buckets
insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
select distinct on (t.aggregate_id) 'families.events', t.aggregate_id::text, t.bucket, posthorn.now(), 'RESCUED'
  from families.outbox_events as t
 where t.held and t.bucket = any($1::smallint[]) and status = 0 and quarantined_at is null
   and not exists (
     select from posthorn.held_key as h where h.outbox = 'families.events' and h.key = t.aggregate_id::text
   )
    on conflict do nothing;

-- sweepKeys: $1 buckets
with stray as materialized (
  select h.key, h.version
    from posthorn.held_key as h
   where h.outbox = 'families.events' and h.bucket = any($1::smallint[])
     and h.due_at < posthorn.now() - interval '10 s'
     and not exists (
       select from families.outbox_events where held and aggregate_id::text = h.key and status = 0 and quarantined_at is null
     )
     for update skip locked
)
-- A replay whose transaction was open meanwhile has raised the version.
delete from posthorn.held_key as h
 using stray
 where h.outbox = 'families.events' and h.key = stray.key and h.version = stray.version;

-- blockedKeys: $1 buckets
select h.key, h.version, h.blocked_by as blockers
  from posthorn.held_key as h
 where h.outbox = 'families.events' and h.bucket = any($1::smallint[]) and h.due_at is null;

-- liftKeys: $1 keys, $2 versions, $3 ids
with free as materialized (
  select key from posthorn.held_key
   where outbox = 'families.events' and key = any($1::text[])
     for no key update skip locked
),
gone as materialized (
  select u.key, u.version
    from unnest($1::text[], $2::bigint[], (select $3::uuid[])::uuid[])
      as u (key, version, id)
    left join families.outbox_events as m on m.event_id = u.id and quarantined_at is not null and status = 0
   group by u.key, u.version
  having count(m.event_id) = 0
)
update posthorn.held_key as h
   set due_at = posthorn.now(), tail = 'wait', blocked_by = '{}', version = h.version + 1
  from gone
 where h.outbox = 'families.events' and h.key = gone.key and h.version = gone.version
   and h.key in (select key from free)
returning h.key;

-- nextDue: $1 buckets, $2 late
select extract(epoch from min(due_at) - posthorn.now()) * 1000 as ms
  from posthorn.held_key
 where outbox = 'families.events' and bucket = any($1::smallint[]) and due_at is not null
   and key <> all($2::text[])
   and not exists (select from posthorn.pause where outbox = 'families.events');

-- settle sent: $1 ids, $2 buckets, $3 tokens, $4 runs, $5 actor, $6 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
lease as (
  update posthorn.bucket as b
     set run = l.runs + 1, run_upto = null, run_size = null, run_keys = null, run_uptos = null
    from (
        select l.*, newest.run
          from unnest((select $2::smallint[])::smallint[], (select $3::uuid[])::uuid[], (select $4::bigint[])::bigint[]) as l (bucket, token, runs)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
   where b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket
),
settled as (
  update families.outbox_events as m
     set status = 1,
         lost_claims = 0,
         error_message = null,
         held = false,
         processed_at = now(),
         finished_at = now()
   where m.event_id = any((select $1::uuid[])::uuid[])
     and m.bucket = any(array(select bucket from lease)) and m.status = 0
     and (select now from patience) is not null
  returning m.event_id as id, m.retry_count + 1 as attempt, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'families.events', id::text, 0::text, 1::text, attempt, null, null, $5::text, $6::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle retry: $1 ids, $2 delay_ms, $3 counted, $4 bump, $5 lost, $6 code, $7 error, $8 buckets, $9 tokens, $10 runs, $11 actor, $12 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
lease as (
  update posthorn.bucket as b
     set run = l.runs + 1, run_upto = null, run_size = null, run_keys = null, run_uptos = null
    from (
        select l.*, newest.run
          from unnest((select $8::smallint[])::smallint[], (select $9::uuid[])::uuid[], (select $10::bigint[])::bigint[]) as l (bucket, token, runs)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
   where b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket
),
settled as (
  update families.outbox_events as m
     set status = 0,
         lost_claims = u.lost,
         retry_count = greatest(m.retry_count + u.bump, 0),
         error_message = u.error,
         held = true,
         next_attempt_at = posthorn.now() + u.delay_ms * interval '1 ms'
    from unnest((select $1::uuid[])::uuid[], (select $2::float8[])::float8[], (select $3::int[])::int[], (select $4::int[])::int[], (select $5::int[])::int[], (select $6::text[])::text[], (select $7::text[])::text[])
           as u (id, delay_ms, counted, bump, lost, code, error)
   where m.event_id = u.id
     and m.bucket = any(array(select bucket from lease)) and m.status = 0 and m.retry_count = u.counted
     and (select now from patience) is not null
  returning m.event_id as id, m.retry_count - u.bump + 1 as attempt, u.delay_ms, u.counted, u.bump, u.lost, u.code, u.error, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'families.events', id::text, 0::text, 0::text, attempt, code, error, $11::text, $12::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle quarantined: $1 ids, $2 counted, $3 bump, $4 lost, $5 code, $6 error, $7 buckets, $8 tokens, $9 runs, $10 actor, $11 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
lease as (
  update posthorn.bucket as b
     set run = l.runs + 1, run_upto = null, run_size = null, run_keys = null, run_uptos = null
    from (
        select l.*, newest.run
          from unnest((select $7::smallint[])::smallint[], (select $8::uuid[])::uuid[], (select $9::bigint[])::bigint[]) as l (bucket, token, runs)
         cross join lateral (
           select run from posthorn.bucket
            where outbox = 'families.events' and bucket = l.bucket
            order by run desc
            limit 1) as newest
         limit (select 64)) as l
   where b.outbox = 'families.events' and b.bucket = l.bucket and b.run = l.run and b.token = l.token and l.run <= l.runs
  returning b.bucket
),
settled as (
  update families.outbox_events as m
     set lost_claims = u.lost,
         retry_count = greatest(m.retry_count + u.bump, 0),
         error_message = u.error,
         held = true,
         quarantined_at = now()
    from unnest((select $1::uuid[])::uuid[], (select $2::int[])::int[], (select $3::int[])::int[], (select $4::int[])::int[], (select $5::text[])::text[], (select $6::text[])::text[])
           as u (id, counted, bump, lost, code, error)
   where m.event_id = u.id
     and m.bucket = any(array(select bucket from lease)) and m.status = 0 and m.retry_count = u.counted
     and (select now from patience) is not null
  returning m.event_id as id, m.retry_count - u.bump + 1 as attempt, u.counted, u.bump, u.lost, u.code, u.error, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'families.events', id::text, 0::text, 0::text, attempt, code, error, $10::text, $11::text, tenant from settled
),
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select 'families.events', id::text, tenant, code, error from settled where code <> 'PARKED'
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- selectLocked: $1 ids
with free as materialized (
  select event_id as id
    from families.outbox_events
   where event_id = any((select $1::uuid[])::uuid[])
     for no key update skip locked
)
select event_id::text as id
  from families.outbox_events
 where event_id = any((select $1::uuid[])::uuid[]) and event_id not in (select id from free);

-- markSuspects: $1 delayMs, $2 ids
update families.outbox_events
   set lost_claims = greatest(lost_claims, 1) + 1,
       next_attempt_at = posthorn.now() + $1 * interval '1 ms',
       held = true
 where event_id = any((select $2::uuid[])::uuid[]);
