-- The statements of evidence.rows, as they run.

-- claimBatch: $1 after, $2 full, $3 batch, $4 token, $5 leaseMs
with recursive keys_after as (
  (select org_id as fair_key, next_retry_at as due_at
     from evidence.file_outbox_row
    where status in ('PENDING', 'FAILED') and org_id > $1
    order by org_id, next_retry_at, id
    limit 1)
  union all
  select next.*
    from keys_after
   cross join lateral (
         select org_id, next_retry_at
           from evidence.file_outbox_row
          where status in ('PENDING', 'FAILED') and org_id > keys_after.fair_key
          order by org_id, next_retry_at, id
          limit 1
         ) as next
),
keys_before as (
  (select org_id as fair_key, next_retry_at as due_at
     from evidence.file_outbox_row
    where status in ('PENDING', 'FAILED')
    order by org_id, next_retry_at, id
    limit 1)
  union all
  select next.*
    from keys_before
   cross join lateral (
         select org_id, next_retry_at
           from evidence.file_outbox_row
          where status in ('PENDING', 'FAILED') and org_id > keys_before.fair_key
          order by org_id, next_retry_at, id
          limit 1
         ) as next
   where coalesce(keys_before.fair_key <= $1, true)
),
served as materialized (
  select fair_key, first.*, room
    from (select * from keys_after union all select * from keys_before where coalesce(fair_key <= $1, true)) as keys
   cross join lateral (
         select 1000 - count(*) as room
           from (select from evidence.file_outbox_row
                  where org_id = fair_key and status = 'PUBLISHED'
                  limit 1000) as unconfirmed
         ) as sent
   -- Locked: what another relay claims in this moment is no reason to serve nothing.
   cross join lateral (
         select next_retry_at as first_due, id as first_id
           from evidence.file_outbox_row
          where status in ('PENDING', 'FAILED') and org_id = fair_key
            and next_retry_at <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
            and lost_claims = 0
          order by next_retry_at, id
          limit 1
            for update skip locked
         ) as first
   where due_at <= posthorn.now()
     and fair_key::text <> all($2::text[])
     and room >= least($3::int, 500)
     and not exists (select from posthorn.pause where outbox = 'evidence.rows')
   limit $3
),
eligible as materialized (
  select picked.*, count(*) over () as everyone
    from (select 0 as rank, count(*) over () as shares, served.* from served) as picked
   -- In no fixed order, or those at the end would wait whenever the batch is too small for all.
   order by rank, random()
),
due as (
  select mine.*
    from eligible
   cross join lateral (
         select id as id
           from evidence.file_outbox_row
          where status in ('PENDING', 'FAILED') and org_id = fair_key
            and next_retry_at <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
            and lost_claims = 0
            -- What is before it was settled or is claimed: it need not be looked at once more.
            and (next_retry_at, id) >= (first_due, first_id)
          order by next_retry_at, id
          limit least(room, ceil($3::float8 / shares))::int
            for update skip locked
         ) as mine
   limit $3
)
update evidence.file_outbox_row as m
   set claim_token = case when m.claimed_until is not null then null else $4::uuid end,
       claimed_until = case when m.claimed_until is not null then null else now() + $5 * interval '1 ms' end,
       lost_claims = (m.claimed_until is not null)::int,
       retry_count = case when m.claimed_until is not null then m.retry_count else m.retry_count + (m.status = 'FAILED' and m.lost_claims = 0)::int end,
       event_id = case when m.claimed_until is not null then m.event_id else case when m.lost_claims > 0 and m.event_id is not null then m.event_id else gen_random_uuid() end end
 where m.id = any(array(select id from due))
returning m.id, m.status, m.next_retry_at, m.created_at, m.published_at, m.event_id, m.retry_count, m.org_id, m.kafka_partition, m.kafka_offset, m.lost_claims, m.file_job_id, m.case_id, m.claimed_until is null as claim_lost, m.status::text as claim_from;

