-- The schema after all migrations: the engine, the Postgres topics and every installed system.
-- Written by `node scripts/schema.mjs`; a change belongs into a migration.

create schema posthorn;

create sequence posthorn.transition_id;

CREATE OR REPLACE FUNCTION posthorn.bucket_of(key text)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((hashtextextended(key, (0)::bigint) & (63)::bigint))::smallint;

CREATE OR REPLACE FUNCTION posthorn.now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN statement_timestamp();

create table posthorn.alert (
  id bigint not null generated always as identity,
  source text not null,
  subject text not null,
  tenant text,
  code text not null,
  detail text not null,
  raised_at timestamp with time zone not null default now(),
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  recovered_at timestamp with time zone,
  constraint alert_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_open ON posthorn.alert USING btree (id) WHERE ((acknowledged_at IS NULL) AND (recovered_at IS NULL));
CREATE INDEX alert_subject ON posthorn.alert USING btree (source, subject);

create table posthorn.archive (
  outbox text not null,
  message_id text not null,
  row_data jsonb not null,
  archived_at timestamp with time zone not null default now()
) partition by range (archived_at);
CREATE INDEX archive_age ON posthorn.archive USING btree (outbox, archived_at);
CREATE INDEX archive_message ON posthorn.archive USING btree (message_id);

create table posthorn.archive_default partition of posthorn.archive default;

create table posthorn.bucket (
  outbox text not null,
  bucket smallint not null,
  token uuid,
  relay text,
  until timestamp with time zone,
  run_upto bigint,
  run_size integer,
  run_key text,
  floor bigint not null default 0,
  constraint bucket_pkey PRIMARY KEY (outbox, bucket),
  constraint bucket_bucket_check CHECK (((bucket >= 0) AND (bucket <= 63)))
) with (fillfactor=25, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

create table posthorn.clock (
  only_row boolean not null default true,
  ahead interval not null default '00:00:00'::interval,
  movable boolean not null default false,
  constraint clock_pkey PRIMARY KEY (only_row),
  constraint clock_only_row_check CHECK (only_row)
);

create table posthorn.held_key (
  outbox text not null,
  key text not null,
  bucket smallint not null,
  due_at timestamp with time zone,
  tail text not null default 'wait'::text,
  held_by text not null,
  version bigint not null default 1,
  held_at timestamp with time zone not null default now(),
  constraint held_key_pkey PRIMARY KEY (outbox, key),
  constraint held_key_tail_check CHECK ((tail = ANY (ARRAY['wait'::text, 'park'::text])))
);
CREATE INDEX held_key_due ON posthorn.held_key USING btree (outbox, bucket, due_at) WHERE (due_at IS NOT NULL);

create table posthorn.migration (
  set_name text not null,
  id text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migration_pkey PRIMARY KEY (set_name, id)
);

create table posthorn.operation (
  id bigint not null default nextval('posthorn.transition_id'::regclass),
  operation text not null,
  outbox text,
  subject text not null,
  tenant text,
  actor text not null,
  reason text,
  at timestamp with time zone not null default clock_timestamp(),
  constraint operation_pkey PRIMARY KEY (id)
);

create table posthorn.pause (
  outbox text not null,
  paused_at timestamp with time zone not null default now(),
  paused_by text not null,
  reason text,
  constraint pause_pkey PRIMARY KEY (outbox)
);

create table posthorn.pulse (
  outbox text not null,
  relay text not null,
  at timestamp with time zone not null,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  dead bigint not null default 0,
  lost bigint not null default 0,
  constraint pulse_pkey PRIMARY KEY (outbox, at, relay)
);

create table posthorn.relay (
  relay text not null,
  outbox text not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  constraint relay_pkey PRIMARY KEY (relay, outbox)
) with (fillfactor=50);

create table posthorn.topic (
  name text not null,
  partitions integer not null,
  created_at timestamp with time zone not null default now(),
  constraint topic_pkey PRIMARY KEY (name),
  constraint topic_partitions_check CHECK (((partitions >= 1) AND (partitions <= 1000)))
);

create table posthorn.topic_group_member (
  topic text not null,
  group_name text not null,
  member uuid not null,
  until timestamp with time zone not null,
  constraint topic_group_member_pkey PRIMARY KEY (topic, group_name, member)
);

create table posthorn.topic_group_partition (
  topic text not null,
  group_name text not null,
  partition integer not null,
  committed_offset bigint not null default 0,
  member uuid,
  token bigint not null default 0,
  until timestamp with time zone,
  constraint topic_group_partition_pkey PRIMARY KEY (topic, group_name, partition),
  constraint topic_group_partition_check CHECK (((member IS NULL) = (until IS NULL))),
  constraint topic_group_partition_committed_offset_check CHECK ((committed_offset >= 0))
) with (fillfactor=50);

create table posthorn.topic_message (
  topic text not null,
  partition integer not null,
  log_offset bigint not null,
  id text not null,
  type text not null,
  version integer not null,
  key text,
  tenant text,
  occurred_at timestamp with time zone not null,
  traceparent text,
  headers json not null,
  payload json not null,
  appended_at timestamp with time zone not null default now(),
  constraint topic_message_pkey PRIMARY KEY (topic, partition, log_offset),
  constraint topic_message_headers_check CHECK ((json_typeof(headers) = 'object'::text)),
  constraint topic_message_occurred_at_check CHECK (isfinite(occurred_at))
);

create table posthorn.topic_partition (
  topic text not null,
  partition integer not null,
  next_offset bigint not null default 0,
  constraint topic_partition_pkey PRIMARY KEY (topic, partition),
  constraint topic_partition_next_offset_check CHECK ((next_offset >= 0)),
  constraint topic_partition_partition_check CHECK ((partition >= 0))
) with (fillfactor=50);

create table posthorn.transition (
  id bigint not null default nextval('posthorn.transition_id'::regclass),
  outbox text not null,
  message_id text not null,
  from_state text,
  to_state text not null,
  attempt integer,
  code text,
  error text,
  actor text not null,
  reason text,
  at timestamp with time zone not null default clock_timestamp(),
  tenant text
) partition by range (at);
CREATE INDEX transition_code ON posthorn.transition USING btree (code, id) WHERE (code IS NOT NULL);
CREATE INDEX transition_message ON posthorn.transition USING btree (message_id, id);
CREATE INDEX transition_order ON posthorn.transition USING btree (id);

create table posthorn.transition_default partition of posthorn.transition default;

alter table posthorn.topic_group_member add constraint topic_group_member_topic_fkey FOREIGN KEY (topic) REFERENCES posthorn.topic(name);
alter table posthorn.topic_group_partition add constraint topic_group_partition_topic_partition_fkey FOREIGN KEY (topic, partition) REFERENCES posthorn.topic_partition(topic, partition);
alter table posthorn.topic_partition add constraint topic_partition_topic_fkey FOREIGN KEY (topic) REFERENCES posthorn.topic(name);

create schema example;

create table example.greeted (
  name text not null,
  times bigint not null default 0,
  constraint greeted_pkey PRIMARY KEY (name)
);

create table example.greeting (
  id uuid not null,
  name text not null,
  status text not null default 'waiting'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default posthorn.now(),
  error text,
  created_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  org_id text not null default 'demo'::text,
  traceparent text,
  constraint greeting_pkey PRIMARY KEY (id),
  constraint greeting_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint greeting_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'sent'::text, 'dead'::text])))
) with (fillfactor=80);
CREATE INDEX greeting_dead ON example.greeting USING btree (created_at) WHERE (status = 'dead'::text);
CREATE INDEX greeting_due ON example.greeting USING btree (due_at, id) WHERE (status = 'waiting'::text);
CREATE INDEX greeting_suspect ON example.greeting USING btree (due_at, id) WHERE ((status = 'waiting'::text) AND (lost_claims > 0));

create table example.inbox (
  consumer text not null,
  event_id uuid not null,
  received_at timestamp with time zone not null default now(),
  constraint inbox_pkey PRIMARY KEY (event_id, consumer)
);
