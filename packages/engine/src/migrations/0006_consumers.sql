-- Consumers end too: what a handler could not take, what may have killed its process, and the lag.

-- Messages that consumers set aside, acknowledged at their broker. `retry`: its next attempt is due
-- at `due_at`; `parked`: waits behind an earlier one of its key; `dead`: waits for an operator. The
-- identity is the order within a key. What could not be decoded has a body instead of a payload.
create table posthorn.consumer_message (
  id bigint generated always as identity primary key,
  topic text not null,
  group_name text not null,
  state text not null check (state in ('retry', 'parked', 'dead')),
  -- Where it was read, if the broker has positions.
  partition int,
  log_offset bigint,
  message_id text not null,
  type text,
  version int,
  key text,
  tenant text,
  occurred_at timestamptz,
  traceparent text,
  headers json not null,
  payload json,
  body bytea,
  attempts int not null default 0 check (attempts >= 0),
  -- Claims in a row whose process never came back.
  lost int not null default 0 check (lost >= 0),
  code text,
  error text,
  due_at timestamptz not null,
  created_at timestamptz not null default now(),
  died_at timestamptz,
  token uuid,
  claimed_until timestamptz,
  check ((payload is null) <> (body is null)),
  check ((partition is null) = (log_offset is null)),
  check ((state = 'dead') = (died_at is not null)),
  check ((token is null) = (claimed_until is null))
);

-- A message that comes again between its row's commit and its acknowledgement is not kept twice.
create unique index consumer_message_position
  on posthorn.consumer_message (topic, group_name, partition, log_offset) where partition is not null;
create unique index consumer_message_id
  on posthorn.consumer_message (topic, group_name, message_id) where partition is null;
create index consumer_message_key on posthorn.consumer_message (topic, group_name, key, id);
create index consumer_message_due
  on posthorn.consumer_message (topic, group_name, due_at) where state = 'retry';
create index consumer_message_dead on posthorn.consumer_message (id) where state = 'dead';

-- What a consumer was about to handle: for the next one, if its process dies. A partition's note says
-- up to which offset messages may be the cause; a message's note counts how often it was handled
-- alone by a process that did not come back.
create table posthorn.consumer_note (
  topic text not null,
  group_name text not null,
  place text not null,
  owner uuid not null,
  upto bigint,
  lost int not null default 0,
  noted_at timestamptz not null default now(),
  primary key (topic, group_name, place)
) with (fillfactor = 50);

-- How far each group is behind, as the last process to look has seen it.
create table posthorn.consumer_lag (
  topic text not null,
  group_name text not null,
  transport text not null,
  lag bigint not null,
  sampled_at timestamptz not null default now(),
  primary key (topic, group_name)
) with (fillfactor = 50);
