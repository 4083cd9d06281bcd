-- The engine's own tables. Outbox tables belong to their systems; this is what all of them share:
--
--   1 clock, ids, buckets     2 outboxes and how they are written to     3 what relays share
--   4 what happened to messages     5 alerts and replays     6 consumers     7 figures for charts
--   8 audits and their seals     9 retention and erasure     10 data keys     11 sessions of browsers
--
-- Personal data is declared next to its table: `comment on column … is 'personal'` for a column in which a
-- person may be named, and `comment on table … is 'not personal: …'` with the other columns of text. The
-- erasure of a person reads these comments; a test fails for a column of text that neither of them names.
create schema if not exists posthorn;

-- 1 Clock, ids, buckets ------------------------------------------------------------------------------

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

-- An id with the time in front, as the library makes them.
create function posthorn.new_id() returns uuid
  language sql volatile parallel safe
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

-- Keys are indexed, and an index refuses what is too long for it: where a message first waits, that would
-- stop its whole bucket. So the insert is refused, whoever makes it. Declared immutable for bucket_of.
create function posthorn.refuse_key(key text) returns smallint
  language plpgsql immutable parallel safe
as $$
begin
  raise exception 'the key of a message has % bytes; the limit is 1,024', octet_length(key)
    using errcode = 'string_data_right_truncation', hint = 'Use a digest of it as the key.';
end
$$;

-- Which of the 64 buckets a key belongs to. Used by generated columns, so it must never change. Not strict:
-- a strict function that has a case would not be inlined.
create function posthorn.bucket_of(key text) returns smallint
  language sql immutable parallel safe
  return case when octet_length(key) > 1024 then posthorn.refuse_key(key)
              else (hashtextextended(key, 0) & 63)::smallint end;

-- What stands in indexes for a key that others give, of any length.
create function posthorn.key_digest(key text) returns bigint
  language sql immutable parallel safe
  return hashtextextended(key collate "C", 0);

-- The same for an id that must be unique: no two texts have the same one.
create function posthorn.id_digest(id text) returns bytea
  language sql immutable parallel safe
  return sha256(convert_to(id, 'UTF8'));

-- 2 Outboxes and how they are written to -------------------------------------------------------------

-- Which table an outbox's name belongs to: leases, held keys, pauses and transitions go by the name,
-- so two applications that used one name for two tables would each deliver a part of both.
create table posthorn.outbox (
  name text primary key,
  table_name text not null,
  -- Where messages are written, if the outbox is kept in a log.
  log_name text,
  -- How relays claim them: by row, by key, or from the log. A relay changes it when it starts and moves them.
  storage text not null check (storage in ('row', 'key', 'log')),
  -- Whether every writer of an ordered outbox waits for the commit of the one before.
  serialise boolean,
  since timestamptz not null default now()
);

-- For triggers, psql and other languages: writes a message into an outbox whose table the library
-- made, in the caller's transaction, and wakes the relays when that commits. Returns the message's id,
-- or that of the first one with the same dedupe word. `serialise` is as the outbox is defined, unless the
-- caller says otherwise.
create function posthorn.enqueue(
  outbox text,
  type text,
  payload jsonb,
  key text default null,
  tenant text default null,
  headers jsonb default null,
  dedupe text default null,
  delay interval default interval '0',
  serialise boolean default null,
  priority integer default null,
  traceparent text default null
) returns uuid
  language plpgsql volatile
as $$
declare
  target regclass;
  is_log boolean;
  serialised boolean;
  known name[];
  missing text;
  stored uuid;
