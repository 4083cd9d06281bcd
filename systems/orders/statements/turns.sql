-- The statements of sagas.turns, as they run.

-- claimBatch: $1 floorDue, $2 floorLateMs, $3 floorId, $4 batch, $5 token, $6 leaseMs
with due as (
  select id as id, due_at as due_at
    from sagas.saga_turn
   where status = 'READY'
     and (due_at, id) >= ($1::timestamptz - $2 * interval '1 ms', $3::text)
     and due_at <= posthorn.now()
     and (claimed_until is null or claimed_until < now())
     and lost_claims = 0
     and not exists (select from posthorn.pause where outbox = 'sagas.turns')
     and (select set_config('synchronous_commit', 'off', true)) = 'off'
   order by due_at, id
   limit $4
     for update skip locked
)
update sagas.saga_turn as m
   set claim_token = case when m.claimed_until is not null then null else $5::uuid end,
       claimed_until = case when m.claimed_until is not null then null else now() + $6 * interval '1 ms' end,
       lost_claims = (m.claimed_until is not null)::int
 where m.id = any(array(select id from due))
returning m.*, m.claimed_until is null as claim_lost, m.status::text as claim_from,
          (select due_at::text || '|' || id::text from due order by due_at desc, id desc limit 1) as claim_upto;

-- claimSuspect: $1 group, $2 token, $3 leaseMs
with suspect as (
  select id as id, due_at as due_at, status::text as claim_from,
         lost_claims + (claimed_until is not null)::int as lost
    from sagas.saga_turn
   where status = 'READY'
     and due_at <= posthorn.now()
     and lost_claims > 0
     and (claimed_until is null or claimed_until < now())
     and not exists (select from posthorn.pause where outbox = 'sagas.turns')
   order by due_at, id
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
  update sagas.saga_turn as m
     set claim_token = $2::uuid,
         claimed_until = now() + $3 * interval '1 ms',
         lost_claims = m.lost_claims + (m.claimed_until is not null)::int
    from due
   where m.id = due.id
  returning m.*, false as claim_lost, due.claim_from
)
select * from taken;

-- renewClaim: $1 ids, $2 token, $3 leaseMs
with free as materialized (
  select id as id
    from sagas.saga_turn
   where id = any((select $1::text[])::text[])
     and claim_token = $2::uuid
     for no key update skip locked
),
renewed as (
  update sagas.saga_turn
     set claimed_until = now() + $3 * interval '1 ms'
   where id = any(array(select id from free))
)
select id::text as id
  from sagas.saga_turn
 where id = any((select $1::text[])::text[])
   and claim_token = $2::uuid;

-- nextDue: $1 sinceMs
select extract(epoch from due_at - posthorn.now()) * 1000 as ms
  from sagas.saga_turn
 where status = 'READY'
   and due_at > posthorn.now() - $1::float8 * interval '1 ms'
   and (claimed_until is null or claimed_until < now())
   and not exists (select from posthorn.pause where outbox = 'sagas.turns')
 order by due_at
 limit 1;

-- settle sent: $1 ids, $2 token
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update sagas.saga_turn as m
     set status = 'DONE',
         claim_token = null,
         claimed_until = null,
         lost_claims = 0,
         error = null,
         error_code = null,
         finished_at = now()
   where m.id = any((select $1::text[])::text[])
     and m.claim_token = $2::uuid
     and (select now from patience) is not null
  returning m.id as id, m.attempts + 1 as attempt
)
select case when count(*) < cardinality((select $1::text[])::text[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle retry: $1 ids, $2 delay_ms, $3 bump, $4 lost, $5 code, $6 error, $7 token, $8 actor, $9 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update sagas.saga_turn as m
     set status = 'READY',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         attempts = greatest(m.attempts + u.bump, 0),
         error = u.error,
         error_code = u.code,
         due_at = posthorn.now() + u.delay_ms * interval '1 ms'
    from unnest((select $1::text[])::text[], (select $2::float8[])::float8[], (select $3::int[])::int[], (select $4::int[])::int[], (select $5::text[])::text[], (select $6::text[])::text[])
           as u (id, delay_ms, bump, lost, code, error)
   where m.id = u.id
     and m.claim_token = $7::uuid
     and (select now from patience) is not null
  returning m.id as id, m.attempts - u.bump + 1 as attempt, u.delay_ms, u.bump, u.lost, u.code, u.error
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason)
  select 'sagas.turns', id::text, 'READY'::text, 'READY'::text, attempt, code, error, $8::text, $9::text from settled
)
select case when count(*) < cardinality((select $1::text[])::text[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- settle dead: $1 ids, $2 bump, $3 lost, $4 code, $5 error, $6 token, $7 actor, $8 reason
with patience as materialized (
  select current_setting('lock_timeout') as before, set_config('lock_timeout', '100ms', true) as now
),
settled as (
  update sagas.saga_turn as m
     set status = 'DEAD',
         claim_token = null,
         claimed_until = null,
         lost_claims = u.lost,
         attempts = greatest(m.attempts + u.bump, 0),
         error = u.error,
         error_code = u.code,
         finished_at = now()
    from unnest((select $1::text[])::text[], (select $2::int[])::int[], (select $3::int[])::int[], (select $4::text[])::text[], (select $5::text[])::text[])
           as u (id, bump, lost, code, error)
   where m.id = u.id
     and m.claim_token = $6::uuid
     and (select now from patience) is not null
  returning m.id as id, m.attempts - u.bump + 1 as attempt, u.bump, u.lost, u.code, u.error
),
noted as (
  insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, error, actor, reason)
  select 'sagas.turns', id::text, 'READY'::text, 'DEAD'::text, attempt, code, error, $7::text, $8::text from settled
),
raised as (
  insert into posthorn.alert (source, subject, tenant, code, detail)
  select 'sagas.turns', id::text, null, code, error from settled where code <> 'PARKED'
)
select case when count(*) < cardinality((select $1::text[])::text[]) then coalesce(array_agg(id::text), '{}') end as only,
       set_config('lock_timeout', (select before from patience), true) as patience
  from settled;

-- selectLocked: $1 ids
with free as materialized (
  select id as id
    from sagas.saga_turn
   where id = any((select $1::text[])::text[])
     for no key update skip locked
)
select id::text as id
  from sagas.saga_turn
 where id = any((select $1::text[])::text[]) and id not in (select id from free);

-- markSuspects: $1 delayMs, $2 ids, $3 token
update sagas.saga_turn
   set lost_claims = greatest(lost_claims, 1) + 1,
       due_at = posthorn.now() + $1 * interval '1 ms',
       claim_token = null, claimed_until = null
 where id = any((select $2::text[])::text[])
   and claim_token = $3::uuid;