-- claimSuspect: $1 group, $2 token, $3 leaseMs
with suspect as (
  select id as id, next_retry_at as due_at, status::text as claim_from,
         lost_claims + (claimed_until is not null)::int as lost
    from evidence.file_outbox_row
   where status in ('PENDING', 'FAILED')
     and next_retry_at <= posthorn.now()
     and lost_claims > 0
     and (claimed_until is null or claimed_until < now())
     and not exists (select from posthorn.pause where outbox = 'evidence.rows')
   order by next_retry_at, id
   limit $1
     for update skip locked
),
due as (
  select id, claim_from from suspect where lost = 1
  union all
  (select id, claim_from
     from suspect
    where not exists (select from suspect where lost = 1)
    order by due_at, id
    limit 1)
),
taken as (
  update evidence.file_outbox_row as m
     set claim_token = $2::uuid,
         claimed_until = now() + $3 * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int,
         retry_count = m.retry_count + (m.status = 'FAILED' and m.lost_claims = 0)::int,
         event_id = case when m.lost_claims > 0 and m.event_id is not null then m.event_id else gen_random_uuid() end
    from due
   where m.id = due.id
  returning m.*, false as claim_lost, due.claim_from
)
select * from taken;

-- claimUnconfirmed: $1 batch, $2 token, $3 leaseMs
with overdue as (
  select id as id
    from evidence.file_outbox_row
   where status = 'PUBLISHED'
     and published_at < now() - interval '1800000 ms'
     and (claimed_until is null or claimed_until < now())
     and not exists (select from posthorn.pause where outbox = 'evidence.rows')
   order by published_at
   limit $1
     for update skip locked
)
update evidence.file_outbox_row as m
   set claim_token = $2::uuid,
       claimed_until = now() + $3 * interval '1 ms'
  from overdue
 where m.id = overdue.id
returning m.*, m.status::text as claim_from;

-- renewClaim: $1 ids, $2 token, $3 leaseMs
with free as materialized (
  select id as id
    from evidence.file_outbox_row
   where id = any((select $1::uuid[])::uuid[])
     and claim_token = $2::uuid
     for no key update skip locked
),
renewed as (
  update evidence.file_outbox_row
     set claimed_until = now() + $3 * interval '1 ms'
   where id = any(array(select id from free))
)
select id::text as id
  from evidence.file_outbox_row
 where id = any((select $1::uuid[])::uuid[])
   and claim_token = $2::uuid;

-- nextDue: $1 sinceMs
with recursive fair_keys as (
  (select org_id as fair_key, next_retry_at as due_at
     from evidence.file_outbox_row
    where status in ('PENDING', 'FAILED')
    order by org_id, next_retry_at, id
    limit 1)
  union all
  select next.*
    from fair_keys
   cross join lateral (
         select org_id, next_retry_at
           from evidence.file_outbox_row
          where status in ('PENDING', 'FAILED') and org_id > fair_keys.fair_key
          order by org_id, next_retry_at, id
          limit 1
         ) as next
),
edge as (select posthorn.now() - $1::float8 * interval '1 ms' as at)
select extract(epoch from min(coalesce(next.due_at, case when fair_keys.due_at > at then fair_keys.due_at end))
                          - posthorn.now()) * 1000 as ms
  from edge
 cross join fair_keys
  left join lateral (
       select next_retry_at as due_at
         from evidence.file_outbox_row
        where status in ('PENDING', 'FAILED') and org_id = fair_key
          and next_retry_at > at
          and (claimed_until is null or claimed_until < now())
          -- Else the walk has seen it.
          and fair_keys.due_at <= at
        order by next_retry_at
        limit 1
       ) as next on true;

-- settle sent: $1 ids, $2 ref_kafka_partition, $3 ref_kafka_offset, $4 from_state, $5 token, $6 actor, $7 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update evidence.file_outbox_row as m
     set status = 'PUBLISHED',
         claim_token = null,
         claimed_until = null,
         lost_claims = 0,
         error_message = null,
         error_code = null,
         published_at = now(),
         kafka_partition = u.ref_kafka_partition,
         kafka_offset = u.ref_kafka_offset
    from unnest((select $1::uuid[])::uuid[], (select array_cat(array(select kafka_partition from evidence.file_outbox_row where false), $2)), (select array_cat(array(select kafka_offset from evidence.file_outbox_row where false), $3)), (select $4::text[])::text[])
           as u (id, ref_kafka_partition, ref_kafka_offset, from_state)
   where m.id = u.id
     and m.claim_token = $5::uuid
     and (select now from patience) is not null
  returning m.id as id, m.retry_count + 1 as attempt, u.ref_kafka_partition, u.ref_kafka_offset, u.from_state, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'evidence.rows', id::text, from_state, 'PUBLISHED'::text, attempt, null, null, $6::text, $7::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle confirmed: $1 ids, $2 from_state, $3 actor, $4 reason
