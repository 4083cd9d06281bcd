-- The statements of messages.outbound, as they run.

-- claimBatch: $1 after, $2 full, $3 batch, $4 token, $5 leaseMs
with recursive keys_after as (
  (select lane as fair_key, next_retry_at as due_at
     from messages.outbound_message
    where status = 'QUEUED' and lane > $1
    order by lane, next_retry_at, id
    limit 1)
  union all
  select next.*
    from keys_after
   cross join lateral (
         select lane, next_retry_at
           from messages.outbound_message
          where status = 'QUEUED' and lane > keys_after.fair_key
          order by lane, next_retry_at, id
          limit 1
         ) as next
),
keys_before as (
  (select lane as fair_key, next_retry_at as due_at
     from messages.outbound_message
    where status = 'QUEUED'
    order by lane, next_retry_at, id
    limit 1)
  union all
  select next.*
    from keys_before
   cross join lateral (
         select lane, next_retry_at
           from messages.outbound_message
          where status = 'QUEUED' and lane > keys_before.fair_key
          order by lane, next_retry_at, id
          limit 1
         ) as next
   where coalesce(keys_before.fair_key <= $1, true)
),
keys_first as (
  (select lane as fair_key, next_retry_at as due_at
     from messages.outbound_message
    where status = 'QUEUED' and lane >= 'urgent/'
    order by lane, next_retry_at, id
    limit 1)
  union all
  select next.*
    from keys_first
   cross join lateral (
         select lane, next_retry_at
           from messages.outbound_message
          where status = 'QUEUED' and lane > keys_first.fair_key
          order by lane, next_retry_at, id
          limit 1
         ) as next
   where starts_with(lower(keys_first.fair_key::text), lower('urgent/'))
),
served_first as materialized (
  select fair_key, first.*
    from keys_first
   -- Locked: what another relay claims in this moment is no reason to serve nothing.
   cross join lateral (
         select next_retry_at as first_due, id as first_id
           from messages.outbound_message
          where status = 'QUEUED' and lane = fair_key
            and next_retry_at <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
            and lost_claims = 0
          order by next_retry_at, id
          limit 1
            for update skip locked
         ) as first
   where due_at <= posthorn.now()
     and starts_with(fair_key::text, 'urgent/')
     and fair_key::text <> all($2::text[])
     and not exists (select from posthorn.pause where outbox = 'messages.outbound')
   limit $3
),
served as materialized (
  select fair_key, first.*
    from (select * from keys_after union all select * from keys_before where coalesce(fair_key <= $1, true)) as keys
   -- Locked: what another relay claims in this moment is no reason to serve nothing.
   cross join lateral (
         select next_retry_at as first_due, id as first_id
           from messages.outbound_message
          where status = 'QUEUED' and lane = fair_key
            and next_retry_at <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
            and lost_claims = 0
          order by next_retry_at, id
          limit 1
            for update skip locked
         ) as first
   where due_at <= posthorn.now()
     and fair_key <> all(array(select fair_key from served_first))
     and fair_key::text <> all($2::text[])
     and not exists (select from posthorn.pause where outbox = 'messages.outbound')
   limit $3
),
eligible as materialized (
  select picked.*, count(*) over () as everyone
    from (select 0 as rank, count(*) over () as shares, served_first.* from served_first
          union all select 1 as rank, count(*) over () as shares, served.* from served) as picked
   -- In no fixed order, or those at the end would wait whenever the batch is too small for all.
   order by rank, random()
),
due as (
  select mine.*
    from eligible
   cross join lateral (
         select id as id, status::text as claim_from
           from messages.outbound_message
          where status = 'QUEUED' and lane = fair_key
            and next_retry_at <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
            and lost_claims = 0
            -- What is before it was settled or is claimed: it need not be looked at once more.
            and (next_retry_at, id) >= (first_due, first_id)
          order by next_retry_at, id
          limit ceil($3::float8 / case when shares < everyone then 2 else 1 end / shares)::int
            for update skip locked
         ) as mine
   limit $3
),
taken as (
  update messages.outbound_message as m
     set claim_token = $4::uuid,
         claimed_until = now() + $5 * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int,
         status = 'SENDING',
         attempt_count = m.attempt_count + 1
    from due
   where m.id = due.id
  returning m.*, false as claim_lost, due.claim_from
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor, tenant)
  select 'messages.outbound', id::text, claim_from, status::text, attempt_count, 'OUTBOUND_WORKER', org_id::text
    from taken
)
select * from taken;

-- claimSuspect: $1 group, $2 token, $3 leaseMs
with suspect as (
  select id as id, next_retry_at as due_at, status::text as claim_from,
         lost_claims as lost
    from messages.outbound_message
   where status = 'QUEUED'
     and next_retry_at <= posthorn.now()
     and lost_claims > 0
     and not exists (select from posthorn.pause where outbox = 'messages.outbound')
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
  update messages.outbound_message as m
     set claim_token = $2::uuid,
         claimed_until = now() + $3 * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int,
         status = 'SENDING',
         attempt_count = m.attempt_count + 1
    from due
   where m.id = due.id
  returning m.*, false as claim_lost, due.claim_from
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor, tenant)
  select 'messages.outbound', id::text, claim_from, status::text, attempt_count, 'OUTBOUND_WORKER', org_id::text
    from taken
)
select * from taken;

-- takeExpired: $1 batch, $2 token, $3 leaseMs
with expired as (
  select id as id, claim_token is null as waited
    from messages.outbound_message
   where status = 'SENDING'
     and claimed_until < now()
   order by claimed_until
   limit $1
     for update skip locked
)
update messages.outbound_message as m
   set claim_token = $2::uuid,
       claimed_until = now() + $3 * interval '1 ms',
       lost_claims = m.lost_claims + (not expired.waited)::int
  from expired
 where m.id = expired.id