begin
  select to_regclass(coalesce(o.log_name, o.table_name)), o.log_name is not null,
         coalesce(enqueue.serialise, o.serialise, false)
    into target, is_log, serialised
    from posthorn.outbox as o
   where o.name = enqueue.outbox;
  if target is null then
    raise exception 'there is no outbox "%"', outbox
      using errcode = 'undefined_table',
            hint = 'select name, table_name from posthorn.outbox; a relay notes its outboxes there when it starts.';
  end if;
  if is_log and dedupe is not null then
    raise exception 'outbox "%" is kept in a log, which knows no dedupe word', outbox
      using errcode = 'feature_not_supported', hint = 'Leave dedupe out: the inbox of the consumer knows the id.';
  end if;
  select array_agg(a.attname) into known
    from pg_attribute as a
   where a.attrelid = target and a.attnum > 0 and not a.attisdropped;
  select string_agg(c, ', ') into missing
    from unnest(array['id', 'type', 'payload', 'key', 'tenant', 'headers', 'dedupe', 'due_at', 'traceparent']) as c
   where c <> all (known);
  if missing is not null then
    raise exception 'outbox "%" has a table of its own, % has no column %', outbox, target, missing
      using errcode = 'undefined_column',
            hint = format('This function fills tables that outbox() made. Insert the row, then wake the relays: '
                          'select pg_notify(''posthorn_wake'', ''ring %s'');', outbox);
  end if;
  if priority is not null and 'priority' <> all (known) then
    raise exception 'outbox "%" has no priorities', outbox
      using errcode = 'undefined_column', hint = 'Define it with priority: true, or leave priority out.';
  end if;
  if greatest(octet_length(type), octet_length(key), octet_length(tenant), octet_length(dedupe)) > 1024 then
    raise exception 'outbox "%": type, key, tenant and dedupe of a message have at most 1,024 bytes each', outbox
      using errcode = 'string_data_right_truncation', hint = 'Use a digest of what is longer.';
  end if;
  if greatest(pg_column_size(payload), pg_column_size(headers)) > 16 * 1024 * 1024 then
    raise exception 'outbox "%": the payload of a message has at most 16 MiB', outbox
      using errcode = 'program_limit_exceeded', hint = 'Store it elsewhere, and send its address.';
  end if;
  -- Only an ordered outbox has buckets.
  if key is null and 'bucket' = any (known) then
    raise exception 'outbox "%" is ordered: a message needs a key', outbox
      using errcode = 'not_null_violation', hint = 'Name it: posthorn.enqueue(…, key => ''7'').';
  end if;
  -- Before the first row: a transaction without a number could have a seq that no reader waits for.
  perform pg_current_xact_id();
  if serialised and key is not null then
    perform pg_advisory_xact_lock(hashtext(outbox), posthorn.bucket_of(key));
  end if;
  execute format(
    'insert into %s (id, type, payload, key, tenant, headers, dedupe, due_at, traceparent%s)
     values (posthorn.new_id(), $1, $2, $3, $4, $5, $6, posthorn.now() + $7, $8%s)
     %s
     returning id',
    target,
    case when priority is null then '' else ', priority' end,
    case when priority is null then '' else ', $9' end,
    case when is_log then '' else 'on conflict (dedupe) do nothing' end)
    into stored
    using type, payload, key, tenant, headers, dedupe, delay, traceparent, priority;
  if stored is null then
    execute format('select id from %s where dedupe = $1', target) into stored using dedupe;
  else
    perform pg_notify('posthorn_wake', 'ring ' || outbox);
  end if;
  return stored;
end
$$;

-- After another storage was chosen, some processes may still write to the place of before: a message goes on
-- from there. The arguments are the outbox and where the trigger stands.
create function posthorn.redirect_message() returns trigger
  language plpgsql as $$
declare
  place regclass;
  columns text;
begin
  -- An older snapshot may show the place of before: then the writer fails, and tries again.
  if current_setting('transaction_isolation') <> 'read committed' then
    perform from posthorn.outbox where name = tg_argv[0] for share;
  end if;
  select to_regclass(coalesce(o.log_name, o.table_name)) into place
    from posthorn.outbox as o
   where o.name = tg_argv[0] and coalesce(o.log_name, o.table_name) <> tg_argv[1];
  if place is null then
    return null;
  end if;
  select string_agg(quote_ident(a.attname), ', ') into columns
    from pg_attribute as a
   where a.attrelid = place and a.attnum > 0 and not a.attisdropped
     and a.attgenerated = '' and a.attidentity = '' and a.attname not in ('xid', 'logged_at')
     and exists (select from pg_attribute as b
                  where b.attrelid = tg_relid and b.attname = a.attname and not b.attisdropped);
  execute format('insert into %s (%s) select %2$s from (select ($1).*) as n', place, columns) using new;
  execute format('delete from %s where bucket = $1 and seq = $2', tg_relid::regclass) using new.bucket, new.seq;
  return null;
end
$$;

-- Messages that an outbox gives itself again and again: when each is due next, by the business clock.
-- A relay moves a row on in the transaction that enqueues what was due.
create table posthorn.recurring (
  outbox text not null,
  name text not null,
  -- As the definition has it; a relay with another rule leaves the row to those that have this one.
  rule text not null,
  -- What becomes of missed times, as the definition has it: people read it.
  missed text,
  -- Null: there will be no other.
  next_at timestamptz,
  last_at timestamptz,
  last_message text,
  enqueued bigint not null default 0,
  -- Why the last one could not be enqueued; null again once it could.
  error text,
  -- Null: it is not paused. By the real clock, as all that operators do.
  paused_at timestamptz,
  paused_by text,
  pause_reason text,
  -- When an operator last ran it outside its schedule, and who.
  run_at timestamptz,
  run_by text,
  -- When a relay that has it looked at it last: one that none has any more is deleted a while later.
  seen_at timestamptz not null default now(),
  primary key (outbox, name)
);

