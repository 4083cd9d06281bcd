-- How long data is kept, what must not go, and the erasing of a person's data.

-- How long a class of data is kept where that is not what the catalogue says: for one organisation,
-- or with an empty tenant for all that have no time of their own. "For ever" is a thousand years.
create table posthorn.retention (
  class text not null,
  tenant text not null default '',
  keep interval not null check (keep >= interval '0'),
  set_by text not null,
  set_at timestamptz not null default now(),
  primary key (class, tenant)
);

-- How far retention is with each class. `complete_at`: when a run last found nothing more to do.
create table posthorn.retention_run (
  class text primary key,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  complete_at timestamptz,
  removed bigint not null default 0,
  last_removed bigint not null default 0,
  oldest_at timestamptz,
  error text
);

-- What is exempt from retention and erasure until it is released: an organisation, or one thing of it.
create table posthorn.legal_hold (
  id uuid primary key,
  tenant text not null,
  kind text not null,
  subject text,
  reason text not null,
  placed_by text not null,
  placed_at timestamptz not null default now(),
  released_by text,
  released_at timestamptz,
  release_reason text,
  check ((kind = 'organisation') = (subject is null)),
  check ((released_at is null) = (released_by is null))
);
create unique index legal_hold_open on posthorn.legal_hold (tenant, kind, coalesce(subject, ''))
  where released_at is null;
create index legal_hold_listed on posthorn.legal_hold (tenant, id);

-- Entries come in order of time: a summary of blocks finds the old ones.
-- locks: what operators did, by hand; millions of them are summed up in a second
create index operation_age on posthorn.operation using brin (at);

-- The erasing of one person's data. Who it was is sealed while it runs and gone when it is done; the
-- digest, under a key that is not in the database, tells whether it was done before.
create table posthorn.erasure (
  id uuid primary key,
  tenant text not null,
  subject_kind text not null check (subject_kind in ('email', 'phone', 'externalId', 'dossierId')),
  subject_digest text not null,
  sealed_subject text,
  status text not null default 'running' check (status in ('running', 'waiting', 'done')),
  reason text,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  next_pass_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Where the pass is: the place of the table in the catalogue, and the last row that was looked at.
  table_no integer not null default 0,
  after_key text[],
  looked_at bigint not null default 0,
  erased bigint not null default 0,
  -- Of this pass: rows that are still in flight, and rows under a legal hold.
  in_flight bigint not null default 0,
  held bigint not null default 0,
  check ((status = 'done') = (finished_at is not null)),
  check ((status = 'done') = (sealed_subject is null))
);
create index erasure_listed on posthorn.erasure (tenant, id);
create unique index erasure_open on posthorn.erasure (tenant, subject_kind, subject_digest)
  where status <> 'done';
create index erasure_due on posthorn.erasure (next_pass_at) where status <> 'done';

-- Replaces what matches within a text.
create function posthorn.erase_text(value text, pattern text) returns text
  language sql immutable parallel safe
  return regexp_replace(value, pattern, '[erased]', 'gi');

-- The same within every text, number and name of a JSON value.
create function posthorn.erase_json(value jsonb, pattern text) returns jsonb
  language plpgsql immutable parallel safe
as $$
begin
  case jsonb_typeof(value)
    when 'object' then
      return coalesce((select jsonb_object_agg(posthorn.erase_text(m.key, pattern),
                                               posthorn.erase_json(m.value, pattern))
                         from jsonb_each(value) as m), '{}');
    when 'array' then
      return coalesce((select jsonb_agg(posthorn.erase_json(i.item, pattern) order by i.n)
                         from jsonb_array_elements(value) with ordinality as i (item, n)), '[]');
    when 'string' then
      return to_jsonb(posthorn.erase_text(value #>> '{}', pattern));
    when 'number' then
      return case when value::text ~* pattern then '"[erased]"'::jsonb else value end;
    else
      return value;
  end case;
end $$;

-- The same within bytes of any encoding that has ASCII.
create function posthorn.erase_bytes(value bytea, pattern text) returns bytea
  language sql immutable parallel safe
  return decode(posthorn.erase_text(encode(value, 'escape'), pattern), 'escape');