with settled as (
  update evidence.file_outbox_row as m
     set status = 'SUCCESS',
         claim_token = null,
         claimed_until = null,
         lost_claims = 0,
         error_message = null,
         error_code = null
    from unnest((select $1::uuid[])::uuid[], (select $2::text[])::text[])
           as u (id, from_state)
   where m.id = u.id
  returning m.id as id, m.retry_count + 1 as attempt, u.from_state, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'evidence.rows', id::text, from_state, 'SUCCESS'::text, attempt, null, null, $3::text, $4::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only
  from settled;

-- settle retry: $1 ids, $2 delay_ms, $3 bump, $4 lost, $5 code, $6 error, $7 from_state, $8 token, $9 actor, $10 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update evidence.file_outbox_row as m
     set status = 'FAILED',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         retry_count = greatest(m.retry_count + u.bump, 0),
         error_message = u.error,
         error_code = u.code,
         next_retry_at = posthorn.now() + u.delay_ms * interval '1 ms'
    from unnest((select $1::uuid[])::uuid[], (select $2::float8[])::float8[], (select $3::int[])::int[], (select $4::int[])::int[], (select $5::text[])::text[], (select $6::text[])::text[], (select $7::text[])::text[])
           as u (id, delay_ms, bump, lost, code, error, from_state)
   where m.id = u.id
     and m.claim_token = $8::uuid
     and (select now from patience) is not null
  returning m.id as id, m.retry_count - u.bump + 1 as attempt, u.delay_ms, u.bump, u.lost, u.code, u.error, u.from_state, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'evidence.rows', id::text, from_state, 'FAILED'::text, attempt, code, error, $9::text, $10::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle dead: $1 ids, $2 bump, $3 lost, $4 code, $5 error, $6 from_state, $7 token, $8 actor, $9 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update evidence.file_outbox_row as m
     set status = 'ERROR',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         retry_count = greatest(m.retry_count + u.bump, 0),
         error_message = u.error,
         error_code = u.code
    from unnest((select $1::uuid[])::uuid[], (select $2::int[])::int[], (select $3::int[])::int[], (select $4::text[])::text[], (select $5::text[])::text[], (select $6::text[])::text[])
           as u (id, bump, lost, code, error, from_state)
   where m.id = u.id
     and m.claim_token = $7::uuid
     and (select now from patience) is not null
  returning m.id as id, m.retry_count - u.bump + 1 as attempt, u.bump, u.lost, u.code, u.error, u.from_state, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'evidence.rows', id::text, from_state, 'ERROR'::text, attempt, code, error, $8::text, $9::text, tenant from settled
),
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select 'evidence.rows', id::text, tenant, code, error from settled where code <> 'PARKED'
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- lockSent: $1 ids
select *, status::text as claim_from
  from evidence.file_outbox_row
 where id = any((select $1::uuid[])::uuid[])
   and (status = 'PUBLISHED' or claim_token is not null and status in ('PENDING', 'FAILED'))
 order by id
   for update;

-- selectLocked: $1 ids
with free as materialized (
  select id as id
    from evidence.file_outbox_row
   where id = any((select $1::uuid[])::uuid[])
     for no key update skip locked
)
select id::text as id
  from evidence.file_outbox_row
 where id = any((select $1::uuid[])::uuid[]) and id not in (select id from free);

-- markSuspects: $1 delayMs, $2 ids, $3 token
update evidence.file_outbox_row
   set lost_claims = greatest(lost_claims, 1) + 1,
       next_retry_at = posthorn.now() + $1 * interval '1 ms',
       claim_token = null, claimed_until = null
 where id = any((select $2::uuid[])::uuid[])
   and claim_token = $3::uuid;

-- countUnsettled: $1 ids, $2 token
update evidence.file_outbox_row
   set lost_claims = greatest(lost_claims, 1) + 1
 where id = any((select $1::uuid[])::uuid[])
   and claim_token = $2::uuid;