-- 3 What relays share --------------------------------------------------------------------------------

-- Who has the buckets of ordered outboxes: a session (see posthorn.session). run_* is what is in flight in
-- them: when the session ends, these messages are the suspects.
--
-- A row is written twice for each run. While a transaction is held open elsewhere, none of its old versions
-- can be cleaned away, and a lookup by name alone would pass over all of them. The newest version has the
-- highest run: with the run in the index it is found first, however many lie behind it. A unique index on
-- the name alone would be walked by every write that is not a HOT update, so there is none; the trigger
-- keeps it to one row a bucket. Few rows on a page: the more pages, the sooner the planner takes the index.
create table posthorn.bucket (
  outbox text not null,
  bucket smallint not null check (bucket between 0 and 63),
  -- Fresh whenever the bucket is taken: the fence of everything that is written for it.
  token uuid,
  session uuid,
  -- Numbers the runs of a bucket: a settlement that is repeated finds that its run has ended.
  run bigint not null default 0,
  run_upto bigint,
  run_size integer,
  -- Of a run of waiting keys: which ones, and the last seq of each.
  run_keys text[],
  run_uptos bigint[],
  -- Nothing waits below this seq, and nothing will: where the next owner begins to read.
  floor bigint not null default 0,
  -- Where the bucket stands in the log of an outbox with storage 'log'. In this row, so that one write
  -- fences a run and moves the cursor. A row of the log is named by the transaction that wrote it (xid)
  -- and by its place (seq); every writer has its xid before its first seq.
  --
  -- What was visible when everything before it had gone by; a transaction number taken after that
  -- snapshot (whoever has a higher one had no seq yet); the highest seq given out between the two.
  log_seen pg_snapshot,
  log_seen_by xid8 not null default '0',
  log_seen_seq bigint not null default 0,
  -- The same three for what is being read now; null between ticks.
  log_tick pg_snapshot,
  log_tick_by xid8,
  log_tick_seq bigint,
  -- How far the tick is settled, by seq, and how far the run in flight goes.
  log_done bigint not null default 0,
  log_upto bigint,
  -- The cluster that the numbers are of; rows up to log_since are of another one, whose transaction
  -- numbers mean nothing here.
  log_cluster bigint,
  log_since bigint not null default 0
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create unique index bucket_run on posthorn.bucket (bucket, outbox, run);

-- Relays that start at the same time make the rows of an outbox one after the other, and only once.
create function posthorn.make_bucket_once() returns trigger
  language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.bucket ' || new.outbox, 0));
  if exists (select from posthorn.bucket where outbox = new.outbox and bucket = new.bucket) then
    return null;
  end if;
  return new;
end
$$;
create trigger once before insert on posthorn.bucket
  for each row execute function posthorn.make_bucket_once();

-- Transactions whose rows may have a seq that the snapshot's reader has passed: those that were open, and
-- those between the snapshot's end and the number taken after it.
create function posthorn.log_late(seen pg_snapshot, seen_by xid8) returns xid8[]
  language sql stable parallel safe
  return array(
    select pg_snapshot_xip(seen)
    union all
    select n::text::xid8
      from generate_series(pg_snapshot_xmax(seen)::text::bigint, seen_by::text::bigint) as n);

-- Whether a row of the log has gone by.
create function posthorn.log_gone(b posthorn.bucket, xid xid8, seq bigint) returns boolean
  language sql stable parallel safe
  return seq <= b.log_since
      or (b.log_seen is not null and seq <= b.log_seen_seq and pg_visible_in_snapshot(xid, b.log_seen))
      or (b.log_tick is not null and seq <= b.log_done and pg_visible_in_snapshot(xid, b.log_tick));

-- The cluster that transaction numbers are of: a dump that is restored elsewhere starts them again.
create function posthorn.log_cluster() returns bigint
  language sql stable
  return (select system_identifier from pg_control_system());

-- Keys that wait: behind a failed message until it is due again, or behind a dead one until an
-- operator acts (due_at is null). version fences the relay's delete against a replay at the same time.
create table posthorn.held_key (
  outbox text not null,
  key text not null,
  bucket smallint not null,
  due_at timestamptz,
  tail text not null default 'wait' check (tail in ('wait', 'park')),
  held_by text not null,
  -- The dead messages that a key without a time waits for.
  blocked_by text[] not null default '{}',
  -- The key's first message comes from a lost claim and is claimed alone.
  suspect boolean not null default false,
  version bigint not null default 1,
  held_at timestamptz not null default now(),
  primary key (outbox, key)
);
create index held_key_due on posthorn.held_key (outbox, bucket, due_at) where due_at is not null;
create index held_key_suspect on posthorn.held_key (outbox, bucket, due_at)
  where suspect and due_at is not null;

-- What limits count: messages that are in the hands of a destination, and those that were given to it
-- within a length of time. One row for each claim of a limited outbox.
create table posthorn.permit (
  outbox text not null,
  -- Empty: the limit of the whole outbox.
  key text not null,
  token uuid not null,
  taken int not null,
  taken_at timestamptz not null default clock_timestamp(),
  -- Until then the messages count as under way; renewed with their claim, null once they are settled.
  until timestamptz
);
create index permit_key on posthorn.permit (outbox, posthorn.key_digest(key));

-- How many of the messages that are wanted for each key may go now, and how long to wait where that was
-- not all. Whoever asks for the same key waits for the other's answer. Real time.
create function posthorn.take_permits(
  outbox text,
  keys text[],
  wanted int[],
  at_once int,
  rate int,
  per interval,
  token uuid,
  lease interval
) returns table (key text, granted int, wait_ms float8)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  asked record;
  counted record;
  room int;
begin
  -- A permit that a crash of Postgres forgets was held by nobody whose connection outlived it.
  perform set_config('synchronous_commit', 'off', true);
  for asked in
    select u.key, u.wanted from unnest(take_permits.keys, take_permits.wanted) as u (key, wanted) order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended('limit ' || take_permits.outbox || ' ' || asked.key, 0));
    delete from posthorn.permit as p
     where p.outbox = take_permits.outbox
       and posthorn.key_digest(p.key) = posthorn.key_digest(asked.key) and p.key = asked.key
       and coalesce(p.until, '-infinity') < clock_timestamp()
       and (take_permits.rate is null or p.taken_at < clock_timestamp() - take_permits.per);
    select coalesce(sum(p.taken) filter (where p.until >= clock_timestamp()), 0)::int as under_way,
           coalesce(sum(p.taken) filter (where p.taken_at >= clock_timestamp() - take_permits.per), 0)::int as given,
           -- Of those that still count: one that is older, and under way, says nothing of the rate.
           extract(epoch from min(p.taken_at) filter (where p.taken_at >= clock_timestamp() - take_permits.per)
                                + take_permits.per - clock_timestamp()) * 1000 as next_ms
      into counted
      from posthorn.permit as p
     where p.outbox = take_permits.outbox
       and posthorn.key_digest(p.key) = posthorn.key_digest(asked.key) and p.key = asked.key;
    room := greatest(0, least(
      asked.wanted,
      take_permits.at_once - counted.under_way,
      take_permits.rate - counted.given));
    if room > 0 then
      insert into posthorn.permit (outbox, key, token, taken, until)
      values (take_permits.outbox, asked.key, take_permits.token, room,
              clock_timestamp() + take_permits.lease);
    end if;
    key := asked.key;
    granted := room;
    wait_ms := case when room < asked.wanted and take_permits.rate - counted.given <= room
                    then greatest(counted.next_ms, 0) end;
    return next;
  end loop;
