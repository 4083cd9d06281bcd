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

create schema families;

CREATE OR REPLACE FUNCTION families.touch_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := now();
  if new.status <> 0 then
    new.payload := new.payload - 'token';
  end if;
  return new;
end
$function$;

create table families.consumer_inbox (
  consumer text not null,
  event_id uuid not null,
  received_at timestamp with time zone not null default now(),
  constraint consumer_inbox_pkey PRIMARY KEY (event_id, consumer)
);
CREATE INDEX consumer_inbox_others ON families.consumer_inbox USING btree (received_at) WHERE (NOT (((get_byte(uuid_send(event_id), 6) >> 4) = 7) AND ((get_byte(uuid_send(event_id), 8) >> 6) = 2)));

create table families.families (
  id uuid not null,
  org_id text not null,
  name text not null,
  version integer not null,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint families_pkey PRIMARY KEY (id),
  constraint families_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint families_version_check CHECK ((version > 0))
);

create table families.family_member_invitations (
  id uuid not null,
  family_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  status text not null default 'PENDING'::text,
  expires_at timestamp with time zone not null,
  invited_by text not null,
  accepted_by text,
  version integer not null,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint family_member_invitations_pkey PRIMARY KEY (id),
  constraint family_member_invitations_token_hash_key UNIQUE (token_hash),
  constraint family_member_invitations_check CHECK (((status = 'ACCEPTED'::text) = (accepted_by IS NOT NULL))),
  constraint family_member_invitations_email_check CHECK ((length(email) <= 254)),
  constraint family_member_invitations_role_check CHECK ((role = ANY (ARRAY['ADMIN'::text, 'MEMBER'::text]))),
  constraint family_member_invitations_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'ACCEPTED'::text, 'REVOKED'::text, 'EXPIRED'::text]))),
  constraint family_member_invitations_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint family_member_invitations_version_check CHECK ((version > 0))
);
CREATE INDEX family_member_invitations_family ON families.family_member_invitations USING btree (family_id, created_at);
CREATE UNIQUE INDEX family_member_invitations_open ON families.family_member_invitations USING btree (family_id, lower(email)) WHERE (status = 'PENDING'::text);

create table families.family_members (
  family_id uuid not null,
  user_id text not null,
  role text not null,
  email text,
  joined_at timestamp with time zone not null default posthorn.now(),
  constraint family_members_pkey PRIMARY KEY (family_id, user_id),
  constraint family_members_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'MEMBER'::text])))
);
CREATE UNIQUE INDEX family_members_address ON families.family_members USING btree (family_id, lower(email));
CREATE UNIQUE INDEX family_members_owner ON families.family_members USING btree (family_id) WHERE (role = 'OWNER'::text);

create table families.outbox_events (
  event_id uuid not null,
  event_type character varying(255) not null,
  event_version integer not null default 1,
  aggregate_type character varying(255) not null,
  aggregate_id uuid not null,
  payload jsonb not null,
  processed_at timestamp with time zone,
  status integer not null default 0,
  retry_count integer not null default 0,
  error_message text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  org_id text not null,
  next_attempt_at timestamp with time zone not null default posthorn.now(),
  traceparent text,
  finished_at timestamp with time zone,
  lost_claims smallint not null default 0,
  quarantined_at timestamp with time zone,
  seq bigint not null generated always as identity,
  bucket smallint not null generated always as (posthorn.bucket_of((aggregate_id)::text)) stored,
  held boolean not null default false,
  constraint outbox_events_pkey PRIMARY KEY (event_id),
  constraint outbox_events_check CHECK (((status = 1) = (processed_at IS NOT NULL))),
  constraint outbox_events_check1 CHECK (((status = 0) = (finished_at IS NULL))),
  constraint outbox_events_status_check CHECK ((status = ANY (ARRAY[0, 1, 2])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX ix_outbox_events_created_at ON families.outbox_events USING btree (created_at);
CREATE INDEX ix_outbox_events_status_created_at ON families.outbox_events USING btree (status, created_at);
CREATE INDEX outbox_events_finished ON families.outbox_events USING btree (finished_at) WHERE (status = ANY (ARRAY[1, 2]));
CREATE INDEX outbox_events_flow ON families.outbox_events USING btree (bucket, seq) WHERE ((status = 0) AND (quarantined_at IS NULL) AND (NOT held));
CREATE INDEX outbox_events_held ON families.outbox_events USING btree (((aggregate_id)::text), seq) WHERE (held AND (status = 0) AND (quarantined_at IS NULL));
CREATE INDEX outbox_events_quarantined ON families.outbox_events USING btree (event_id) WHERE (quarantined_at IS NOT NULL);
CREATE TRIGGER outbox_events_touched BEFORE UPDATE ON families.outbox_events FOR EACH ROW EXECUTE FUNCTION families.touch_event();

alter table families.family_member_invitations add constraint family_member_invitations_family_id_fkey FOREIGN KEY (family_id) REFERENCES families.families(id);
alter table families.family_members add constraint family_members_family_id_fkey FOREIGN KEY (family_id) REFERENCES families.families(id);
