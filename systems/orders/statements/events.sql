-- The statements of sagas.events, as they run.

-- claimBatch: $1 floorDue, $2 floorLateMs, $3 floorId, $4 batch, $5 token, $6 leaseMs
with due as (
  select id as id, next_retry_at as due_at, status::text as claim_from
    from sagas.saga_outbox
   where status = 'PENDING'
     and (next_retry_at, id) >= ($1::timestamptz - $2 * interval '1 ms', $3::uuid)
     and next_retry_at <= posthorn.now()
     and lost_claims = 0
     and not exists (select from posthorn.pause where outbox = 'sagas.events')
   order by next_retry_at, id
   limit $4
     for update skip locked
),
taken as (
  update sagas.saga_outbox as m
     set claim_token = $5::uuid,
         claimed_until = now() + $6 * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int,
         status = 'CLAIMED'
    from due
   where m.id = due.id
  returning m.*, false as claim_lost, due.claim_from
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor, tenant)
  select 'sagas.events', id::text, claim_from, status::text, retry_count, 'RELAY', tenant::text
    from taken
)
select * from taken, lateral (select due_at::text || '|' || id::text from due order by due_at desc, id desc limit 1) as upto (claim_upto);

-- claimSuspect: $1 group, $2 token, $3 leaseMs
with suspect as (
  select id as id, next_retry_at as due_at, status::text as claim_from,
         lost_claims as lost
    from sagas.saga_outbox
   where status = 'PENDING'
     and next_retry_at <= posthorn.now()
     and lost_claims > 0
     and not exists (select from posthorn.pause where outbox = 'sagas.events')
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
  update sagas.saga_outbox as m
     set claim_token = $2::uuid,
         claimed_until = now() + $3 * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int,
         status = 'CLAIMED'
    from due
   where m.id = due.id
  returning m.*, false as claim_lost, due.claim_from
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, actor, tenant)
  select 'sagas.events', id::text, claim_from, status::text, retry_count, 'RELAY', tenant::text
    from taken
)
select * from taken;

-- takeExpired: $1 batch, $2 token, $3 leaseMs
with expired as (
  select id as id, claim_token is null as waited
    from sagas.saga_outbox
   where status = 'CLAIMED'
     and claimed_until < now()
   order by claimed_until
   limit $1
     for update skip locked
)
update sagas.saga_outbox as m
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
    from sagas.saga_outbox
   where id = any((select $1::uuid[])::uuid[])
     and claim_token = $2::uuid
     for no key update skip locked
),
renewed as (
  update sagas.saga_outbox
     set claimed_until = now() + $3 * interval '1 ms'
   where id = any(array(select id from free))
)
select id::text as id
  from sagas.saga_outbox
 where id = any((select $1::uuid[])::uuid[])
   and claim_token = $2::uuid;

-- nextDue: $1 sinceMs
select extract(epoch from next_retry_at - posthorn.now()) * 1000 as ms
  from sagas.saga_outbox
 where status = 'PENDING'
   and next_retry_at > posthorn.now() - $1::float8 * interval '1 ms'
   and claimed_until is null
   and not exists (select from posthorn.pause where outbox = 'sagas.events')
 order by next_retry_at
 limit 1;

-- settle sent: $1 ids, $2 token, $3 actor, $4 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update sagas.saga_outbox as m
     set status = 'SENT',
         claim_token = null,
         claimed_until = null,
         lost_claims = 0,
         last_error = null,
         error_code = null,
         sent_at = now()
   where m.id = any((select $1::uuid[])::uuid[])
     and m.claim_token = $2::uuid
     and (select now from patience) is not null
  returning m.id as id, m.retry_count + 1 as attempt, m.tenant::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'sagas.events', id::text, 'CLAIMED'::text, 'SENT'::text, attempt, null, null, $3::text, $4::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle retry: $1 ids, $2 delay_ms, $3 bump, $4 lost, $5 code, $6 error, $7 token, $8 actor, $9 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update sagas.saga_outbox as m
     set status = 'PENDING',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         retry_count = greatest(m.retry_count + u.bump, 0),
         last_error = u.error,
         error_code = u.code,
         next_retry_at = posthorn.now() + u.delay_ms * interval '1 ms'
    from unnest((select $1::uuid[])::uuid[], (select $2::float8[])::float8[], (select $3::int[])::int[], (select $4::int[])::int[], (select $5::text[])::text[], (select $6::text[])::text[])
           as u (id, delay_ms, bump, lost, code, error)
   where m.id = u.id
     and m.claim_token = $7::uuid
     and (select now from patience) is not null
  returning m.id as id, m.retry_count - u.bump + 1 as attempt, u.delay_ms, u.bump, u.lost, u.code, u.error, m.tenant::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'sagas.events', id::text, 'CLAIMED'::text, 'FAILED'::text, attempt, code, error, $8::text, $9::text, tenant from settled
  union all
  select 'sagas.events', id::text, 'FAILED'::text, 'PENDING'::text, attempt, code, error, $8::text, $9::text, tenant from settled
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle dead: $1 ids, $2 bump, $3 lost, $4 code, $5 error, $6 token, $7 actor, $8 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update sagas.saga_outbox as m
     set status = 'DEAD_LETTER',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         retry_count = greatest(m.retry_count + u.bump, 0),
         last_error = u.error,
         error_code = u.code
    from unnest((select $1::uuid[])::uuid[], (select $2::int[])::int[], (select $3::int[])::int[], (select $4::text[])::text[], (select $5::text[])::text[])
           as u (id, bump, lost, code, error)
   where m.id = u.id
     and m.claim_token = $6::uuid
     and (select now from patience) is not null
  returning m.id as id, m.retry_count - u.bump + 1 as attempt, u.bump, u.lost, u.code, u.error, m.tenant::text as tenant
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason, tenant)
  select 'sagas.events', id::text, 'CLAIMED'::text, 'FAILED'::text, attempt, code, error, $7::text, $8::text, tenant from settled
  union all
  select 'sagas.events', id::text, 'FAILED'::text, 'DEAD_LETTER'::text, attempt, code, error, $7::text, $8::text, tenant from settled
),
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select 'sagas.events', id::text, tenant, code, error from settled where code <> 'PARKED'
)
select case when count(*) < cardinality((select $1::uuid[])::uuid[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- selectLocked: $1 ids
with free as materialized (
  select id as id
    from sagas.saga_outbox
   where id = any((select $1::uuid[])::uuid[])
     for no key update skip locked
)
select id::text as id
  from sagas.saga_outbox
 where id = any((select $1::uuid[])::uuid[]) and id not in (select id from free);

-- markSuspects: $1 delayMs, $2 ids, $3 token
update sagas.saga_outbox
   set claimed_until = now() + $1 * interval '1 ms'
 where id = any((select $2::uuid[])::uuid[])
   and claim_token = $3::uuid;