end
$$;

create table posthorn.pause (
  outbox text primary key,
  paused_at timestamptz not null default now(),
  paused_by text not null,
  reason text
);

-- Relay processes. Each has one row and one heartbeat, whatever it has: its buckets are its own until the row
-- is gone or has no `until`. Another relay takes `until` away once it has passed; whoever gets the row's lock
-- first is right. Kept for an hour after that, so that people can see which relays fell silent.
create table posthorn.session (
  id uuid primary key default gen_random_uuid(),
  relay text not null,
  version text,
  outboxes text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  until timestamptz default now() + interval '30 s',
  -- Destinations that the relay does not try at the moment, by outbox:
  -- {"shop.events": [{"destination": "webhook:https://…", "openMs": 1200}]}.
  breakers jsonb not null default '{}',
  -- How fast it works, by outbox: {"shop.events": {"settled": 40, "inFlight": 2, "claimMs": 3, "settleMs": 5}},
  -- and how long its event loop was blocked at the most; both of the last minute.
  pace jsonb not null default '{}',
  lag_ms integer not null default 0
) with (fillfactor = 50);

-- The same by outbox: who runs it, and which breakers are open.
create view posthorn.relay as
  select s.relay, outbox, s.version, s.started_at, s.seen_at,
         coalesce(s.breakers -> outbox, '[]') as breakers,
         coalesce(s.pace -> outbox, '{}') as pace, s.lag_ms
    from posthorn.session as s
   cross join lateral unnest(s.outboxes) as outbox;

