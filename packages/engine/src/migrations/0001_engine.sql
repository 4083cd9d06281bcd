-- The engine's own tables. Outbox tables belong to their systems; here is what all of them share.
create schema if not exists posthorn;

-- The business clock. Due times and business expiries use it; leases use now(). In production it
-- is the statement's own time; development replaces the body by one that adds the stored offset.
create table posthorn.clock (
  only_row boolean primary key default true check (only_row),
  ahead interval not null default interval '0',
  movable boolean not null default false
);
insert into posthorn.clock default values;

create function posthorn.now() returns timestamptz
  language sql stable parallel safe
  return statement_timestamp();

-- Which of the 64 buckets a key belongs to. Used by generated columns, so it must never change.
create function posthorn.bucket_of(key text) returns smallint
  language sql immutable strict parallel safe
  return (hashtextextended(key, 0) & 63)::smallint;

-- Leases on buckets of keyed outboxes. run_* is what was in flight under the lease: when a lease
-- runs out, these messages are the suspects. No index but the key, and room on the page, so that
-- every update is a HOT update.
create table posthorn.bucket (
  outbox text not null,
  bucket smallint not null check (bucket between 0 and 63),
  token uuid,
  relay text,
  until timestamptz,
  run_upto bigint,
  run_size integer,
  run_key text,
  -- Nothing waits below this seq, and nothing will: where the next owner begins to read.
  floor bigint not null default 0,
  primary key (outbox, bucket)
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Keys that wait: behind a failed message until it is due again, or behind a dead one until an
-- operator acts (due_at is null). version fences the relay's delete against a replay at the same time.
create table posthorn.held_key (
  outbox text not null,
  key text not null,
  bucket smallint not null,
  due_at timestamptz,
  tail text not null default 'wait' check (tail in ('wait', 'park')),
  held_by text not null,
  version bigint not null default 1,
  held_at timestamptz not null default now(),
  primary key (outbox, key)
);
create index held_key_due on posthorn.held_key (outbox, bucket, due_at) where due_at is not null;

-- Every change of state of every message, written in the transaction that makes it.
create sequence posthorn.transition_id;
create table posthorn.transition (
  id bigint not null default nextval('posthorn.transition_id'),
  outbox text not null,
  message_id text not null,
  from_state text,
  to_state text not null,
  attempt integer,
  code text,
  error text,
  actor text not null,
  reason text,
  at timestamptz not null default clock_timestamp()
) partition by range (at);
create index transition_message on posthorn.transition (message_id, id);

-- Rows that left their table; dropped by the partition when their time is over.
create table posthorn.archive (
  outbox text not null,
  message_id text not null,
  row_data jsonb not null,
  archived_at timestamptz not null default now()
) partition by range (archived_at);
create index archive_message on posthorn.archive (message_id);
create index archive_age on posthorn.archive (outbox, archived_at);

-- A default partition each, so that a missed maintenance run never stops a settle.
create table posthorn.transition_default partition of posthorn.transition default;
create table posthorn.archive_default partition of posthorn.archive default;

-- What a person should look at: one row for each dead or quarantined message.
create table posthorn.alert (
  id bigint generated always as identity primary key,
  source text not null,
  subject text not null,
  tenant text,
  code text not null,
  detail text not null,
  raised_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  acknowledged_by text
);
create index alert_open on posthorn.alert (raised_at desc) where acknowledged_at is null;
create index alert_subject on posthorn.alert (source, subject);

create table posthorn.pause (
  outbox text primary key,
  paused_at timestamptz not null default now(),
  paused_by text not null,
  reason text
);

-- Relays that are alive, and what they did: one small upsert a relay and outbox every few seconds.
create table posthorn.relay (
  relay text not null,
  outbox text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (relay, outbox)
) with (fillfactor = 50);

create table posthorn.pulse (
  outbox text not null,
  relay text not null,
  at timestamptz not null,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  dead bigint not null default 0,
  lost bigint not null default 0,
  primary key (outbox, at, relay)
);
