/** The statements of one store of idempotency keys: whole texts, made once from its table's name. */
export interface IdempotencySql {
  readonly claim: string
  readonly claimStale: string
  readonly extend: string
  readonly saveState: string
  readonly complete: string
  readonly abandon: string
  readonly prune: string
}

/**
 * Locks are held by real time (`clock_timestamp()`: a claim may stand late in a long transaction),
 * keys expire by the business clock.
 */
export function idempotencySql(table: string): IdempotencySql {
  return {
    // $1 scope, $2 key, $3 fingerprint, $4 token, $5 lock in ms, $6 expires in ms. Always one row.
    claim: `
-- Most repeats find a finished key: they write nothing and wait for no lock.
with finished as (
  select *
    from ${table}
   where scope = $1
     and key = $2
     and completed_at is not null
     and expires_at > posthorn.now()
), claimed as (
  insert into ${table} as k (scope, key, fingerprint, lock_token, locked_until, expires_at)
  select $1, $2, $3, $4::uuid,
         clock_timestamp() + $5::float8 * interval '1 millisecond',
         posthorn.now() + $6::float8 * interval '1 millisecond'
   where not exists (select from finished)
  -- An update even where nothing changes: only so does the row come back as it is now, and not as
  -- it was when this statement began. In that case another request may have just inserted it.
  on conflict (scope, key) do update
     set (fingerprint, lock_token, locked_until, takeovers, state, response_status,
          response_headers, response_body, created_at, completed_at, expires_at) = (
       select fate.*
         from (
           select coalesce(k.locked_until <= clock_timestamp(), true) as unlocked,
                  k.expires_at <= posthorn.now() and (k.completed_at is not null or k.state is null)
                    as expired
         ) as was
         cross join lateral (
           -- Begins anew.
           select excluded.fingerprint, excluded.lock_token, excluded.locked_until, 0, null::jsonb,
                  null::integer, null::json, null::bytea, excluded.created_at, null::timestamptz,
                  excluded.expires_at
            where was.unlocked and was.expired
           union all
           -- Its owner is gone: goes on from the state that was saved.
           select k.fingerprint, excluded.lock_token, excluded.locked_until, k.takeovers + 1, k.state,
                  null, null, null, k.created_at, null, k.expires_at
            where was.unlocked and not was.expired
              and k.completed_at is null and k.fingerprint = excluded.fingerprint
           union all
           -- Finished, in work, or another request: stays as it is.
           select k.fingerprint, k.lock_token, k.locked_until, k.takeovers, k.state, k.response_status,
                  k.response_headers, k.response_body, k.created_at, k.completed_at, k.expires_at
            where not was.unlocked
               or not was.expired
              and (k.completed_at is not null or k.fingerprint <> excluded.fingerprint)
         ) as fate
     )
  returning *
)
select coalesce(lock_token = $4::uuid, false) as claimed, fingerprint = $3 as same, takeovers, state,
       completed_at is not null as completed,
       response_status, response_headers, response_body,
       greatest(0, ceil(extract(epoch from locked_until - clock_timestamp()) * 1000))::float8 as retry_after_ms
  from (select * from finished union all select * from claimed) as k`,

    // $1 lock in ms, $2 keys at the most. now(), since a volatile clock cannot use the index.
    claimStale: `
with stale as (
  select scope, key
    from ${table}
   where completed_at is null
     and locked_until <= now()
   order by locked_until
   limit $2
     for update skip locked
)
update ${table} as k
   set lock_token = gen_random_uuid(),
       locked_until = clock_timestamp() + $1::float8 * interval '1 millisecond',
       takeovers = k.takeovers + 1
  from stale
 where k.scope = stale.scope
   and k.key = stale.key
returning k.scope, k.key, k.lock_token, k.state`,

    // In all of these: $1 scope, $2 key, $3 token
    extend: `
update ${table}
   set locked_until = clock_timestamp() + $4::float8 * interval '1 millisecond'
 where scope = $1 and key = $2 and lock_token = $3::uuid
returning 1`,

    saveState: `
update ${table}
   set state = $4::jsonb
 where scope = $1 and key = $2 and lock_token = $3::uuid
returning 1`,

    complete: `
update ${table}
   set response_status = $4::integer,
       response_headers = $5::json,
       response_body = $6::bytea,
       completed_at = posthorn.now(),
       lock_token = null,
       locked_until = null
 where scope = $1 and key = $2 and lock_token = $3::uuid
returning 1`,

    abandon: `
delete from ${table}
 where scope = $1 and key = $2 and lock_token = $3::uuid
returning 1`,

    // $1 keys at the most
    prune: `
with expired as (
  select scope, key
    from ${table}
   where expires_at <= posthorn.now()
     and (completed_at is not null or state is null and locked_until <= now())
   order by expires_at
   limit $1
     for update skip locked
), gone as (
  delete from ${table} as k
   using expired
   where k.scope = expired.scope and k.key = expired.key
  returning 1
)
select count(*)::integer as count from gone`,
  }
}

/** The table's definition; `name` is the table's without its schema. */
export function createIdempotencyKeys({ table, name }: { table: string; name: string }): string {
  return `create table ${table} (
  scope text not null,
  key text not null check (octet_length(key) between 1 and 255),
  fingerprint text not null,
  -- Who works on it, and until when (real time) nobody else may.
  lock_token uuid,
  locked_until timestamptz,
  locked boolean generated always as (lock_token is not null) stored,
  takeovers integer not null default 0,
  -- How far the work has come, in the words of whoever does it.
  state jsonb,
  response_status integer,
  -- json, not jsonb: replayed as it was written.
  response_headers json,
  response_body bytea,
  created_at timestamptz not null default posthorn.now(),
  completed_at timestamptz,
  expires_at timestamptz not null,
  primary key (scope, key),
  -- Either somebody holds it, or it is finished and has its response.
  check ((completed_at is null) = (lock_token is not null)),
  check ((completed_at is null) = (locked_until is not null)),
  check ((completed_at is null) = (response_status is null)),
  check ((completed_at is null) = (response_headers is null)),
  check ((completed_at is null) = (response_body is null))
);
create index ${name}_expired on ${table} (expires_at);
create index ${name}_stale on ${table} (locked_until) where completed_at is null;
`
}