-- 4 What happened to messages ------------------------------------------------------------------------

-- Every change of state of every message, written in the transaction that makes it.
create sequence posthorn.transition_id;
create table posthorn.transition (
  id bigint not null default nextval('posthorn.transition_id'),
  outbox text not null,
  message_id text not null,
  -- Whose message it was, where the outbox knows.
  tenant text,
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
-- The order of the audit and of the feed. Ids only grow, so that the insert goes to the last page:
-- measured, a microsecond and 65 bytes of WAL for each transition.
create index transition_order on posthorn.transition (id);
-- Failures and replays; what went well has no code and costs nothing here.
create index transition_code on posthorn.transition (code, id) where code is not null;
-- So that a missed maintenance run never stops a settle.
create table posthorn.transition_default partition of posthorn.transition default;
comment on column posthorn.transition.error is 'personal';
comment on column posthorn.transition.reason is 'personal';
comment on table posthorn.transition is
  'not personal: outbox, message_id, tenant, from_state, to_state, code, actor';

-- What operators did that changed no message's state. Its ids are of one sequence with those of
-- transitions, so that both have one order. An audit: see 8.
create table posthorn.operation (
  id bigint primary key default nextval('posthorn.transition_id'),
  operation text not null,
  outbox text,
  subject text not null,
  tenant text,
  actor text not null,
  reason text,
  at timestamptz not null default clock_timestamp()
);
-- Entries come in order of time: a summary of blocks finds the old ones.
create index operation_age on posthorn.operation using brin (at);

-- Rows that left their table; dropped by the partition when their time is over.
create table posthorn.archive (
  outbox text not null,
  message_id text not null,
  row_data jsonb not null,
  archived_at timestamptz not null default now()
) partition by range (archived_at);
create index archive_message on posthorn.archive (message_id);
create index archive_age on posthorn.archive (outbox, archived_at);
create table posthorn.archive_default partition of posthorn.archive default;
comment on column posthorn.archive.row_data is 'personal';
comment on table posthorn.archive is 'not personal: outbox, message_id';

-- What the handlers of a process have done: the line commits with their effects, so that a message
-- which comes again after a crash is not handled again.
create table posthorn.handled (
  outbox text not null,
  message_id text not null,
  handled_at timestamptz not null default now(),
  primary key (outbox, message_id)
);
create index handled_age on posthorn.handled (handled_at);

-- 5 Alerts and replays -------------------------------------------------------------------------------

-- What a person should look at: one row for each dead or quarantined message.
create table posthorn.alert (
  id bigint generated always as identity primary key,
  source text not null,
  subject text not null,
  tenant text,
  code text not null,
  -- What has happened, by its id: another one is another alert. Null: a state that lasts, and one alert of it.
  occurrence text,
  detail text not null,
  raised_at timestamptz not null default now(),
  -- Since when the cause is over: the message was replayed or cancelled, the saga continues. What has
  -- happened is over once an operator has acknowledged it.
  recovered_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by text
);
create index alert_open on posthorn.alert (id) where acknowledged_at is null and recovered_at is null;
create index alert_subject on posthorn.alert (source, subject);
-- Alerts whose cause persists, by that cause: incidents are made of them.
create index alert_standing on posthorn.alert (source, code) where recovered_at is null;
comment on column posthorn.alert.detail is 'personal';
comment on table posthorn.alert is 'not personal: source, subject, tenant, code, occurrence, acknowledged_by';

-- Replays of more messages than one transaction should take: who, why, which, and how far they are.
-- A batch and its count commit together, so that any process can continue a replay whose own died.
create table posthorn.replay (
  id uuid primary key,
  outbox text not null,
  filter jsonb not null,
  per_second float8,
  -- How many there were when it began, and how many of them it is to take.
  matched bigint not null,
  wanted bigint not null,
  replayed bigint not null default 0,
  -- How many of those it took were dead again when it came by.
  died_again bigint not null default 0,
  state text not null default 'running' check (state in ('running', 'done', 'stopped')),
  actor text not null,
  reason text,
  started_at timestamptz not null default now(),
  next_batch_at timestamptz not null default posthorn.now(),
  ended_at timestamptz
);
create index replay_running on posthorn.replay (next_batch_at) where state = 'running';
create index replay_outbox on posthorn.replay (outbox, started_at desc);

-- What a running replay has taken, to tell what died again; empty once it has ended.
create table posthorn.replayed_message (
  replay_id uuid not null references posthorn.replay (id) on delete cascade,
  message_id text not null,
  primary key (replay_id, message_id)
);

-- 6 Consumers ----------------------------------------------------------------------------------------

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
  on posthorn.consumer_message (topic, group_name, posthorn.id_digest(message_id)) where partition is null;
create index consumer_message_key
  on posthorn.consumer_message (topic, group_name, posthorn.key_digest(key), id);
create index consumer_message_due
  on posthorn.consumer_message (topic, group_name, due_at) where state = 'retry';
create index consumer_message_dead on posthorn.consumer_message (id) where state = 'dead';
comment on column posthorn.consumer_message.payload is 'personal';
comment on column posthorn.consumer_message.headers is 'personal';
comment on column posthorn.consumer_message.body is 'personal';
comment on column posthorn.consumer_message.error is 'personal';
comment on table posthorn.consumer_message is
  'not personal: topic, group_name, message_id, type, key, tenant, traceparent, code';

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

-- 7 Figures for charts -------------------------------------------------------------------------------

-- What each relay did in each minute: `failed` are attempts that were made, `postponed` messages that were claimed
-- and not tried. Counts by name, {"HTTP_503": 12}. Latency is from a message's commit,
-- or from when it was due, to its delivery; bucket n ends at 2^(n/2) milliseconds.
create table posthorn.pulse (
  outbox text not null,
  relay text not null,
  at timestamptz not null,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  postponed bigint not null default 0,
  dead bigint not null default 0,
  lost bigint not null default 0,
  latency jsonb,
  codes jsonb,
  answered jsonb,
  unanswered jsonb,
  primary key (outbox, at, relay)
);

create function posthorn.add_counts(one jsonb, other jsonb) returns jsonb
  language sql immutable parallel safe
  return (
    select jsonb_object_agg(key, n)
      from (select key, sum(value::bigint) as n
              from (select key, value from jsonb_each_text(coalesce(one, '{}'))
                    union all
                    select key, value from jsonb_each_text(coalesce(other, '{}'))) as counted
             group by key) as added);

-- How much waited, once a minute: counted by one of the relays, for charts and for tables too large
-- to be counted at every look. Null where counting took too long.
create table posthorn.sample (
  outbox text not null,
  at timestamptz not null,
  waiting bigint,
  due bigint,
  -- Waiting for another attempt: in an outage nothing is due, and everything waits.
  retrying bigint,
  oldest_due_seconds float8,
  oldest_undelivered_seconds float8,
  primary key (outbox, at)
);

-- What should go next of each part of an outbox and is in no relay's hands, and since when it is the same
-- message: an outbox whose head does not move has stalled.
create table posthorn.watch (
  outbox text not null,
  -- Empty by row; by key a bucket, and where in it.
  part text not null,
  head text not null,
  since timestamptz not null default clock_timestamp(),
  primary key (outbox, part)
);
comment on table posthorn.watch is 'not personal: outbox, part, head';

-- When relays began, with the version that was deployed: charts mark it.
create table posthorn.relay_start (
  at timestamptz not null default date_trunc('minute', now()),
  relay text not null,
  version text,
  primary key (at, relay)
);

-- How far each consumer group was behind, the most of each minute.
create table posthorn.consumer_sample (
  topic text not null,
  group_name text not null,
  at timestamptz not null default date_trunc('minute', now()),
  lag bigint not null,
  primary key (topic, group_name, at)
);

-- 8 Audits and their seals ---------------------------------------------------------------------------

-- Audits: tables to which rows are only added. Shortly after their commit, rows are sealed: a chain
-- of hashes shows whether one was changed, taken away or added later.
create table posthorn.audit_table (
  -- Schema and table.
  name text primary key check (name ~ '^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$'),
  -- A number that grows with every row; ids of transactions that are open may still be missing.
  seq_column text not null,
  -- Hashed as they are.
  public_columns text[] not null,
  -- Hashed as a salted digest that stays when they are erased.
  personal_columns text[] not null,
  -- Everything up to here is sealed, or was rolled back.
  sealed_to bigint not null default -9223372036854775808
);

-- One for each batch of rows; each hash covers the one before it, through all tables.
create table posthorn.audit_seal (
  id bigint primary key,
  audit text not null references posthorn.audit_table (name),
  -- The rows of the table from behind the first to the second number.
  after_seq bigint not null,
  upto_seq bigint not null,
  -- What was hashed then: columns that are added later change nothing.
  public_columns text[] not null,
  personal_columns text[] not null,
  seqs bigint[] not null,
  -- 32 bytes for each row, in the order of their numbers.
  hashes bytea not null,
  previous bytea not null,
  hash bytea not null unique,
  sealed_at timestamptz not null default now(),
  check (after_seq < upto_seq),
  check (octet_length(hashes) = 32 * cardinality(seqs))
);

-- Rows that retention took away, with who and why.
create table posthorn.audit_removal (
  id bigint generated always as identity primary key,
  audit text not null references posthorn.audit_table (name),
  seqs bigint[] not null,
  actor text not null,
  reason text not null,
  removed_at timestamptz not null default now()
);
create index audit_removal_of_audit on posthorn.audit_removal (audit);

-- The digest of a row's personal columns, as SQL on the row t.
create function posthorn.audit_digest_sql(personal text[]) returns text language sql immutable as $$
  select case when cardinality(personal) = 0 then $q$''::bytea$q$ else
    format($q$coalesce(t.erased_digest, sha256(convert_to(
      coalesce(t.audit_salt::text, '') || jsonb_build_array(%s)::text, 'UTF8')))$q$,
      (select string_agg(format('t.%I', name), ', ' order by i)
         from unnest(personal) with ordinality as c (name, i))) end
$$;

-- The hashes of a table's rows from behind one number to another. Times are hashed in UTC.
create function posthorn.audit_hashes(
  audit text, seq_column text, public text[], personal text[], after_seq bigint, upto_seq bigint,
  most integer
) returns table (seq bigint, hash bytea) language plpgsql stable set timezone = 'UTC' as $$
begin
  return query execute format(
    $q$select t.%1$I::bigint, sha256(convert_to(jsonb_build_array(t.%1$I, %2$s)::text, 'UTF8') || %3$s)
         from %4$s as t
        where t.%1$I > $1 and t.%1$I <= $2
        order by t.%1$I
        limit $3$q$,
    seq_column,
    (select string_agg(format('t.%I', name), ', ' order by i)
       from unnest(public) with ordinality as c (name, i)),
    posthorn.audit_digest_sql(personal),
    audit::regclass)
  using after_seq, upto_seq, most;
end $$;

create function posthorn.keep_audit() returns trigger language plpgsql as $$
begin
  if current_setting('posthorn.audit_change', true) = tg_op || ' ' || tg_table_schema || '.' || tg_table_name then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  -- By a foreign key that cascades: it goes with the row that it is about, and that is noted.
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then
    insert into posthorn.audit_removal (audit, seqs, actor, reason)
    select name, array[(to_jsonb(old) ->> seq_column)::bigint], current_user, 'went with its row'
      from posthorn.audit_table
     where name = tg_table_schema || '.' || tg_table_name;
    return old;
  end if;
  raise exception 'rows of the audit %.% are only added: % is refused',
    tg_table_schema, tg_table_name, lower(tg_op)
    using errcode = 'insufficient_privilege',
          hint = 'Retention removes rows by posthorn.remove_audit() and erases persons by posthorn.erase_audit().';
end $$;

-- Makes a table an audit: rows are only added from now on, and sealed. Declares its columns, personal or not.
create function posthorn.register_audit(
  audit text, seq_column text, public text[], personal text[]
) returns void language plpgsql as $$
declare
  personal_column text;
begin
  if cardinality(personal) > 0 then
    -- Without a rewrite: rows that are there already have no salt.
    execute format('alter table %s add column audit_salt uuid, add column erased_digest bytea',
                   audit::regclass);
    execute format('alter table %s alter column audit_salt set default gen_random_uuid()',
                   audit::regclass);
    execute format('comment on column %s.erased_digest is %L', audit::regclass, 'not personal');
  end if;
  foreach personal_column in array personal loop
    execute format('comment on column %s.%I is %L', audit::regclass, personal_column, 'personal');
  end loop;
  execute format('comment on table %s is %L', audit::regclass,
                 'not personal: ' || array_to_string(public, ', '));
  execute format('create trigger audit_kept before update or delete on %s
                  for each row execute function posthorn.keep_audit()', audit::regclass);
  execute format('create trigger audit_kept_whole before truncate on %s
                  for each statement execute function posthorn.keep_audit()', audit::regclass);
  execute format('revoke update, delete, truncate on %s from public', audit::regclass);
  insert into posthorn.audit_table (name, seq_column, public_columns, personal_columns)
  values (audit, seq_column, public, personal);
end $$;

-- Takes sealed rows away, and leaves a note of it that is sealed itself. Returns how many.
create function posthorn.remove_audit(audit text, seqs bigint[], actor text, reason text)
returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  kept posthorn.audit_table;
  removed bigint[];
begin
  select * into strict kept from posthorn.audit_table where name = audit;
  perform set_config('posthorn.audit_change', 'DELETE ' || audit, true);
  execute format('with gone as (delete from %s where %I = any($1) and %2$I <= $2 returning %2$I)
                  select coalesce(array_agg(%2$I order by %2$I), ''{}'') from gone',
                 audit::regclass, kept.seq_column)
     into removed using seqs, kept.sealed_to;
  perform set_config('posthorn.audit_change', '', true);
  if cardinality(removed) > 0 then
    insert into posthorn.audit_removal (audit, seqs, actor, reason)
    values (audit, removed, actor, reason);
    insert into posthorn.operation (operation, subject, actor, reason)
    values ('remove-audit', format('%s: %s rows, %s to %s', audit, cardinality(removed),
                                   removed[1], removed[cardinality(removed)]), actor, reason);
  end if;
  return cardinality(removed);
end $$;

-- Erases the personal columns of rows: their digest stays, so that the seals still hold.
create function posthorn.erase_audit(audit text, seqs bigint[], actor text, reason text)
returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' as $$
declare
  kept posthorn.audit_table;
  erased integer;
begin
  select * into strict kept from posthorn.audit_table where name = audit;
  perform set_config('posthorn.audit_change', 'UPDATE ' || audit, true);
  execute format('update %s as t set erased_digest = %s, audit_salt = null, %s
                   where t.%I = any($1) and t.erased_digest is null',
    audit::regclass,
    posthorn.audit_digest_sql(kept.personal_columns),
    (select string_agg(format('%I = %s', c.name,
              case a.atttypid when 'jsonb'::regtype then $q$'{}'$q$ else $q$'erased'$q$ end), ', ')
       from unnest(kept.personal_columns) as c (name)
       join pg_attribute as a on a.attrelid = audit::regclass and a.attname = c.name),
    kept.seq_column)
  using seqs;
  get diagnostics erased = row_count;
  perform set_config('posthorn.audit_change', '', true);
  if erased > 0 then
    insert into posthorn.operation (operation, subject, actor, reason)
    values ('erase-audit', format('%s: %s rows', audit, erased), actor, reason);
  end if;
  return erased;
end $$;

revoke execute on function
  posthorn.remove_audit(text, bigint[], text, text),
  posthorn.erase_audit(text, bigint[], text, text) from public;

select posthorn.register_audit('posthorn.operation', 'id',
  array['operation', 'outbox', 'subject', 'tenant', 'at'], array['actor', 'reason']);

-- 9 Retention and erasure ----------------------------------------------------------------------------

-- How long a class of data is kept where that is not what the catalogue says: for one organisation,
-- or with an empty tenant for all that have no time set. "Forever" is a thousand years.
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

-- 10 Data keys ---------------------------------------------------------------------------------------

-- Keys that payloads are encrypted with, one or more for each tenant, themselves encrypted by a master
-- key that is never in the database.
create table posthorn.data_key (
  id uuid primary key,
  -- Empty for messages that are no tenant's.
  tenant text not null default '',
  -- Which master key it is wrapped with.
  master text,
  -- Null once it is destroyed: what was encrypted with it cannot be read again, by anyone.
  wrapped bytea,
  created_at timestamptz not null default clock_timestamp(),
  destroyed_at timestamptz,
  destroyed_by text,
  check ((wrapped is null) = (destroyed_at is not null)),
  check ((wrapped is null) = (master is null)),
  check ((destroyed_at is null) = (destroyed_by is null))
);

-- The newest of a tenant encrypts what is written now.
create index data_key_newest on posthorn.data_key (tenant, created_at desc, id desc)
  where wrapped is not null;

-- Which key servers seal secrets of systems with, by a name that says nothing of it: a server that does
-- not have it does not start.
create table posthorn.sealing_key (
  is_only boolean primary key default true check (is_only),
  name text not null
);
comment on table posthorn.sealing_key is 'not personal: name';

-- 11 Sessions of browsers ------------------------------------------------------------------------------

-- Who has logged in at the dashboard. A browser has the secret in a cookie that no script can read; here is its
-- digest alone. A row that is gone lets nobody in.
create table posthorn.login (
  digest bytea primary key,
  sub text not null,
  org text not null,
  role text not null,
  logged_in_at timestamptz not null default now(),
  -- When the token would have ended that was given for it, or before.
  expires_at timestamptz not null
);
create index login_user on posthorn.login (org, sub);
create index login_expiry on posthorn.login (expires_at);
comment on table posthorn.login is 'not personal: sub, org, role';