returning m.*, m.status::text as claim_from, expired.waited as claim_waited,
          extract(epoch from m.next_retry_at - posthorn.now()) * 1000 as claim_due_ms;

-- renewClaim: $1 ids, $2 token, $3 leaseMs
with free as materialized (
  select id as id
    from messages.outbound_message
   where id = any((select $1::uuid[])::uuid[])
     and claim_token = $2::uuid
     for no key update skip locked
),
renewed as (
  update messages.outbound_message
     set claimed_until = now() + $3 * interval '1 ms'
   where id = any(array(select id from free))
)
select id::text as id
  from messages.outbound_message
 where id = any((select $1::uuid[])::uuid[])
   and claim_token = $2::uuid;

-- nextDue: $1 sinceMs
with recursive fair_keys as (
  (select lane as fair_key, next_retry_at as due_at
     from messages.outbound_message
    where status = 'QUEUED'
    order by lane, next_retry_at, id
    limit 1)
  union all
  select next.*
    from fair_keys
   cross join lateral (
         select lane, next_retry_at
           from messages.outbound_message
          where status = 'QUEUED' and lane > fair_keys.fair_key
          order by lane, next_retry_at, id
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
         from messages.outbound_message
        where status = 'QUEUED' and lane = fair_key
          and next_retry_at > at
          and (claimed_until is null or claimed_until < now())
          -- Else the walk has seen it.
          and fair_keys.due_at <= at
        order by next_retry_at
        limit 1
       ) as next on true;

-- settle sent: $1 ids, $2 ref_provider_message_id, $3 token, $4 actor, $5 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update messages.outbound_message as m
     set status = 'SENT',
         claim_token = null,
         claimed_until = null,
         lost_claims = 0,
         error_message = null,
         error_code = null,
         provider_message_id = u.ref_provider_message_id
    from unnest((select $1::uuid[])::uuid[], (select array_cat(array(select provider_message_id from messages.outbound_message where false), $2)))
           as u (id, ref_provider_message_id)
   where m.id = u.id
     and m.claim_token = $3::uuid
     and (select now from patience) is not null
  returning m.id as id, m.attempt_count as attempt, u.ref_provider_message_id, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'messages.outbound', id::text, 'SENDING'::text, 'SENT'::text, attempt, null, null, $4::text, $5::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle confirmed: $1 ids, $2 from_state, $3 actor, $4 reason
with settled as (
  update messages.outbound_message as m
     set status = 'DELIVERED',
         claim_token = null,
         claimed_until = null,
         lost_claims = 0,
         error_message = null,
         error_code = null
    from unnest((select $1::uuid[])::uuid[], (select $2::text[])::text[])
           as u (id, from_state)
   where m.id = u.id
  returning m.id as id, m.attempt_count as attempt, u.from_state, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'messages.outbound', id::text, from_state, 'DELIVERED'::text, attempt, null, null, $3::text, $4::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only
  from settled;

-- settle retry: $1 ids, $2 delay_ms, $3 bump, $4 lost, $5 code, $6 error, $7 token, $8 actor, $9 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update messages.outbound_message as m
     set status = 'QUEUED',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         attempt_count = greatest(m.attempt_count + u.bump, 0),
         error_message = u.error,
         error_code = u.code,
         next_retry_at = posthorn.now() + u.delay_ms * interval '1 ms'
    from unnest((select $1::uuid[])::uuid[], (select $2::float8[])::float8[], (select $3::int[])::int[], (select $4::int[])::int[], (select $5::text[])::text[], (select $6::text[])::text[])
           as u (id, delay_ms, bump, lost, code, error)
   where m.id = u.id
     and m.claim_token = $7::uuid
     and (select now from patience) is not null
  returning m.id as id, m.attempt_count - u.bump as attempt, u.delay_ms, u.bump, u.lost, u.code, u.error, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'messages.outbound', id::text, 'SENDING'::text, 'QUEUED'::text, attempt, code, error, $8::text, $9::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle dead: $1 ids, $2 bump, $3 lost, $4 code, $5 error, $6 token, $7 actor, $8 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update messages.outbound_message as m
     set status = 'FAILED',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         attempt_count = greatest(m.attempt_count + u.bump, 0),
         error_message = u.error,
         error_code = u.code
    from unnest((select $1::uuid[])::uuid[], (select $2::int[])::int[], (select $3::int[])::int[], (select $4::text[])::text[], (select $5::text[])::text[])
           as u (id, bump, lost, code, error)
   where m.id = u.id
     and m.claim_token = $6::uuid
     and (select now from patience) is not null
  returning m.id as id, m.attempt_count - u.bump as attempt, u.bump, u.lost, u.code, u.error, m.org_id::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'messages.outbound', id::text, 'SENDING'::text, 'FAILED'::text, attempt, code, error, $7::text, $8::text, tenant from settled
),
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select 'messages.outbound', id::text, tenant, code, error from settled where code <> 'PARKED'
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- lockSent: $1 ids
select *, status::text as claim_from
  from messages.outbound_message
 where id = any((select $1::uuid[])::uuid[])
   and (status = 'SENT' or status = 'SENDING')
 order by id
   for update;

-- selectLocked: $1 ids
with free as materialized (
  select id as id
    from messages.outbound_message
   where id = any((select $1::uuid[])::uuid[])
     for no key update skip locked
)
select id::text as id
  from messages.outbound_message
 where id = any((select $1::uuid[])::uuid[]) and id not in (select id from free);

-- markSuspects: $1 delayMs, $2 ids, $3 token
update messages.outbound_message
   set claimed_until = now() + $1 * interval '1 ms'
 where id = any((select $2::uuid[])::uuid[])
   and claim_token = $3::uuid;
