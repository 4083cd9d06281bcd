-- The schema after all migrations: the engine, the Postgres topics and every installed system.
-- Written by `node scripts/schema.mjs`; a change belongs into a migration.

create schema posthorn;

create sequence posthorn.transition_id;

CREATE OR REPLACE FUNCTION posthorn.add_counts(one jsonb, other jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_object_agg(added.key, added.n) AS jsonb_object_agg FROM (SELECT counted.key, sum((counted.value)::bigint) AS n FROM (SELECT jsonb_each_text.key, jsonb_each_text.value FROM jsonb_each_text(COALESCE(add_counts.one, '{}'::jsonb)) jsonb_each_text(key, value) UNION ALL SELECT jsonb_each_text.key, jsonb_each_text.value FROM jsonb_each_text(COALESCE(add_counts.other, '{}'::jsonb)) jsonb_each_text(key, value)) counted GROUP BY counted.key) added);

CREATE OR REPLACE FUNCTION posthorn.audit_digest_sql(personal text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when cardinality(personal) = 0 then $q$''::bytea$q$ else
    format($q$coalesce(t.erased_digest, sha256(convert_to(
      coalesce(t.audit_salt::text, '') || jsonb_build_array(%s)::text, 'UTF8')))$q$,
      (select string_agg(format('t.%I', name), ', ' order by i)
         from unnest(personal) with ordinality as c (name, i))) end
$function$;

CREATE OR REPLACE FUNCTION posthorn.audit_hashes(audit text, seq_column text, public text[], personal text[], after_seq bigint, upto_seq bigint, most integer)
 RETURNS TABLE(seq bigint, hash bytea)
 LANGUAGE plpgsql
 STABLE
 SET "TimeZone" TO 'UTC'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION posthorn.bucket_of(key text)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(key) > 1024) THEN posthorn.refuse_key(key) ELSE ((hashtextextended(key, (0)::bigint) & (63)::bigint))::smallint END;

CREATE OR REPLACE FUNCTION posthorn.enqueue(outbox text, type text, payload jsonb, key text DEFAULT NULL::text, tenant text DEFAULT NULL::text, headers jsonb DEFAULT NULL::jsonb, dedupe text DEFAULT NULL::text, delay interval DEFAULT '00:00:00'::interval, serialise boolean DEFAULT NULL::boolean, priority integer DEFAULT NULL::integer, traceparent text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION posthorn.erase_audit(audit text, seqs bigint[], actor text, reason text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION posthorn.erase_bytes(value bytea, pattern text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN decode(posthorn.erase_text(encode(value, 'escape'::text), pattern), 'escape'::text);

CREATE OR REPLACE FUNCTION posthorn.erase_json(value jsonb, pattern text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION posthorn.erase_text(value text, pattern text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(value, pattern, '[erased]'::text, 'gi'::text);

CREATE OR REPLACE FUNCTION posthorn.id_digest(id text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN sha256(convert_to(id, 'UTF8'::name));

CREATE OR REPLACE FUNCTION posthorn.keep_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION posthorn.key_digest(key text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((key COLLATE "C"), (0)::bigint);

CREATE OR REPLACE FUNCTION posthorn.log_cluster()
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN (SELECT pg_control_system.system_identifier FROM pg_control_system() pg_control_system(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified));

CREATE OR REPLACE FUNCTION posthorn.log_gone(b posthorn.bucket, xid xid8, seq bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((seq <= (b).log_since) OR (((b).log_seen IS NOT NULL) AND (seq <= (b).log_seen_seq) AND pg_visible_in_snapshot(xid, (b).log_seen)) OR (((b).log_tick IS NOT NULL) AND (seq <= (b).log_done) AND pg_visible_in_snapshot(xid, (b).log_tick)));

CREATE OR REPLACE FUNCTION posthorn.log_late(seen pg_snapshot, seen_by xid8)
 RETURNS xid8[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ARRAY(SELECT pg_snapshot_xip(log_late.seen) AS pg_snapshot_xip UNION ALL SELECT ((n.n)::text)::xid8 AS n FROM generate_series(((pg_snapshot_xmax(log_late.seen))::text)::bigint, ((log_late.seen_by)::text)::bigint) n(n));

CREATE OR REPLACE FUNCTION posthorn.make_bucket_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.bucket ' || new.outbox, 0));
  if exists (select from posthorn.bucket where outbox = new.outbox and bucket = new.bucket) then
    return null;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION posthorn.new_id()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send((floor((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric)))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE OR REPLACE FUNCTION posthorn.now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN statement_timestamp();

CREATE OR REPLACE FUNCTION posthorn.redirect_message()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION posthorn.refuse_key(key text)
 RETURNS smallint
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  raise exception 'the key of a message has % bytes; the limit is 1,024', octet_length(key)
    using errcode = 'string_data_right_truncation', hint = 'Use a digest of it as the key.';
end
$function$;

CREATE OR REPLACE FUNCTION posthorn.register_audit(audit text, seq_column text, public text[], personal text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION posthorn.remove_audit(audit text, seqs bigint[], actor text, reason text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION posthorn.take_permits(outbox text, keys text[], wanted integer[], at_once integer, rate integer, per interval, token uuid, lease interval)
 RETURNS TABLE(key text, granted integer, wait_ms double precision)
 LANGUAGE plpgsql
AS $function$
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
$function$;

create table posthorn.alert (
  id bigint not null generated always as identity,
  source text not null,
  subject text not null,
  tenant text,
  code text not null,
  occurrence text,
  detail text not null,
  raised_at timestamp with time zone not null default now(),
  recovered_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  constraint alert_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_open ON posthorn.alert USING btree (id) WHERE ((acknowledged_at IS NULL) AND (recovered_at IS NULL));
CREATE INDEX alert_standing ON posthorn.alert USING btree (source, code) WHERE (recovered_at IS NULL);
CREATE INDEX alert_subject ON posthorn.alert USING btree (source, subject);
comment on column posthorn.alert.detail is 'personal';
comment on table posthorn.alert is 'not personal: source, subject, tenant, code, occurrence, acknowledged_by';

create table posthorn.archive (
  outbox text not null,
  message_id text not null,
  row_data jsonb not null,
  archived_at timestamp with time zone not null default now()
) partition by range (archived_at);
CREATE INDEX archive_age ON posthorn.archive USING btree (outbox, archived_at);
CREATE INDEX archive_message ON posthorn.archive USING btree (message_id);
CREATE INDEX archive_saga ON posthorn.archive USING btree (((row_data ->> 'saga_id'::text))) WHERE (outbox = 'sagas.events'::text);
comment on column posthorn.archive.row_data is 'personal';
comment on table posthorn.archive is 'not personal: outbox, message_id';

create table posthorn.archive_default partition of posthorn.archive default;

create table posthorn.audit_removal (
  id bigint not null generated always as identity,
  audit text not null,
  seqs bigint[] not null,
  actor text not null,
  reason text not null,
  removed_at timestamp with time zone not null default now(),
  constraint audit_removal_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_removal_of_audit ON posthorn.audit_removal USING btree (audit);

create table posthorn.audit_seal (
  id bigint not null,
  audit text not null,
  after_seq bigint not null,
  upto_seq bigint not null,
  public_columns text[] not null,
  personal_columns text[] not null,
  seqs bigint[] not null,
  hashes bytea not null,
  previous bytea not null,
  hash bytea not null,
  sealed_at timestamp with time zone not null default now(),
  constraint audit_seal_pkey PRIMARY KEY (id),
  constraint audit_seal_hash_key UNIQUE (hash),
  constraint audit_seal_check CHECK ((after_seq < upto_seq)),
  constraint audit_seal_check1 CHECK ((octet_length(hashes) = (32 * cardinality(seqs))))
);

create table posthorn.audit_table (
  name text not null,
  seq_column text not null,
  public_columns text[] not null,
  personal_columns text[] not null,
  sealed_to bigint not null default '-9223372036854775808'::bigint,
  constraint audit_table_pkey PRIMARY KEY (name),
  constraint audit_table_name_check CHECK ((name ~ '^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$'::text))
);

create table posthorn.bucket (
  outbox text not null,
  bucket smallint not null,
  token uuid,
  session uuid,
  run bigint not null default 0,
  run_upto bigint,
  run_size integer,
  run_keys text[],
  run_uptos bigint[],
  floor bigint not null default 0,
  log_seen pg_snapshot,
  log_seen_by xid8 not null default '0'::xid8,
  log_seen_seq bigint not null default 0,
  log_tick pg_snapshot,
  log_tick_by xid8,
  log_tick_seq bigint,
  log_done bigint not null default 0,
  log_upto bigint,
  log_cluster bigint,
  log_since bigint not null default 0,
  constraint bucket_bucket_check CHECK (((bucket >= 0) AND (bucket <= 63)))
) with (fillfactor=10, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE UNIQUE INDEX bucket_run ON posthorn.bucket USING btree (bucket, outbox, run);
CREATE TRIGGER once BEFORE INSERT ON posthorn.bucket FOR EACH ROW EXECUTE FUNCTION posthorn.make_bucket_once();

create table posthorn.clock (
  only_row boolean not null default true,
  ahead interval not null default '00:00:00'::interval,
  movable boolean not null default false,
  constraint clock_pkey PRIMARY KEY (only_row),
  constraint clock_only_row_check CHECK (only_row)
);

create table posthorn.consumer_lag (
  topic text not null,
  group_name text not null,
  transport text not null,
  lag bigint not null,
  sampled_at timestamp with time zone not null default now(),
  constraint consumer_lag_pkey PRIMARY KEY (topic, group_name)
) with (fillfactor=50);

create table posthorn.consumer_message (
  id bigint not null generated always as identity,
  topic text not null,
  group_name text not null,
  state text not null,
  partition integer,
  log_offset bigint,
  message_id text not null,
  type text,
  version integer,
  key text,
  tenant text,
  occurred_at timestamp with time zone,
  traceparent text,
  headers json not null,
  payload json,
  body bytea,
  attempts integer not null default 0,
  lost integer not null default 0,
  code text,
  error text,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  died_at timestamp with time zone,
  token uuid,
  claimed_until timestamp with time zone,
  constraint consumer_message_pkey PRIMARY KEY (id),
  constraint consumer_message_attempts_check CHECK ((attempts >= 0)),
  constraint consumer_message_check CHECK (((payload IS NULL) <> (body IS NULL))),
  constraint consumer_message_check1 CHECK (((partition IS NULL) = (log_offset IS NULL))),
  constraint consumer_message_check2 CHECK (((state = 'dead'::text) = (died_at IS NOT NULL))),
  constraint consumer_message_check3 CHECK (((token IS NULL) = (claimed_until IS NULL))),
  constraint consumer_message_lost_check CHECK ((lost >= 0)),
  constraint consumer_message_state_check CHECK ((state = ANY (ARRAY['retry'::text, 'parked'::text, 'dead'::text])))
);
CREATE INDEX consumer_message_dead ON posthorn.consumer_message USING btree (id) WHERE (state = 'dead'::text);
CREATE INDEX consumer_message_due ON posthorn.consumer_message USING btree (topic, group_name, due_at) WHERE (state = 'retry'::text);
CREATE UNIQUE INDEX consumer_message_id ON posthorn.consumer_message USING btree (topic, group_name, posthorn.id_digest(message_id)) WHERE (partition IS NULL);
CREATE INDEX consumer_message_key ON posthorn.consumer_message USING btree (topic, group_name, posthorn.key_digest(key), id);
CREATE UNIQUE INDEX consumer_message_position ON posthorn.consumer_message USING btree (topic, group_name, partition, log_offset) WHERE (partition IS NOT NULL);
comment on column posthorn.consumer_message.headers is 'personal';
comment on column posthorn.consumer_message.payload is 'personal';
comment on column posthorn.consumer_message.body is 'personal';
comment on column posthorn.consumer_message.error is 'personal';
comment on table posthorn.consumer_message is 'not personal: topic, group_name, message_id, type, key, tenant, traceparent, code';

create table posthorn.consumer_note (
  topic text not null,
  group_name text not null,
  place text not null,
  owner uuid not null,
  upto bigint,
  lost integer not null default 0,
  noted_at timestamp with time zone not null default now(),
  constraint consumer_note_pkey PRIMARY KEY (topic, group_name, place)
) with (fillfactor=50);

create table posthorn.consumer_sample (
  topic text not null,
  group_name text not null,
  at timestamp with time zone not null default date_trunc('minute'::text, now()),
  lag bigint not null,
  constraint consumer_sample_pkey PRIMARY KEY (topic, group_name, at)
);

create table posthorn.data_key (
  id uuid not null,
  tenant text not null default ''::text,
  master text,
  wrapped bytea,
  created_at timestamp with time zone not null default clock_timestamp(),
  destroyed_at timestamp with time zone,
  destroyed_by text,
  constraint data_key_pkey PRIMARY KEY (id),
  constraint data_key_check CHECK (((wrapped IS NULL) = (destroyed_at IS NOT NULL))),
  constraint data_key_check1 CHECK (((wrapped IS NULL) = (master IS NULL))),
  constraint data_key_check2 CHECK (((destroyed_at IS NULL) = (destroyed_by IS NULL)))
);
CREATE INDEX data_key_newest ON posthorn.data_key USING btree (tenant, created_at DESC, id DESC) WHERE (wrapped IS NOT NULL);

create table posthorn.erasure (
  id uuid not null,
  tenant text not null,
  subject_kind text not null,
  subject_digest text not null,
  sealed_subject text,
  status text not null default 'running'::text,
  reason text,
  requested_by text not null,
  requested_at timestamp with time zone not null default now(),
  next_pass_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  table_no integer not null default 0,
  after_key text[],
  looked_at bigint not null default 0,
  erased bigint not null default 0,
  in_flight bigint not null default 0,
  held bigint not null default 0,
  constraint erasure_pkey PRIMARY KEY (id),
  constraint erasure_check CHECK (((status = 'done'::text) = (finished_at IS NOT NULL))),
  constraint erasure_check1 CHECK (((status = 'done'::text) = (sealed_subject IS NULL))),
  constraint erasure_status_check CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'done'::text]))),
  constraint erasure_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['email'::text, 'phone'::text, 'externalId'::text, 'dossierId'::text])))
);
CREATE INDEX erasure_due ON posthorn.erasure USING btree (next_pass_at) WHERE (status <> 'done'::text);
CREATE INDEX erasure_listed ON posthorn.erasure USING btree (tenant, id);
CREATE UNIQUE INDEX erasure_open ON posthorn.erasure USING btree (tenant, subject_kind, subject_digest) WHERE (status <> 'done'::text);

create table posthorn.handled (
  outbox text not null,
  message_id text not null,
  handled_at timestamp with time zone not null default now(),
  constraint handled_pkey PRIMARY KEY (outbox, message_id)
);
CREATE INDEX handled_age ON posthorn.handled USING btree (handled_at);

create table posthorn.held_key (
  outbox text not null,
  key text not null,
  bucket smallint not null,
  due_at timestamp with time zone,
  tail text not null default 'wait'::text,
  held_by text not null,
  blocked_by text[] not null default '{}'::text[],
  suspect boolean not null default false,
  version bigint not null default 1,
  held_at timestamp with time zone not null default now(),
  constraint held_key_pkey PRIMARY KEY (outbox, key),
  constraint held_key_tail_check CHECK ((tail = ANY (ARRAY['wait'::text, 'park'::text])))
);
CREATE INDEX held_key_due ON posthorn.held_key USING btree (outbox, bucket, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX held_key_suspect ON posthorn.held_key USING btree (outbox, bucket, due_at) WHERE (suspect AND (due_at IS NOT NULL));

create table posthorn.legal_hold (
  id uuid not null,
  tenant text not null,
  kind text not null,
  subject text,
  reason text not null,
  placed_by text not null,
  placed_at timestamp with time zone not null default now(),
  released_by text,
  released_at timestamp with time zone,
  release_reason text,
  constraint legal_hold_pkey PRIMARY KEY (id),
  constraint legal_hold_check CHECK (((kind = 'organisation'::text) = (subject IS NULL))),
  constraint legal_hold_check1 CHECK (((released_at IS NULL) = (released_by IS NULL)))
);
CREATE INDEX legal_hold_listed ON posthorn.legal_hold USING btree (tenant, id);
CREATE UNIQUE INDEX legal_hold_open ON posthorn.legal_hold USING btree (tenant, kind, COALESCE(subject, ''::text)) WHERE (released_at IS NULL);

create table posthorn.login (
  digest bytea not null,
  sub text not null,
  org text not null,
  role text not null,
  logged_in_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint login_pkey PRIMARY KEY (digest)
);
CREATE INDEX login_expiry ON posthorn.login USING btree (expires_at);
CREATE INDEX login_user ON posthorn.login USING btree (org, sub);
comment on table posthorn.login is 'not personal: sub, org, role';

create table posthorn.migration (
  set_name text not null,
  id text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  breaking boolean not null default false,
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
  audit_salt uuid default gen_random_uuid(),
  erased_digest bytea,
  constraint operation_pkey PRIMARY KEY (id)
);
CREATE INDEX operation_age ON posthorn.operation USING brin (at);
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON posthorn.operation FOR EACH ROW EXECUTE FUNCTION posthorn.keep_audit();
CREATE TRIGGER audit_kept_whole BEFORE TRUNCATE ON posthorn.operation FOR EACH STATEMENT EXECUTE FUNCTION posthorn.keep_audit();
comment on column posthorn.operation.actor is 'personal';
comment on column posthorn.operation.reason is 'personal';
comment on column posthorn.operation.erased_digest is 'not personal';
comment on table posthorn.operation is 'not personal: operation, outbox, subject, tenant, at';

create table posthorn.outbox (
  name text not null,
  table_name text not null,
  log_name text,
  storage text not null,
  serialise boolean,
  since timestamp with time zone not null default now(),
  constraint outbox_pkey PRIMARY KEY (name),
  constraint outbox_storage_check CHECK ((storage = ANY (ARRAY['row'::text, 'key'::text, 'log'::text])))
);

create table posthorn.pause (
  outbox text not null,
  paused_at timestamp with time zone not null default now(),
  paused_by text not null,
  reason text,
  constraint pause_pkey PRIMARY KEY (outbox)
);

create table posthorn.permit (
  outbox text not null,
  key text not null,
  token uuid not null,
  taken integer not null,
  taken_at timestamp with time zone not null default clock_timestamp(),
  until timestamp with time zone
);
CREATE INDEX permit_key ON posthorn.permit USING btree (outbox, posthorn.key_digest(key));

create table posthorn.pulse (
  outbox text not null,
  relay text not null,
  at timestamp with time zone not null,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  postponed bigint not null default 0,
  dead bigint not null default 0,
  lost bigint not null default 0,
  latency jsonb,
  codes jsonb,
  answered jsonb,
  unanswered jsonb,
  constraint pulse_pkey PRIMARY KEY (outbox, at, relay)
);

create table posthorn.recurring (
  outbox text not null,
  name text not null,
  rule text not null,
  missed text,
  next_at timestamp with time zone,
  last_at timestamp with time zone,
  last_message text,
  enqueued bigint not null default 0,
  error text,
  paused_at timestamp with time zone,
  paused_by text,
  pause_reason text,
  run_at timestamp with time zone,
  run_by text,
  seen_at timestamp with time zone not null default now(),
  constraint recurring_pkey PRIMARY KEY (outbox, name)
);

create table posthorn.relay_start (
  at timestamp with time zone not null default date_trunc('minute'::text, now()),
  relay text not null,
  version text,
  constraint relay_start_pkey PRIMARY KEY (at, relay)
);

create table posthorn.replay (
  id uuid not null,
  outbox text not null,
  filter jsonb not null,
  per_second double precision,
  matched bigint not null,
  wanted bigint not null,
  replayed bigint not null default 0,
  died_again bigint not null default 0,
  state text not null default 'running'::text,
  actor text not null,
  reason text,
  started_at timestamp with time zone not null default now(),
  next_batch_at timestamp with time zone not null default posthorn.now(),
  ended_at timestamp with time zone,
  constraint replay_pkey PRIMARY KEY (id),
  constraint replay_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'stopped'::text])))
);
CREATE INDEX replay_outbox ON posthorn.replay USING btree (outbox, started_at DESC);
CREATE INDEX replay_running ON posthorn.replay USING btree (next_batch_at) WHERE (state = 'running'::text);

create table posthorn.replayed_message (
  replay_id uuid not null,
  message_id text not null,
  constraint replayed_message_pkey PRIMARY KEY (replay_id, message_id)
);

create table posthorn.retention (
  class text not null,
  tenant text not null default ''::text,
  keep interval not null,
  set_by text not null,
  set_at timestamp with time zone not null default now(),
  constraint retention_pkey PRIMARY KEY (class, tenant),
  constraint retention_keep_check CHECK ((keep >= '00:00:00'::interval))
);

create table posthorn.retention_run (
  class text not null,
  started_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  complete_at timestamp with time zone,
  removed bigint not null default 0,
  last_removed bigint not null default 0,
  oldest_at timestamp with time zone,
  error text,
  constraint retention_run_pkey PRIMARY KEY (class)
);

create table posthorn.sample (
  outbox text not null,
  at timestamp with time zone not null,
  waiting bigint,
  due bigint,
  retrying bigint,
  oldest_due_seconds double precision,
  oldest_undelivered_seconds double precision,
  constraint sample_pkey PRIMARY KEY (outbox, at)
);

create table posthorn.sealing_key (
  is_only boolean not null default true,
  name text not null,
  constraint sealing_key_pkey PRIMARY KEY (is_only),
  constraint sealing_key_is_only_check CHECK (is_only)
);
comment on table posthorn.sealing_key is 'not personal: name';

create table posthorn.session (
  id uuid not null default gen_random_uuid(),
  relay text not null,
  version text,
  outboxes text[] not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  until timestamp with time zone default (now() + '00:00:30'::interval),
  breakers jsonb not null default '{}'::jsonb,
  pace jsonb not null default '{}'::jsonb,
  lag_ms integer not null default 0,
  constraint session_pkey PRIMARY KEY (id)
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
  reader uuid not null,
  constraint topic_group_member_pkey PRIMARY KEY (topic, group_name, member)
);

create table posthorn.topic_group_partition (
  topic text not null,
  group_name text not null,
  partition integer not null,
  committed_offset bigint not null default 0,
  member uuid,
  token bigint not null default 0,
  constraint topic_group_partition_pkey PRIMARY KEY (topic, group_name, partition),
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
comment on column posthorn.topic_message.headers is 'personal';
comment on column posthorn.topic_message.payload is 'personal';
comment on table posthorn.topic_message is 'not personal: topic, id, type, key, tenant, traceparent';

create table posthorn.topic_partition (
  topic text not null,
  partition integer not null,
  next_offset bigint not null default 0,
  constraint topic_partition_pkey PRIMARY KEY (topic, partition),
  constraint topic_partition_next_offset_check CHECK ((next_offset >= 0)),
  constraint topic_partition_partition_check CHECK ((partition >= 0))
) with (fillfactor=50);

create table posthorn.topic_reader (
  id uuid not null,
  until timestamp with time zone not null,
  constraint topic_reader_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table posthorn.transition (
  id bigint not null default nextval('posthorn.transition_id'::regclass),
  outbox text not null,
  message_id text not null,
  tenant text,
  from_state text,
  to_state text not null,
  attempt integer,
  code text,
  error text,
  actor text not null,
  reason text,
  at timestamp with time zone not null default clock_timestamp()
) partition by range (at);
CREATE INDEX transition_code ON posthorn.transition USING btree (code, id) WHERE (code IS NOT NULL);
CREATE INDEX transition_message ON posthorn.transition USING btree (message_id, id);
CREATE INDEX transition_order ON posthorn.transition USING btree (id);
comment on column posthorn.transition.error is 'personal';
comment on column posthorn.transition.reason is 'personal';
comment on table posthorn.transition is 'not personal: outbox, message_id, tenant, from_state, to_state, code, actor';

create table posthorn.transition_default partition of posthorn.transition default;

create table posthorn.watch (
  outbox text not null,
  part text not null,
  head text not null,
  since timestamp with time zone not null default clock_timestamp(),
  constraint watch_pkey PRIMARY KEY (outbox, part)
);
comment on table posthorn.watch is 'not personal: outbox, part, head';

alter table posthorn.audit_removal add constraint audit_removal_audit_fkey FOREIGN KEY (audit) REFERENCES posthorn.audit_table(name);
alter table posthorn.audit_seal add constraint audit_seal_audit_fkey FOREIGN KEY (audit) REFERENCES posthorn.audit_table(name);
alter table posthorn.replayed_message add constraint replayed_message_replay_id_fkey FOREIGN KEY (replay_id) REFERENCES posthorn.replay(id) ON DELETE CASCADE;
alter table posthorn.topic_group_member add constraint topic_group_member_reader_fkey FOREIGN KEY (reader) REFERENCES posthorn.topic_reader(id) ON DELETE CASCADE;
alter table posthorn.topic_group_member add constraint topic_group_member_topic_fkey FOREIGN KEY (topic) REFERENCES posthorn.topic(name);
alter table posthorn.topic_group_partition add constraint topic_group_partition_topic_partition_fkey FOREIGN KEY (topic, partition) REFERENCES posthorn.topic_partition(topic, partition);
alter table posthorn.topic_partition add constraint topic_partition_topic_fkey FOREIGN KEY (topic) REFERENCES posthorn.topic(name);

create view posthorn.relay as
 SELECT s.relay,
    outbox.outbox,
    s.version,
    s.started_at,
    s.seen_at,
    COALESCE((s.breakers -> outbox.outbox), '[]'::jsonb) AS breakers,
    COALESCE((s.pace -> outbox.outbox), '{}'::jsonb) AS pace,
    s.lag_ms
   FROM (posthorn.session s
     CROSS JOIN LATERAL unnest(s.outboxes) outbox(outbox));

create schema evidence;

CREATE OR REPLACE FUNCTION evidence.artifact_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into evidence.object_removal (key) values (old.storage_key) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION evidence.job_audited()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (new.org_id, coalesce(new.created_by, 'evidence.arrivals'), 'file_job.received', 'file_job',
            new.id::text, jsonb_build_object('filename', new.filename, 'bytes', new.size_bytes));
    return null;
  end if;
  if old.cancelled_at is null and new.cancelled_at is not null then
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (new.org_id, coalesce(new.cancelled_by, 'evidence'), 'file_job.cancelled', 'file_job',
            new.id::text, jsonb_build_object('reason', new.cancel_reason));
  end if;
  if new.status <> old.status and new.status in ('COMPLETED', 'REJECTED') then
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (new.org_id, 'evidence', 'file_job.' || lower(new.status), 'file_job', new.id::text,
            case new.status
              when 'REJECTED' then jsonb_build_object('reason', new.reason)
              else jsonb_build_object('success', new.success_count, 'errors', new.error_count,
                                      'round', new.round)
            end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION evidence.job_files_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.files_removed_at is not null or new.upload_removed_at is not null then
    insert into evidence.object_removal (key) values (new.storage_key) on conflict do nothing;
  end if;
  if new.files_removed_at is not null then
    insert into evidence.object_removal (key) values ('staging/' || new.id || '/')
        on conflict do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION evidence.row_moves()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'ERROR' and new.status = 'PENDING' then
    -- Trying again makes no bad row a good one: it stays as it is.
    if old.error_code in ('INVALID_ROW', 'INVALID_FILE') then
      return null;
    end if;
    new.error_code := null;
    new.error_message := null;
  end if;
  if new.first_outcome is null and new.status in ('SUCCESS', 'FAILED', 'ERROR') then
    new.first_outcome := new.status;
  end if;
  new.updated_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION evidence.rows_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into evidence.file_job_delta
         (file_job_id, pending, published, failed, success, error,
          first_success, first_failed, first_error, attempts)
  select change.*, greatest(failed + success + error, 0)
    from (select file_job_id,
                 coalesce(sum(n) filter (where status = 'PENDING'), 0) as pending,
                 coalesce(sum(n) filter (where status = 'PUBLISHED'), 0) as published,
                 coalesce(sum(n) filter (where status = 'FAILED'), 0) as failed,
                 coalesce(sum(n) filter (where status = 'SUCCESS'), 0) as success,
                 coalesce(sum(n) filter (where status = 'ERROR'), 0) as error,
                 coalesce(sum(n) filter (where first_outcome = 'SUCCESS'), 0),
                 coalesce(sum(n) filter (where first_outcome = 'FAILED'), 0),
                 coalesce(sum(n) filter (where first_outcome = 'ERROR'), 0)
            from (select file_job_id, status, first_outcome, 1 as n from new_rows
                  union all
                  select file_job_id, status, first_outcome, -1 from old_rows) as counted
           group by file_job_id) as change
   where (pending, published, failed, success, error) <> (0, 0, 0, 0, 0);
  if not found then
    return null;
  end if;
  if exists (select from old_rows where status = 'ERROR') then
    insert into evidence.file_outbox_row_audit
           (file_outbox_row_id, old_status, new_status, retry_count, error_code, transitioned_by)
    select n.id, o.status, n.status, n.retry_count, o.error_code, 'OPERATOR'
      from new_rows as n
      join old_rows as o on o.id = n.id
     where o.status = 'ERROR' and n.status = 'PENDING';
    update evidence.file_job_artifact as a
       set attachment_status = 'PENDING', updated_at = now()
      from new_rows as n
      join old_rows as o on o.id = n.id
     where o.status = 'ERROR' and n.status = 'PENDING'
       and a.file_outbox_row_id = n.id and a.attachment_status = 'FAILED';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION evidence.rows_stored()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into evidence.file_job_delta (file_job_id, pending, error, first_error)
  select file_job_id, count(*) filter (where status = 'PENDING'),
         count(*) filter (where status = 'ERROR'), count(*) filter (where first_outcome = 'ERROR')
    from stored
   group by file_job_id;
  insert into evidence.file_outbox_row_audit
         (file_outbox_row_id, new_status, retry_count, error_code, transitioned_by)
  select id, status, retry_count, error_code, 'FILE_PROCESSOR'
    from stored
   where status = 'ERROR';
  return null;
end $function$;

create table evidence.audit_log (
  seq bigint not null generated always as identity,
  org_id text not null,
  actor text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  details jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  audit_salt uuid default gen_random_uuid(),
  erased_digest bytea,
  constraint audit_log_pkey PRIMARY KEY (seq)
);
CREATE INDEX audit_log_age ON evidence.audit_log USING brin (created_at);
CREATE INDEX audit_log_of_entity ON evidence.audit_log USING btree (entity_type, entity_id, seq);
CREATE INDEX audit_log_of_org ON evidence.audit_log USING btree (org_id, seq);
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON evidence.audit_log FOR EACH ROW EXECUTE FUNCTION posthorn.keep_audit();
CREATE TRIGGER audit_kept_whole BEFORE TRUNCATE ON evidence.audit_log FOR EACH STATEMENT EXECUTE FUNCTION posthorn.keep_audit();
comment on column evidence.audit_log.actor is 'personal';
comment on column evidence.audit_log.details is 'personal';
comment on column evidence.audit_log.erased_digest is 'not personal';
comment on table evidence.audit_log is 'not personal: org_id, action, entity_type, entity_id, created_at';

create table evidence.consumer_inbox (
  consumer text not null,
  event_id text not null,
  received_at timestamp with time zone not null default now(),
  constraint consumer_inbox_pkey PRIMARY KEY (event_id, consumer)
);
CREATE INDEX consumer_inbox_others ON evidence.consumer_inbox USING btree (received_at) WHERE (NOT (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'::text));
comment on table evidence.consumer_inbox is 'not personal: consumer, event_id';

create table evidence.file_job (
  id uuid not null,
  org_id text not null,
  filename text not null,
  status text not null default 'RECEIVED'::text,
  reason text,
  reason_detail text,
  cancelled_at timestamp with time zone,
  cancelled_by text,
  cancel_reason text,
  storage_key text not null,
  storage_version text,
  storage_etag text not null,
  size_bytes bigint not null,
  bucket text,
  object_version text,
  idempotency_key text,
  request_fingerprint text,
  content_sha256 text,
  created_by text,
  arrival_warnings jsonb not null default '[]'::jsonb,
  columns text[],
  expected_rows integer,
  warnings jsonb not null default '[]'::jsonb,
  staged_at timestamp with time zone,
  rows_read integer not null default 0,
  total_rows integer,
  success_count integer not null default 0,
  error_count integer not null default 0,
  pending_retries integer not null default 0,
  round smallint not null default 1,
  created_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  files_removed_at timestamp with time zone,
  upload_removed_at timestamp with time zone,
  reading text not null default 'read'::text,
  not_before timestamp with time zone not null default posthorn.now(),
  failures integer not null default 0,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  quarantined_at timestamp with time zone,
  waits_for text,
  constraint file_job_pkey PRIMARY KEY (id),
  constraint file_job_org_id_idempotency_key_key UNIQUE (org_id, idempotency_key),
  constraint file_job_cancelled_with_reason CHECK (((cancelled_at IS NULL) = (cancel_reason IS NULL))),
  constraint file_job_check CHECK (((status = ANY (ARRAY['COMPLETED'::text, 'REJECTED'::text])) = (completed_at IS NOT NULL))),
  constraint file_job_check1 CHECK (((status = 'REJECTED'::text) = (reason IS NOT NULL))),
  constraint file_job_check2 CHECK (((status <> 'REJECTED'::text) OR ((rows_read = 0) AND (total_rows IS NULL)))),
  constraint file_job_check3 CHECK (((rows_read = 0) OR (staged_at IS NOT NULL))),
  constraint file_job_reading_check CHECK ((reading = ANY (ARRAY['small'::text, 'large'::text, 'read'::text]))),
  constraint file_job_status_check CHECK ((status = ANY (ARRAY['RECEIVED'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'REJECTED'::text]))),
  constraint file_job_waits_for_check CHECK ((waits_for = ANY (ARRAY['DAILY_LIMIT'::text, 'SCANNER'::text])))
);
CREATE INDEX file_job_cancelled ON evidence.file_job USING btree (id) WHERE ((cancelled_at IS NOT NULL) AND (status = ANY (ARRAY['RECEIVED'::text, 'PROCESSING'::text])));
CREATE INDEX file_job_content ON evidence.file_job USING btree (org_id, content_sha256, created_at) WHERE (content_sha256 IS NOT NULL);
CREATE INDEX file_job_due ON evidence.file_job USING btree (org_id, not_before, id) WHERE (reading = 'small'::text);
CREATE INDEX file_job_large_due ON evidence.file_job USING btree (org_id, not_before, id) WHERE (reading = 'large'::text);
CREATE INDEX file_job_large_suspect ON evidence.file_job USING btree (not_before, id) WHERE ((reading = 'large'::text) AND (lost_claims > 0));
CREATE INDEX file_job_listed ON evidence.file_job USING btree (org_id, id);
CREATE UNIQUE INDEX file_job_object ON evidence.file_job USING btree (bucket, storage_key, object_version) WHERE (bucket IS NOT NULL);
CREATE INDEX file_job_quarantined ON evidence.file_job USING btree (id) WHERE (quarantined_at IS NOT NULL);
CREATE INDEX file_job_suspect ON evidence.file_job USING btree (not_before, id) WHERE ((reading = 'small'::text) AND (lost_claims > 0));
CREATE INDEX file_job_unread ON evidence.file_job USING btree (created_at) WHERE ((status = ANY (ARRAY['RECEIVED'::text, 'PROCESSING'::text])) AND (total_rows IS NULL));
CREATE TRIGGER file_job_audited AFTER UPDATE OF status, cancelled_at ON evidence.file_job FOR EACH ROW WHEN (((new.status IS DISTINCT FROM old.status) OR (new.cancelled_at IS DISTINCT FROM old.cancelled_at))) EXECUTE FUNCTION evidence.job_audited();
CREATE TRIGGER file_job_files_removed AFTER UPDATE OF files_removed_at, upload_removed_at ON evidence.file_job FOR EACH ROW WHEN (((new.files_removed_at IS DISTINCT FROM old.files_removed_at) OR (new.upload_removed_at IS DISTINCT FROM old.upload_removed_at))) EXECUTE FUNCTION evidence.job_files_removed();
CREATE TRIGGER file_job_received AFTER INSERT ON evidence.file_job FOR EACH ROW EXECUTE FUNCTION evidence.job_audited();
comment on column evidence.file_job.filename is 'personal';
comment on column evidence.file_job.reason_detail is 'personal';
comment on column evidence.file_job.cancel_reason is 'personal';
comment on column evidence.file_job.idempotency_key is 'personal';
comment on column evidence.file_job.arrival_warnings is 'personal';
comment on column evidence.file_job.warnings is 'personal';
comment on table evidence.file_job is 'not personal: org_id, reason, cancelled_by, storage_key, storage_version, storage_etag, bucket, object_version, request_fingerprint, content_sha256, created_by, columns';

create table evidence.file_job_artifact (
  id uuid not null default gen_random_uuid(),
  file_job_id uuid not null,
  file_outbox_row_id uuid not null,
  position smallint not null,
  filename text not null,
  storage_key text not null,
  size_bytes bigint not null,
  content_type text not null,
  attachment_status text not null default 'PENDING'::text,
  document_mgmt_id text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  removed_at timestamp with time zone,
  constraint file_job_artifact_pkey PRIMARY KEY (file_outbox_row_id, "position"),
  constraint file_job_artifact_attachment_status_check CHECK ((attachment_status = ANY (ARRAY['PENDING'::text, 'ATTACHED'::text, 'FAILED'::text]))),
  constraint file_job_artifact_check CHECK (((attachment_status = 'ATTACHED'::text) = (document_mgmt_id IS NOT NULL)))
);
CREATE INDEX file_job_artifact_id ON evidence.file_job_artifact USING btree (id);
CREATE INDEX file_job_artifact_removed ON evidence.file_job_artifact USING btree (storage_key) WHERE (removed_at IS NOT NULL);
CREATE TRIGGER file_job_artifact_removed AFTER UPDATE OF removed_at ON evidence.file_job_artifact FOR EACH ROW WHEN (((new.removed_at IS NOT NULL) AND (old.removed_at IS NULL))) EXECUTE FUNCTION evidence.artifact_removed();
comment on column evidence.file_job_artifact.filename is 'personal';
comment on table evidence.file_job_artifact is 'not personal: storage_key, content_type, document_mgmt_id';

create table evidence.file_job_delta (
  id bigint not null generated always as identity,
  file_job_id uuid not null,
  pending integer not null default 0,
  published integer not null default 0,
  failed integer not null default 0,
  success integer not null default 0,
  error integer not null default 0,
  first_success integer not null default 0,
  first_failed integer not null default 0,
  first_error integer not null default 0,
  attempts integer not null default 0,
  constraint file_job_delta_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE INDEX file_job_delta_job ON evidence.file_job_delta USING btree (file_job_id);

create table evidence.file_job_file (
  file_job_id uuid not null,
  name text not null,
  storage_key text,
  size_bytes bigint,
  content_type text,
  error_message text,
  constraint file_job_file_pkey PRIMARY KEY (file_job_id, name),
  constraint file_job_file_check CHECK (((storage_key IS NULL) = (error_message IS NOT NULL)))
);
comment on column evidence.file_job_file.name is 'personal';
comment on column evidence.file_job_file.error_message is 'personal';
comment on table evidence.file_job_file is 'not personal: storage_key, content_type';

create table evidence.file_job_mail (
  id uuid not null,
  file_job_notification_id uuid not null,
  org_id text not null,
  recipient text not null,
  subject text not null,
  body text not null,
  status text not null default 'PENDING'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default posthorn.now(),
  error_code text,
  error_message text,
  created_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint file_job_mail_pkey PRIMARY KEY (id),
  constraint file_job_mail_file_job_notification_id_key UNIQUE (file_job_notification_id),
  constraint file_job_mail_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'FAILED'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX file_job_mail_dead ON evidence.file_job_mail USING btree (created_at) WHERE (status = 'FAILED'::text);
CREATE INDEX file_job_mail_due ON evidence.file_job_mail USING btree (next_attempt_at, id) WHERE (status = 'PENDING'::text);
CREATE INDEX file_job_mail_suspect ON evidence.file_job_mail USING btree (next_attempt_at, id) WHERE ((status = 'PENDING'::text) AND (lost_claims > 0));
comment on column evidence.file_job_mail.recipient is 'personal';
comment on column evidence.file_job_mail.subject is 'personal';
comment on column evidence.file_job_mail.body is 'personal';
comment on column evidence.file_job_mail.error_message is 'personal';
comment on table evidence.file_job_mail is 'not personal: org_id, error_code';

create table evidence.file_job_notification (
  id uuid not null,
  file_job_id uuid not null,
  kind text not null,
  round smallint not null,
  success integer not null,
  pending_retries integer not null,
  errors integer not null,
  message text not null,
  created_at timestamp with time zone not null default now(),
  constraint file_job_notification_pkey PRIMARY KEY (id),
  constraint file_job_notification_file_job_id_kind_round_key UNIQUE (file_job_id, kind, round),
  constraint file_job_notification_kind_check CHECK ((kind = ANY (ARRAY['N1'::text, 'N2'::text, 'REJECTED'::text])))
);
comment on table evidence.file_job_notification is 'not personal: message';

create table evidence.file_job_tally (
  file_job_id uuid not null,
  pending integer not null default 0,
  published integer not null default 0,
  failed integer not null default 0,
  success integer not null default 0,
  error integer not null default 0,
  first_success integer not null default 0,
  first_failed integer not null default 0,
  first_error integer not null default 0,
  per_second real not null default 0,
  counted_at timestamp with time zone not null default now(),
  constraint file_job_tally_pkey PRIMARY KEY (file_job_id)
);

create table evidence.file_outbox_row (
  id uuid not null,
  file_job_id uuid not null,
  org_id text not null,
  row_number integer not null,
  line_number integer not null,
  case_id text not null,
  evidence_files text not null,
  metadata jsonb not null default '{}'::jsonb,
  status text not null default 'PENDING'::text,
  retry_count integer not null default 0,
  next_retry_at timestamp with time zone not null default posthorn.now(),
  event_id uuid,
  kafka_partition integer,
  kafka_offset bigint,
  published_at timestamp with time zone,
  error_code text,
  error_message text,
  first_outcome text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint file_outbox_row_pkey PRIMARY KEY (id),
  constraint file_outbox_row_file_job_id_row_number_key UNIQUE (file_job_id, row_number),
  constraint file_outbox_row_first_outcome_check CHECK ((first_outcome = ANY (ARRAY['SUCCESS'::text, 'FAILED'::text, 'ERROR'::text]))),
  constraint file_outbox_row_retry_count_check CHECK (((retry_count >= 0) AND (retry_count <= 2))),
  constraint file_outbox_row_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'PUBLISHED'::text, 'SUCCESS'::text, 'FAILED'::text, 'ERROR'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX file_outbox_row_case ON evidence.file_outbox_row USING btree (file_job_id, case_id, row_number);
CREATE INDEX file_outbox_row_dead ON evidence.file_outbox_row USING btree (created_at) WHERE (status = 'ERROR'::text);
CREATE INDEX file_outbox_row_due ON evidence.file_outbox_row USING btree (org_id, next_retry_at, id) WHERE (status = ANY (ARRAY['PENDING'::text, 'FAILED'::text]));
CREATE INDEX file_outbox_row_errors ON evidence.file_outbox_row USING btree (file_job_id, row_number) WHERE (status = 'ERROR'::text);
CREATE INDEX file_outbox_row_failed ON evidence.file_outbox_row USING btree (file_job_id, row_number) WHERE (status = 'FAILED'::text);
CREATE INDEX file_outbox_row_sent ON evidence.file_outbox_row USING btree (published_at) WHERE (status = 'PUBLISHED'::text);
CREATE INDEX file_outbox_row_suspect ON evidence.file_outbox_row USING btree (next_retry_at, id) WHERE ((status = ANY (ARRAY['PENDING'::text, 'FAILED'::text])) AND (lost_claims > 0));
CREATE INDEX file_outbox_row_unconfirmed ON evidence.file_outbox_row USING btree (org_id) WHERE (status = 'PUBLISHED'::text);
CREATE TRIGGER file_outbox_row_moved AFTER UPDATE ON evidence.file_outbox_row REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION evidence.rows_moved();
CREATE TRIGGER file_outbox_row_moves BEFORE UPDATE OF status ON evidence.file_outbox_row FOR EACH ROW EXECUTE FUNCTION evidence.row_moves();
CREATE TRIGGER file_outbox_row_stored AFTER INSERT ON evidence.file_outbox_row REFERENCING NEW TABLE AS stored FOR EACH STATEMENT EXECUTE FUNCTION evidence.rows_stored();
comment on column evidence.file_outbox_row.case_id is 'personal';
comment on column evidence.file_outbox_row.evidence_files is 'personal';
comment on column evidence.file_outbox_row.metadata is 'personal';
comment on column evidence.file_outbox_row.error_message is 'personal';
comment on table evidence.file_outbox_row is 'not personal: org_id, error_code';

create table evidence.file_outbox_row_audit (
  id bigint not null generated always as identity,
  file_outbox_row_id uuid not null,
  old_status text,
  new_status text not null,
  retry_count integer not null,
  error_code text,
  transitioned_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint file_outbox_row_audit_pkey PRIMARY KEY (id),
  constraint file_outbox_row_audit_transitioned_by_check CHECK ((transitioned_by = ANY (ARRAY['FILE_PROCESSOR'::text, 'PUBLISHER'::text, 'EVIDENCE_WORKER'::text, 'OPERATOR'::text])))
);
CREATE INDEX file_outbox_row_audit_row ON evidence.file_outbox_row_audit USING btree (file_outbox_row_id, id);
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON evidence.file_outbox_row_audit FOR EACH ROW EXECUTE FUNCTION posthorn.keep_audit();
CREATE TRIGGER audit_kept_whole BEFORE TRUNCATE ON evidence.file_outbox_row_audit FOR EACH STATEMENT EXECUTE FUNCTION posthorn.keep_audit();
comment on table evidence.file_outbox_row_audit is 'not personal: file_outbox_row_id, old_status, new_status, retry_count, error_code, transitioned_by, created_at';

create table evidence.object_removal (
  key text not null,
  marked_at timestamp with time zone not null default now(),
  constraint object_removal_pkey PRIMARY KEY (key)
);
comment on table evidence.object_removal is 'not personal: key';

create table evidence.org_settings (
  org_id text not null,
  notification_email text,
  updated_by text not null,
  updated_at timestamp with time zone not null default now(),
  constraint org_settings_pkey PRIMARY KEY (org_id),
  constraint org_settings_notification_email_check CHECK (((length(notification_email) >= 3) AND (length(notification_email) <= 254)))
);
comment on column evidence.org_settings.notification_email is 'personal';
comment on table evidence.org_settings is 'not personal: org_id, updated_by';

alter table evidence.file_job_artifact add constraint file_job_artifact_file_outbox_row_id_fkey FOREIGN KEY (file_outbox_row_id) REFERENCES evidence.file_outbox_row(id) ON DELETE CASCADE;
alter table evidence.file_job_file add constraint file_job_file_file_job_id_fkey FOREIGN KEY (file_job_id) REFERENCES evidence.file_job(id) ON DELETE CASCADE;
alter table evidence.file_job_mail add constraint file_job_mail_file_job_notification_id_fkey FOREIGN KEY (file_job_notification_id) REFERENCES evidence.file_job_notification(id) ON DELETE CASCADE;
alter table evidence.file_job_notification add constraint file_job_notification_file_job_id_fkey FOREIGN KEY (file_job_id) REFERENCES evidence.file_job(id) ON DELETE CASCADE;
alter table evidence.file_job_tally add constraint file_job_tally_file_job_id_fkey FOREIGN KEY (file_job_id) REFERENCES evidence.file_job(id) ON DELETE CASCADE;
alter table evidence.file_outbox_row add constraint file_outbox_row_file_job_id_fkey FOREIGN KEY (file_job_id) REFERENCES evidence.file_job(id) ON DELETE CASCADE;
alter table evidence.file_outbox_row_audit add constraint file_outbox_row_audit_file_outbox_row_id_fkey FOREIGN KEY (file_outbox_row_id) REFERENCES evidence.file_outbox_row(id) ON DELETE CASCADE;

create schema families;

CREATE OR REPLACE FUNCTION families.require_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  family uuid;
begin
  if tg_op = 'INSERT' then
    family := new.id;
  else
    family := old.family_id;
  end if;
  if exists (select 1 from families.families where id = family)
     and not exists (select 1 from families.family_members where family_id = family and role = 'OWNER')
  then
    raise exception 'family % has no owner', family
      using errcode = 'check_violation', schema = 'families', table = 'family_members',
            constraint = 'family_members_owned';
  end if;
  return null;
end
$function$;

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
  event_id text not null,
  received_at timestamp with time zone not null default now(),
  constraint consumer_inbox_pkey PRIMARY KEY (event_id, consumer)
);
CREATE INDEX consumer_inbox_others ON families.consumer_inbox USING btree (received_at) WHERE (NOT (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'::text));
comment on table families.consumer_inbox is 'not personal: consumer, event_id';

create table families.families (
  id uuid not null,
  org_id text not null,
  name text not null,
  version integer not null,
  mailed_until timestamp with time zone,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint families_pkey PRIMARY KEY (id),
  constraint families_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint families_version_check CHECK ((version > 0))
);
CREATE CONSTRAINT TRIGGER families_owned AFTER INSERT ON families.families DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION families.require_owner();
comment on table families.families is 'not personal: org_id, name';

create table families.family_member_invitations (
  id uuid not null,
  family_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  status text not null default 'PENDING'::text,
  expires_at timestamp with time zone not null,
  mailed_until timestamp with time zone,
  invited_by text not null,
  accepted_by text,
  declined_by text,
  version integer not null,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint family_member_invitations_pkey PRIMARY KEY (id),
  constraint family_member_invitations_token_hash_key UNIQUE (token_hash),
  constraint family_member_invitations_check CHECK (((status = 'ACCEPTED'::text) = (accepted_by IS NOT NULL))),
  constraint family_member_invitations_declined_check CHECK (((status = 'DECLINED'::text) = (declined_by IS NOT NULL))),
  constraint family_member_invitations_email_check CHECK ((length(email) <= 254)),
  constraint family_member_invitations_role_check CHECK ((role = ANY (ARRAY['ADMIN'::text, 'MEMBER'::text]))),
  constraint family_member_invitations_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'ACCEPTED'::text, 'REVOKED'::text, 'EXPIRED'::text, 'DECLINED'::text]))),
  constraint family_member_invitations_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint family_member_invitations_version_check CHECK ((version > 0))
);
CREATE INDEX family_member_invitations_address ON families.family_member_invitations USING btree (family_id, lower(email), mailed_until);
CREATE INDEX family_member_invitations_family ON families.family_member_invitations USING btree (family_id, created_at);
CREATE UNIQUE INDEX family_member_invitations_open ON families.family_member_invitations USING btree (family_id, lower(email)) WHERE (status = 'PENDING'::text);
comment on column families.family_member_invitations.email is 'personal';
comment on column families.family_member_invitations.invited_by is 'personal';
comment on column families.family_member_invitations.accepted_by is 'personal';
comment on column families.family_member_invitations.declined_by is 'personal';
comment on table families.family_member_invitations is 'not personal: token_hash';

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
CREATE CONSTRAINT TRIGGER family_members_owned AFTER DELETE OR UPDATE ON families.family_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role = 'OWNER'::text)) EXECUTE FUNCTION families.require_owner();
comment on column families.family_members.email is 'personal';
comment on table families.family_members is 'not personal: user_id';

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
comment on column families.outbox_events.payload is 'personal';
comment on column families.outbox_events.error_message is 'personal';
comment on table families.outbox_events is 'not personal: event_type, aggregate_type, org_id, traceparent';

alter table families.family_member_invitations add constraint family_member_invitations_family_id_fkey FOREIGN KEY (family_id) REFERENCES families.families(id);
alter table families.family_members add constraint family_members_family_id_fkey FOREIGN KEY (family_id) REFERENCES families.families(id);

create schema incidents;

create table incidents.channel (
  id uuid not null,
  tenant text,
  kind text not null,
  name text not null,
  shown text not null,
  sealed_address text not null,
  sealed_key text,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint channel_pkey PRIMARY KEY (id),
  constraint channel_check CHECK (((kind = 'pagerduty'::text) = (sealed_key IS NOT NULL))),
  constraint channel_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'slack'::text, 'pagerduty'::text])))
);
CREATE UNIQUE INDEX channel_name ON incidents.channel USING btree (COALESCE(tenant, ''::text), name);
comment on table incidents.channel is 'not personal: tenant, name, shown, sealed_address, sealed_key, created_by';

create table incidents.incident (
  id uuid not null,
  source text not null,
  code text not null,
  tenant text,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  owner text,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  snoozed_until timestamp with time zone,
  constraint incident_pkey PRIMARY KEY (id),
  constraint incident_check CHECK (((acknowledged_at IS NULL) = (acknowledged_by IS NULL))),
  constraint incident_check1 CHECK (((closed_at IS NULL) OR (closed_at >= opened_at)))
);
CREATE INDEX incident_cause ON incidents.incident USING btree (source, code, opened_at DESC);
CREATE INDEX incident_closed ON incidents.incident USING btree (closed_at) WHERE (closed_at IS NOT NULL);
CREATE UNIQUE INDEX incident_open ON incidents.incident USING btree (source, code, COALESCE(tenant, ''::text)) WHERE (closed_at IS NULL);
comment on column incidents.incident.owner is 'personal';
comment on column incidents.incident.acknowledged_by is 'personal';
comment on table incidents.incident is 'not personal: source, code, tenant';

create table incidents.notice (
  id uuid not null,
  channel_id uuid not null,
  incident_id uuid,
  tenant text,
  kind text not null,
  payload jsonb not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint notice_pkey PRIMARY KEY (id),
  constraint notice_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'reminder'::text, 'closed'::text, 'test'::text]))),
  constraint notice_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'failed'::text, 'delivered'::text, 'abandoned'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX notice_dead ON incidents.notice USING btree (created_at) WHERE (status = 'abandoned'::text);
CREATE INDEX notice_due ON incidents.notice USING btree (next_attempt_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'failed'::text]));
CREATE INDEX notice_of_channel ON incidents.notice USING btree (channel_id, id DESC);
CREATE INDEX notice_suspect ON incidents.notice USING btree (next_attempt_at, id) WHERE ((status = ANY (ARRAY['pending'::text, 'failed'::text])) AND (lost_claims > 0));
comment on column incidents.notice.payload is 'personal';
comment on column incidents.notice.error is 'personal';
comment on table incidents.notice is 'not personal: tenant, error_code';

alter table incidents.notice add constraint notice_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES incidents.channel(id) ON DELETE CASCADE;

create schema messages;

CREATE OR REPLACE FUNCTION messages.first_id_at(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((lpad(to_hex((LEAST(GREATEST((EXTRACT(epoch FROM at) * (1000)::numeric), (0)::numeric), ('281474976710655'::bigint)::numeric))::bigint), 12, '0'::text) || '00000000000000000000'::text))::uuid;

CREATE OR REPLACE FUNCTION messages.message_lane()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.lane := case new.priority when 'urgent' then 'urgent/' else 'normal/' end || new.org_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION messages.message_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := now();
  new.outcome_unknown := new.outcome_unknown and new.status = 'SENDING';
  if old.status = 'QUEUED' and new.status = 'SENDING' then
    new.attempt_no := old.attempt_no + 1;
  end if;
  -- Until the provider says when.
  if new.status = 'SENT' and old.status <> 'SENT' then
    new.sent_at := coalesce(new.sent_at, now());
  end if;
  -- Tried anew, it is another message to the provider, and its old failure is history.
  if old.status = 'FAILED' and new.status = 'QUEUED' then
    -- Without its contents there is nothing to send: it stays as it is.
    if old.contents_removed_at is not null then
      return null;
    end if;
    new.provider_message_id := null;
    new.error_code := null;
    new.error_message := null;
    new.sent_at := null;
    new.delivered_at := null;
    new.read_at := null;
  end if;
  return new;
end $function$;

create table messages.account (
  id uuid not null,
  org_id text not null,
  name text not null,
  business_account_id text,
  phone_number_ids text[] not null,
  access_token text not null,
  app_secret text not null,
  verify_token text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint account_pkey PRIMARY KEY (id),
  constraint account_org_id_name_key UNIQUE (org_id, name),
  constraint account_phone_number_ids_check CHECK (((cardinality(phone_number_ids) >= 1) AND (cardinality(phone_number_ids) <= 50)))
);
comment on table messages.account is 'not personal: org_id, name, business_account_id, phone_number_ids, access_token, app_secret, verify_token';

create table messages.account_notice (
  id uuid not null,
  account_id text not null,
  org_id text,
  field text not null,
  subject text,
  event text not null,
  detail text,
  digest bytea not null,
  said_at timestamp with time zone not null,
  constraint account_notice_pkey PRIMARY KEY (id),
  constraint account_notice_digest_key UNIQUE (digest)
);
CREATE INDEX account_notice_age ON messages.account_notice USING btree (said_at);
CREATE INDEX account_notice_listed ON messages.account_notice USING btree (account_id, said_at, id);
comment on table messages.account_notice is 'not personal: account_id, org_id, field, subject, event, detail, digest';

create table messages.activity (
  id uuid not null,
  seq bigint not null generated always as identity,
  org_id text not null,
  dossier_id text not null,
  type text not null,
  metadata jsonb not null,
  created_at timestamp with time zone not null default now(),
  constraint activity_pkey PRIMARY KEY (id),
  constraint activity_type_check CHECK ((type = ANY (ARRAY['MESSAGE_SENT'::text, 'MESSAGE_STATUS_UPDATE'::text, 'MESSAGE_FAILED'::text, 'MESSAGE_RECEIVED'::text])))
);
CREATE INDEX activity_dossier ON messages.activity USING btree (org_id, dossier_id, seq);
comment on column messages.activity.metadata is 'personal';
comment on table messages.activity is 'not personal: org_id, dossier_id';

create table messages.audit_event (
  id uuid not null,
  seq bigint not null generated always as identity,
  org_id text not null,
  entity_type text not null,
  entity_id text not null,
  action text not null,
  details text not null,
  actor text not null,
  created_at timestamp with time zone not null default now(),
  audit_salt uuid default gen_random_uuid(),
  erased_digest bytea,
  constraint audit_event_pkey PRIMARY KEY (id),
  constraint audit_event_entity_type_check CHECK ((entity_type = ANY (ARRAY['OUTBOUND_MESSAGE'::text, 'DOSSIER'::text, 'CONVERSATION'::text, 'ACCOUNT'::text, 'TEMPLATE'::text])))
);
CREATE INDEX audit_event_age ON messages.audit_event USING brin (created_at);
CREATE INDEX audit_event_entity ON messages.audit_event USING btree (org_id, entity_type, entity_id, seq);
CREATE UNIQUE INDEX audit_event_in_order ON messages.audit_event USING btree (seq);
CREATE INDEX audit_event_of_org ON messages.audit_event USING btree (org_id, seq);
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON messages.audit_event FOR EACH ROW EXECUTE FUNCTION posthorn.keep_audit();
CREATE TRIGGER audit_kept_whole BEFORE TRUNCATE ON messages.audit_event FOR EACH STATEMENT EXECUTE FUNCTION posthorn.keep_audit();
comment on column messages.audit_event.details is 'personal';
comment on column messages.audit_event.actor is 'personal';
comment on column messages.audit_event.erased_digest is 'not personal';
comment on table messages.audit_event is 'not personal: id, org_id, action, entity_type, entity_id, created_at';

create table messages.consent (
  org_id text not null,
  dossier_id text not null,
  channel text not null,
  granted boolean not null,
  said_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint consent_pkey PRIMARY KEY (org_id, dossier_id, channel)
);
comment on table messages.consent is 'not personal: org_id, dossier_id, channel';

create table messages.consent_event (
  id uuid not null,
  seq bigint not null generated always as identity,
  org_id text not null,
  channel text not null,
  dossier_id text,
  recipient text,
  granted boolean not null,
  source text not null,
  proof text,
  actor text not null,
  said_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  constraint consent_event_pkey PRIMARY KEY (id),
  constraint consent_event_check CHECK (((dossier_id IS NOT NULL) OR (recipient IS NOT NULL)))
);
CREATE INDEX consent_event_dossier ON messages.consent_event USING btree (org_id, dossier_id, channel, seq);
CREATE INDEX consent_event_recipient ON messages.consent_event USING btree (org_id, recipient, channel, seq);
comment on column messages.consent_event.recipient is 'personal';
comment on column messages.consent_event.proof is 'personal';
comment on column messages.consent_event.actor is 'personal';
comment on table messages.consent_event is 'not personal: org_id, channel, dossier_id, source';

create table messages.conversation (
  id uuid not null,
  org_id text not null,
  channel text not null,
  recipient text not null,
  number_id text not null,
  contact_name text,
  dossier_id text,
  last_inbound_at timestamp with time zone not null,
  session_until timestamp with time zone not null,
  last_answer_at timestamp with time zone,
  active_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  constraint conversation_pkey PRIMARY KEY (id),
  constraint conversation_recipient_channel_org_id_key UNIQUE (recipient, channel, org_id)
);
CREATE INDEX conversation_listed ON messages.conversation USING btree (org_id, active_at, id);
comment on column messages.conversation.recipient is 'personal';
comment on column messages.conversation.contact_name is 'personal';
comment on table messages.conversation is 'not personal: org_id, channel, number_id, dossier_id';

create table messages.delivery_status (
  provider_message_id text not null,
  status text not null,
  message_id uuid,
  org_id text,
  report jsonb not null,
  seq bigint not null generated always as identity,
  received_at timestamp with time zone not null default now(),
  constraint delivery_status_pkey PRIMARY KEY (provider_message_id, status)
);
CREATE INDEX delivery_status_age ON messages.delivery_status USING btree (received_at);
CREATE INDEX delivery_status_parked ON messages.delivery_status USING btree (seq) WHERE (message_id IS NULL);
comment on column messages.delivery_status.report is 'personal';
comment on table messages.delivery_status is 'not personal: provider_message_id, status, org_id';

create table messages.dossier (
  id text not null,
  org_id text not null,
  created_at timestamp with time zone not null default now(),
  constraint dossier_pkey PRIMARY KEY (org_id, id)
);
comment on table messages.dossier is 'not personal: id, org_id';

create table messages.inbound_message (
  id uuid not null,
  provider_message_id text not null,
  org_id text,
  channel text not null,
  conversation_id uuid,
  number_id text not null,
  from_number text not null,
  kind text not null,
  text text,
  content jsonb not null,
  answers text,
  dossier_id text,
  sent_at timestamp with time zone not null,
  at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  contents_removed_at timestamp with time zone,
  constraint inbound_message_pkey PRIMARY KEY (id),
  constraint inbound_message_provider_message_id_key UNIQUE (provider_message_id),
  constraint inbound_message_check CHECK (((conversation_id IS NULL) OR (org_id IS NOT NULL)))
);
CREATE INDEX inbound_message_contents ON messages.inbound_message USING btree (id) WHERE (contents_removed_at IS NULL);
CREATE INDEX inbound_message_thread ON messages.inbound_message USING btree (conversation_id, at, id);
comment on column messages.inbound_message.from_number is 'personal';
comment on column messages.inbound_message.text is 'personal';
comment on column messages.inbound_message.content is 'personal';
comment on table messages.inbound_message is 'not personal: provider_message_id, org_id, channel, number_id, kind, answers, dossier_id';

create table messages.outbound_attempt (
  id uuid not null,
  outbound_message_id uuid not null,
  attempt_no integer not null,
  status text not null,
  error_code text,
  error_message text,
  provider_message_id text,
  provider_response jsonb,
  next_retry_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint outbound_attempt_pkey PRIMARY KEY (id),
  constraint outbound_attempt_outbound_message_id_attempt_no_key UNIQUE (outbound_message_id, attempt_no),
  constraint outbound_attempt_status_check CHECK ((status = ANY (ARRAY['TRYING'::text, 'SUCCESS'::text, 'FAILED'::text])))
);
CREATE UNIQUE INDEX outbound_attempt_trying ON messages.outbound_attempt USING btree (outbound_message_id) WHERE (status = 'TRYING'::text);
comment on column messages.outbound_attempt.error_message is 'personal';
comment on column messages.outbound_attempt.provider_response is 'personal';
comment on table messages.outbound_attempt is 'not personal: error_code, provider_message_id';

create table messages.outbound_message (
  id uuid not null,
  org_id text not null,
  dossier_id text,
  conversation_id uuid,
  account_id uuid,
  channel text not null,
  to_recipient text not null,
  template_code text,
  payload_json jsonb not null,
  components jsonb,
  priority text not null default 'normal'::text,
  lane text not null,
  status text not null default 'QUEUED'::text,
  provider_message_id text,
  idempotency_key text not null,
  request_fingerprint text not null,
  attempt_count integer not null default 0,
  max_attempts integer not null default 5,
  attempt_no integer not null default 0,
  error_code text,
  error_message text,
  outcome_unknown boolean not null default false,
  next_retry_at timestamp with time zone not null default posthorn.now(),
  traceparent text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  send_at timestamp with time zone,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  read_at timestamp with time zone,
  contents_removed_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint outbound_message_pkey PRIMARY KEY (id),
  constraint outbound_message_org_id_idempotency_key_key UNIQUE (org_id, idempotency_key),
  constraint outbound_message_check CHECK (((NOT outcome_unknown) OR (status = 'SENDING'::text))),
  constraint outbound_message_check1 CHECK (((status <> ALL (ARRAY['QUEUED'::text, 'SENDING'::text])) OR (provider_message_id IS NULL))),
  constraint outbound_message_check2 CHECK (((conversation_id IS NULL) OR (template_code IS NULL))),
  constraint outbound_message_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 6))),
  constraint outbound_message_priority_check CHECK ((priority = ANY (ARRAY['normal'::text, 'urgent'::text]))),
  constraint outbound_message_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'SENDING'::text, 'SENT'::text, 'DELIVERED'::text, 'FAILED'::text, 'CANCELLED'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX outbound_message_account ON messages.outbound_message USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX outbound_message_channel ON messages.outbound_message USING btree (org_id, channel, id);
CREATE INDEX outbound_message_claimed ON messages.outbound_message USING btree (claimed_until) WHERE (status = 'SENDING'::text);
CREATE INDEX outbound_message_contents ON messages.outbound_message USING btree (id) WHERE (contents_removed_at IS NULL);
CREATE INDEX outbound_message_counted ON messages.outbound_message USING btree (org_id, status, id);
CREATE INDEX outbound_message_dead ON messages.outbound_message USING btree (created_at) WHERE (status = 'FAILED'::text);
CREATE INDEX outbound_message_dossier ON messages.outbound_message USING btree (org_id, dossier_id, id) WHERE (dossier_id IS NOT NULL);
CREATE INDEX outbound_message_due_by_lane ON messages.outbound_message USING btree (lane, next_retry_at, id) WHERE (status = 'QUEUED'::text);
CREATE INDEX outbound_message_listed ON messages.outbound_message USING btree (org_id, id);
CREATE INDEX outbound_message_provider ON messages.outbound_message USING btree (provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX outbound_message_recipient ON messages.outbound_message USING btree (to_recipient, org_id, id);
CREATE INDEX outbound_message_session ON messages.outbound_message USING btree (conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE INDEX outbound_message_suspect ON messages.outbound_message USING btree (next_retry_at, id) WHERE ((status = 'QUEUED'::text) AND (lost_claims > 0));
CREATE INDEX outbound_message_waiting ON messages.outbound_message USING btree (org_id, dossier_id, channel) WHERE ((status = 'QUEUED'::text) AND (dossier_id IS NOT NULL));
CREATE TRIGGER outbound_message_lane_given BEFORE INSERT ON messages.outbound_message FOR EACH ROW EXECUTE FUNCTION messages.message_lane();
CREATE TRIGGER outbound_message_lane_kept BEFORE UPDATE ON messages.outbound_message FOR EACH ROW WHEN (((new.lane IS NULL) OR (new.priority <> old.priority))) EXECUTE FUNCTION messages.message_lane();
CREATE TRIGGER outbound_message_moved BEFORE UPDATE OF status ON messages.outbound_message FOR EACH ROW EXECUTE FUNCTION messages.message_moved();
comment on column messages.outbound_message.to_recipient is 'personal';
comment on column messages.outbound_message.payload_json is 'personal';
comment on column messages.outbound_message.components is 'personal';
comment on column messages.outbound_message.idempotency_key is 'personal';
comment on column messages.outbound_message.error_message is 'personal';
comment on table messages.outbound_message is 'not personal: org_id, dossier_id, channel, template_code, lane, provider_message_id, request_fingerprint, error_code, traceparent';

create table messages.person (
  user_id text not null,
  org_id text not null,
  recipient text not null,
  seen_at timestamp with time zone not null default now(),
  constraint person_pkey PRIMARY KEY (user_id, org_id)
);
CREATE INDEX person_age ON messages.person USING btree (seen_at);
comment on column messages.person.user_id is 'personal';
comment on column messages.person.recipient is 'personal';
comment on table messages.person is 'not personal: org_id';

create table messages.recipient_consent (
  org_id text not null,
  channel text not null,
  recipient_digest bytea not null,
  granted boolean not null,
  source text not null,
  said_at timestamp with time zone not null,
  constraint recipient_consent_pkey PRIMARY KEY (org_id, channel, recipient_digest)
);
comment on table messages.recipient_consent is 'not personal: org_id, channel, recipient_digest, source';

create table messages.sending_stop (
  account_id text not null,
  number_id text not null,
  org_id text,
  code text not null,
  reason text not null,
  credentials text not null,
  stopped_at timestamp with time zone not null default now(),
  probe_at timestamp with time zone not null,
  probes integer not null default 0,
  probe_message_id uuid,
  by_report boolean not null,
  constraint sending_stop_pkey PRIMARY KEY (account_id, number_id)
);
comment on table messages.sending_stop is 'not personal: account_id, number_id, org_id, code, reason, credentials';

create table messages.template (
  org_id text not null,
  name text not null,
  language text not null,
  category text not null,
  components jsonb not null,
  status text not null default 'APPROVED'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint template_pkey PRIMARY KEY (org_id, name, language),
  constraint template_category_check CHECK ((category = ANY (ARRAY['AUTHENTICATION'::text, 'MARKETING'::text, 'UTILITY'::text])))
);
comment on table messages.template is 'not personal: org_id, name, language, components, status';

alter table messages.activity add constraint activity_org_id_dossier_id_fkey FOREIGN KEY (org_id, dossier_id) REFERENCES messages.dossier(org_id, id);
alter table messages.consent add constraint consent_org_id_dossier_id_fkey FOREIGN KEY (org_id, dossier_id) REFERENCES messages.dossier(org_id, id);
alter table messages.inbound_message add constraint inbound_message_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES messages.conversation(id);
alter table messages.outbound_attempt add constraint outbound_attempt_outbound_message_id_fkey FOREIGN KEY (outbound_message_id) REFERENCES messages.outbound_message(id) ON DELETE CASCADE;
alter table messages.outbound_message add constraint outbound_message_account_id_fkey FOREIGN KEY (account_id) REFERENCES messages.account(id) ON DELETE SET NULL;
alter table messages.outbound_message add constraint outbound_message_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES messages.conversation(id);
alter table messages.outbound_message add constraint outbound_message_org_id_dossier_id_fkey FOREIGN KEY (org_id, dossier_id) REFERENCES messages.dossier(org_id, id);

create schema payments;

CREATE OR REPLACE FUNCTION payments.authorisation_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.capture_method, new.payment_method) is distinct from
     (old.capture_method, old.payment_method)
     or old.captured_amount is not null
        and new.captured_amount is distinct from old.captured_amount then
    raise exception 'payment %: how it is taken cannot change', old.id
      using errcode = 'check_violation', constraint = 'payment_fixed';
  end if;
  if old.authorisation is not null and new.authorisation is distinct from old.authorisation
     and (old.authorisation <> 'authorised' or new.authorisation is null) then
    raise exception 'payment %: % cannot become %', old.id, old.authorisation, new.authorisation
      using errcode = 'check_violation', constraint = 'authorisation_moves';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION payments.create_audit_log(org_id text, actor text, action text, entity_type text, entity_id text, details jsonb DEFAULT '{}'::jsonb)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  insert into payments.audit_log (org_id, actor, action, entity_type, entity_id, details)
  values ($1, $2, $3, $4, $5, $6)
  returning seq
$function$;

CREATE OR REPLACE FUNCTION payments.dispute_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.payment_id, new.org_id, new.gateway_ref, new.amount, new.currency)
       is distinct from
       (old.id, old.payment_id, old.org_id, old.gateway_ref, old.amount, old.currency) then
      raise exception 'dispute %: what it is about cannot change', old.id
        using errcode = 'check_violation', constraint = 'dispute_fixed';
    end if;
    if new.status <> old.status
       and (old.status not in ('inquiry', 'opened') or new.status = 'inquiry') then
      raise exception 'dispute %: % cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'dispute_moves';
    end if;
    return new;
  end if;
  if not exists (select from payments.payments
                  where id = new.payment_id and org_id = new.org_id) then
    raise exception 'dispute %: payment % is another organisation''s', new.id, new.payment_id
      using errcode = 'check_violation', constraint = 'dispute_of_payment';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION payments.payment_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then
      raise exception 'a payment begins as pending, not %', new.status
        using errcode = 'check_violation', constraint = 'payment_begins_pending';
    end if;
    return new;
  end if;
  if (new.id, new.org_id, new.user_id, new.amount, new.currency, new.created_at)
     is distinct from (old.id, old.org_id, old.user_id, old.amount, old.currency, old.created_at)
     or old.gateway_ref is not null and new.gateway_ref is distinct from old.gateway_ref then
    raise exception 'payment %: what it is about cannot change', old.id
      using errcode = 'check_violation', constraint = 'payment_fixed';
  end if;
  if new.status <> old.status then
    if (old.status, new.status) not in
       (('pending', 'succeeded'), ('pending', 'failed'), ('succeeded', 'refunded'),
        ('refunded', 'succeeded')) then
      raise exception 'payment %: % cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'payment_moves';
    end if;
    if old.status = 'pending' then
      new.settled_at := posthorn.now();
      new.next_action := null;
    end if;
    new.refunded_at := case new.status when 'refunded' then posthorn.now() end;
  end if;
  new.updated_at := posthorn.now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION payments.reconciliation_detail_replaced()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into payments.reconciliation_history
         (run_id, line_number, run_no, until_no, reason, payment_id, note, actor, created_at)
  select o.run_id, o.line_number, o.run_no, n.run_no, o.reason, o.payment_id, o.note, o.actor,
         o.created_at
    from replaced as o
    join present as n on n.run_id = o.run_id and n.line_number = o.line_number;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION payments.reconciliation_link_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from payments.payments where id = new.payment_id for update;
  if exists (select from payments.reconciliation_records
              where matched_payment_id = new.payment_id
                and (matched_as is null or matched_as = 'part'))
  then
    raise exception 'payment % is matched by a record', new.payment_id
      using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
  end if;
  if not exists (select from payments.reconciliation_records
                  where run_id = new.run_id and line_number = new.line_number
                    and status = 'matched') then
    raise exception 'record % of % is not matched', new.line_number, new.run_id
      using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION payments.reconciliation_part_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  paid payments.payments;
  taken bigint;
  part bigint := new.amount - coalesce(new.adjustment, 0);
  others bigint;
begin
  select * into paid from payments.payments where id = new.matched_payment_id for update;
  taken := coalesce(paid.captured_amount, paid.amount);
  if exists (select from payments.reconciliation_records
              where matched_payment_id = new.matched_payment_id and matched_as is null
                and (run_id, line_number) <> (new.run_id, new.line_number))
     or exists (select from payments.reconciliation_links where payment_id = new.matched_payment_id)
  then
    raise exception 'payment % is matched as a whole', paid.id
      using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
  end if;
  select coalesce(sum(amount - coalesce(adjustment, 0)), 0) into others
    from payments.reconciliation_records
   where matched_payment_id = new.matched_payment_id and matched_as = 'part'
     and (run_id, line_number) <> (new.run_id, new.line_number);
  if part <= 0 or others + part > taken or new.currency <> paid.currency then
    raise exception 'payment %: % beside % is no part of %', paid.id, part, others, taken
      using errcode = 'check_violation', constraint = 'reconciliation_parts_within_payment';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION payments.reconciliation_records_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from payments.reconciliation_links) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l on l.payment_id = c.matched_payment_id
                where c.matched_as is null or c.matched_as = 'part') then
      raise exception 'a payment is linked to another record'
        using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
    end if;
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l
                   on l.run_id = c.run_id and l.line_number = c.line_number
                where c.status = 'unmatched') then
      raise exception 'a record that is not matched has no payments'
        using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
    end if;
  end if;
  if exists (select from payments.reconciliation_records where matched_as is not null) then
    if exists (select
                 from changed as c
                 join (select matched_payment_id from payments.reconciliation_records
                        where matched_as = 'part') as p
                   on p.matched_payment_id = c.matched_payment_id
                where c.matched_as is null) then
      raise exception 'a payment is matched in parts'
        using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
    end if;
  end if;
  if exists (select from payments.reconciliation_reversals) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_reversals as f
                   on f.run_id = c.run_id and f.line_number = c.line_number
                where c.status = 'unmatched') then
      raise exception 'a record that is not matched has no refunds or disputes'
        using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION payments.reconciliation_reversal_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.refund_id is not null
     and not exists (select from payments.transactions where id = new.refund_id and type = 'refund')
  then
    raise exception 'transaction % is no refund', new.refund_id
      using errcode = 'check_violation', constraint = 'reconciliation_refunds_are_refunds';
  end if;
  if not exists (select from payments.reconciliation_records
                  where run_id = new.run_id and line_number = new.line_number
                    and status = 'matched') then
    raise exception 'record % of % is not matched', new.line_number, new.run_id
      using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION payments.reconciliation_run_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from payments.reconciliation_records where run_id = old.id;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION payments.refund_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  taken payments.payments;
  most bigint;
  given_back bigint;
begin
  -- Two refunds of a payment are counted one after the other. Not the key: matches of a
  -- reconciliation, which hold it by their foreign key, need not wait.
  select * into taken from payments.payments where id = new.payment_id for no key update;
  most := case taken.capture_method when 'manual' then coalesce(taken.captured_amount, 0)
          else taken.amount end;
  select coalesce(sum(amount), 0) into given_back
    from payments.transactions
   where payment_id = new.payment_id and type = 'refund' and status <> 'failed' and id <> new.id;
  if given_back + new.amount > most or new.currency <> taken.currency then
    raise exception 'payment %: % % cannot be given back beside %, of % %', taken.id, new.amount,
                    new.currency, given_back, most, taken.currency
      using errcode = 'check_violation', constraint = 'refunds_within_payment';
  end if;
  new.org_id := taken.org_id;
  return new;
end $function$;

create table payments.alert_notices (
  id uuid not null,
  alert_id bigint not null,
  kind text not null,
  source text not null,
  subject text not null,
  hour timestamp with time zone not null,
  payload json not null,
  closed boolean not null default false,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint alert_notices_pkey PRIMARY KEY (id),
  constraint alert_notices_source_subject_kind_hour_key UNIQUE (source, subject, kind, hour),
  constraint alert_notices_kind_check CHECK ((kind = ANY (ARRAY['raised'::text, 'recovered'::text]))),
  constraint alert_notices_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'failed'::text, 'delivered'::text, 'abandoned'::text])))
) with (fillfactor=80);
CREATE INDEX alert_notices_dead ON payments.alert_notices USING btree (created_at) WHERE (status = 'abandoned'::text);
CREATE INDEX alert_notices_due ON payments.alert_notices USING btree (next_attempt_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'failed'::text]));
CREATE INDEX alert_notices_open ON payments.alert_notices USING btree (alert_id) WHERE ((kind = 'raised'::text) AND (NOT closed));
CREATE INDEX alert_notices_suspect ON payments.alert_notices USING btree (next_attempt_at, id) WHERE ((status = ANY (ARRAY['pending'::text, 'failed'::text])) AND (lost_claims > 0));
comment on column payments.alert_notices.payload is 'personal';
comment on column payments.alert_notices.error is 'personal';
comment on table payments.alert_notices is 'not personal: source, subject, error_code';

create table payments.approval_limits (
  org_id text not null,
  currency text not null,
  amount bigint,
  set_by text not null,
  set_at timestamp with time zone not null default posthorn.now(),
  constraint approval_limits_pkey PRIMARY KEY (org_id, currency),
  constraint approval_limits_amount_check CHECK ((amount >= 0)),
  constraint approval_limits_currency_check CHECK ((currency ~ '^([A-Z]{3}|\*)$'::text))
);
comment on table payments.approval_limits is 'not personal: org_id, currency, set_by';

create table payments.audit_log (
  seq bigint not null generated always as identity,
  org_id text,
  actor text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  details jsonb not null,
  created_at timestamp with time zone not null default posthorn.now(),
  recorded_at timestamp with time zone not null default now(),
  audit_salt uuid default gen_random_uuid(),
  erased_digest bytea,
  constraint audit_log_pkey PRIMARY KEY (seq)
);
CREATE INDEX audit_log_age ON payments.audit_log USING brin (created_at);
CREATE INDEX audit_log_of_entity ON payments.audit_log USING btree (entity_type, entity_id, seq);
CREATE INDEX audit_log_of_org ON payments.audit_log USING btree (org_id, seq);
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON payments.audit_log FOR EACH ROW EXECUTE FUNCTION posthorn.keep_audit();
CREATE TRIGGER audit_kept_whole BEFORE TRUNCATE ON payments.audit_log FOR EACH STATEMENT EXECUTE FUNCTION posthorn.keep_audit();
comment on column payments.audit_log.actor is 'personal';
comment on column payments.audit_log.details is 'personal';
comment on column payments.audit_log.erased_digest is 'not personal';
comment on table payments.audit_log is 'not personal: org_id, action, entity_type, entity_id, created_at, recorded_at';

create table payments.disputes (
  id uuid not null,
  payment_id uuid not null,
  org_id text not null,
  gateway_ref text not null,
  status text not null,
  amount bigint not null,
  currency text not null,
  reason text,
  evidence_due_at timestamp with time zone,
  opened_at timestamp with time zone not null default posthorn.now(),
  closed_at timestamp with time zone,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_payment_id_gateway_ref_key UNIQUE (payment_id, gateway_ref),
  constraint disputes_amount_check CHECK ((amount > 0)),
  constraint disputes_check CHECK (((status = ANY (ARRAY['inquiry'::text, 'opened'::text])) = (closed_at IS NULL))),
  constraint disputes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint disputes_gateway_ref_check CHECK (((length(gateway_ref) >= 1) AND (length(gateway_ref) <= 255))),
  constraint disputes_status_check CHECK ((status = ANY (ARRAY['inquiry'::text, 'opened'::text, 'won'::text, 'lost'::text, 'withdrawn'::text])))
);
CREATE INDEX disputes_listed ON payments.disputes USING btree (org_id, payment_id);
CREATE INDEX disputes_of_org ON payments.disputes USING btree (org_id, id);
CREATE TRIGGER disputes_guarded BEFORE INSERT OR UPDATE ON payments.disputes FOR EACH ROW EXECUTE FUNCTION payments.dispute_guarded();
comment on column payments.disputes.reason is 'personal';
comment on table payments.disputes is 'not personal: org_id, gateway_ref, currency';

create table payments.fan_outs (
  id uuid not null,
  type text not null,
  payload jsonb not null,
  key text not null,
  tenant text,
  headers jsonb,
  dedupe text,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default posthorn.now(),
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  error text,
  error_code text,
  traceparent text,
  lost_claims smallint not null default 0,
  seq bigint not null generated always as identity,
  bucket smallint not null generated always as (posthorn.bucket_of(key)) stored,
  held boolean not null default false,
  constraint fan_outs_pkey PRIMARY KEY (id),
  constraint fan_outs_dedupe_key UNIQUE (dedupe),
  constraint fan_outs_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'dead'::text, 'cancelled'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX fan_outs_dead ON payments.fan_outs USING btree (created_at) WHERE (status = 'dead'::text);
CREATE INDEX fan_outs_finished ON payments.fan_outs USING btree (finished_at) WHERE (status = ANY (ARRAY['sent'::text, 'cancelled'::text]));
CREATE INDEX fan_outs_flow ON payments.fan_outs USING btree (bucket, seq) WHERE ((status = 'pending'::text) AND (NOT held));
CREATE INDEX fan_outs_held ON payments.fan_outs USING btree (key, seq) WHERE (held AND (status = 'pending'::text));
CREATE INDEX fan_outs_waiting ON payments.fan_outs USING btree (key) WHERE (status = 'pending'::text);
comment on column payments.fan_outs.payload is 'personal';
comment on column payments.fan_outs.error is 'personal';
comment on table payments.fan_outs is 'not personal: type, key, tenant, headers, dedupe, error_code, traceparent';

create table payments.idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint text not null,
  lock_token uuid,
  locked_until timestamp with time zone,
  locked boolean generated always as ((lock_token IS NOT NULL)) stored,
  takeovers integer not null default 0,
  state jsonb,
  response_status integer,
  response_headers json,
  response_body bytea,
  created_at timestamp with time zone not null default posthorn.now(),
  completed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (scope, key),
  constraint idempotency_keys_check CHECK (((completed_at IS NULL) = (lock_token IS NOT NULL))),
  constraint idempotency_keys_check1 CHECK (((completed_at IS NULL) = (locked_until IS NOT NULL))),
  constraint idempotency_keys_check2 CHECK (((completed_at IS NULL) = (response_status IS NULL))),
  constraint idempotency_keys_check3 CHECK (((completed_at IS NULL) = (response_headers IS NULL))),
  constraint idempotency_keys_check4 CHECK (((completed_at IS NULL) = (response_body IS NULL))),
  constraint idempotency_keys_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 255)))
) with (fillfactor=70);
CREATE INDEX idempotency_keys_expired ON payments.idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys_open ON payments.idempotency_keys USING btree (((state ->> 'transactionId'::text))) WHERE (completed_at IS NULL);
comment on column payments.idempotency_keys.key is 'personal';
comment on column payments.idempotency_keys.state is 'personal';
comment on column payments.idempotency_keys.response_headers is 'personal';
comment on column payments.idempotency_keys.response_body is 'personal';
comment on table payments.idempotency_keys is 'not personal: scope, fingerprint';

create table payments.payments (
  id uuid not null,
  org_id text not null,
  user_id text not null,
  amount bigint not null,
  currency text not null,
  external_payment_id text,
  description text,
  metadata jsonb,
  payment_method text,
  capture_method text not null default 'automatic'::text,
  status text not null default 'pending'::text,
  authorisation text,
  captured_amount bigint,
  gateway_ref text,
  next_action jsonb,
  error_code text,
  error_message text,
  created_at timestamp with time zone not null default posthorn.now(),
  updated_at timestamp with time zone not null default posthorn.now(),
  settled_at timestamp with time zone,
  refunded_at timestamp with time zone,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_amount_check CHECK (((amount >= 1) AND (amount <= '999999999999'::bigint))),
  constraint payments_authorisation CHECK (((authorisation IS NULL) OR ((authorisation = ANY (ARRAY['authorised'::text, 'captured'::text, 'voided'::text, 'expired'::text])) AND (capture_method = 'manual'::text)))),
  constraint payments_capture_method CHECK ((capture_method = ANY (ARRAY['automatic'::text, 'manual'::text]))),
  constraint payments_captured CHECK ((((captured_amount IS NOT NULL) = (NOT (authorisation IS DISTINCT FROM 'captured'::text))) AND ((captured_amount >= 1) AND (captured_amount <= amount)))),
  constraint payments_check CHECK (((status = 'pending'::text) = (settled_at IS NULL))),
  constraint payments_check1 CHECK (((status = 'refunded'::text) = (refunded_at IS NOT NULL))),
  constraint payments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint payments_next_action CHECK (((next_action IS NULL) OR (status = 'pending'::text))),
  constraint payments_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'refunded'::text]))),
  constraint payments_taken CHECK ((((capture_method = 'automatic'::text) OR (status <> ALL (ARRAY['succeeded'::text, 'refunded'::text])) OR (captured_amount IS NOT NULL)) AND ((authorisation IS NULL) OR (authorisation <> ALL (ARRAY['voided'::text, 'expired'::text])) OR (status = 'failed'::text))))
) with (fillfactor=85);
CREATE INDEX payments_by_amount ON payments.payments USING btree (org_id, amount, id);
CREATE INDEX payments_by_currency ON payments.payments USING btree (org_id, currency, id);
CREATE INDEX payments_by_external_id ON payments.payments USING btree (org_id, external_payment_id, id) WHERE (external_payment_id IS NOT NULL);
CREATE INDEX payments_by_gateway_ref ON payments.payments USING btree (gateway_ref) WHERE (gateway_ref IS NOT NULL);
CREATE INDEX payments_by_status ON payments.payments USING btree (org_id, status, id);
CREATE INDEX payments_by_time ON payments.payments USING btree (org_id, created_at);
CREATE INDEX payments_listed ON payments.payments USING btree (org_id, id);
CREATE TRIGGER payments_authorisation_guarded BEFORE UPDATE OF capture_method, payment_method, authorisation, captured_amount ON payments.payments FOR EACH ROW EXECUTE FUNCTION payments.authorisation_guarded();
CREATE TRIGGER payments_guarded BEFORE INSERT OR UPDATE ON payments.payments FOR EACH ROW EXECUTE FUNCTION payments.payment_guarded();
comment on column payments.payments.external_payment_id is 'personal';
comment on column payments.payments.description is 'personal';
comment on column payments.payments.metadata is 'personal';
comment on column payments.payments.error_message is 'personal';
comment on table payments.payments is 'not personal: org_id, user_id, currency, payment_method, authorisation, gateway_ref, next_action, error_code';

create table payments.proposals (
  id uuid not null,
  org_id text not null,
  kind text not null,
  subject text not null,
  request jsonb not null,
  amount bigint,
  currency text,
  reason text,
  request_key text,
  status text not null default 'pending'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default posthorn.now(),
  expires_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  decision_reason text,
  result jsonb,
  constraint proposals_pkey PRIMARY KEY (id),
  constraint proposals_check CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint proposals_check1 CHECK (((status = 'approved'::text) = (result IS NOT NULL))),
  constraint proposals_check2 CHECK (((status <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR (decided_by <> proposed_by))),
  constraint proposals_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'capture'::text, 'void'::text, 'decision'::text, 'discard'::text, 'limits'::text]))),
  constraint proposals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'expired'::text])))
);
CREATE UNIQUE INDEX proposals_by_key ON payments.proposals USING btree (org_id, proposed_by, request_key) WHERE (request_key IS NOT NULL);
CREATE INDEX proposals_listed ON payments.proposals USING btree (org_id, id);
CREATE UNIQUE INDEX proposals_one_pending ON payments.proposals USING btree (org_id, kind, subject) WHERE (status = 'pending'::text);
comment on column payments.proposals.request is 'personal';
comment on column payments.proposals.reason is 'personal';
comment on column payments.proposals.request_key is 'personal';
comment on column payments.proposals.decision_reason is 'personal';
comment on column payments.proposals.result is 'personal';
comment on table payments.proposals is 'not personal: org_id, subject, currency, proposed_by, decided_by';

create table payments.reconciliation_details (
  run_id uuid not null,
  line_number integer not null,
  run_no integer not null,
  reason text not null,
  payment_id uuid,
  note text,
  actor text,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint reconciliation_details_pkey PRIMARY KEY (run_id, line_number),
  constraint reconciliation_details_note_check CHECK ((length(note) <= 2000)),
  constraint reconciliation_details_reason CHECK ((reason = ANY (ARRAY['exact_match'::text, 'payment_not_succeeded'::text, 'no_match'::text, 'duplicate'::text, 'amount_mismatch'::text, 'currency_mismatch'::text, 'manual_match'::text, 'manual_unmatch'::text, 'ignored'::text, 'reopened'::text, 'discarded'::text]))),
  constraint reconciliation_details_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 64))),
  constraint reconciliation_details_run_no_check CHECK ((run_no >= 0))
) with (fillfactor=85);
CREATE INDEX reconciliation_details_awaiting ON payments.reconciliation_details USING btree (run_id, line_number) WHERE (reason = 'payment_not_succeeded'::text);
CREATE TRIGGER reconciliation_details_replaced AFTER UPDATE ON payments.reconciliation_details REFERENCING OLD TABLE AS replaced NEW TABLE AS present FOR EACH STATEMENT EXECUTE FUNCTION payments.reconciliation_detail_replaced();
comment on column payments.reconciliation_details.note is 'personal';
comment on table payments.reconciliation_details is 'not personal: actor';

create table payments.reconciliation_history (
  seq bigint not null generated always as identity,
  run_id uuid not null,
  line_number integer not null,
  run_no integer not null,
  until_no integer not null,
  reason text not null,
  payment_id uuid,
  note text,
  actor text,
  created_at timestamp with time zone not null,
  audit_salt uuid default gen_random_uuid(),
  erased_digest bytea,
  constraint reconciliation_history_pkey PRIMARY KEY (seq),
  constraint reconciliation_history_check CHECK ((until_no >= run_no))
);
CREATE INDEX reconciliation_history_of_record ON payments.reconciliation_history USING btree (run_id, line_number, seq);
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON payments.reconciliation_history FOR EACH ROW EXECUTE FUNCTION posthorn.keep_audit();
CREATE TRIGGER audit_kept_whole BEFORE TRUNCATE ON payments.reconciliation_history FOR EACH STATEMENT EXECUTE FUNCTION posthorn.keep_audit();
comment on column payments.reconciliation_history.note is 'personal';
comment on column payments.reconciliation_history.actor is 'personal';
comment on column payments.reconciliation_history.erased_digest is 'not personal';
comment on table payments.reconciliation_history is 'not personal: run_id, line_number, run_no, until_no, reason, payment_id, created_at';

create table payments.reconciliation_links (
  payment_id uuid not null,
  run_id uuid not null,
  line_number integer not null,
  constraint reconciliation_links_pkey PRIMARY KEY (payment_id)
);
CREATE INDEX reconciliation_links_of_record ON payments.reconciliation_links USING btree (run_id, line_number);
CREATE TRIGGER reconciliation_links_guarded BEFORE INSERT OR UPDATE ON payments.reconciliation_links FOR EACH ROW EXECUTE FUNCTION payments.reconciliation_link_guarded();

create table payments.reconciliation_profile_versions (
  profile_id uuid not null,
  version integer not null,
  rules jsonb not null,
  created_by text not null,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint reconciliation_profile_versions_pkey PRIMARY KEY (profile_id, version),
  constraint reconciliation_profile_versions_version_check CHECK ((version > 0))
);
comment on table payments.reconciliation_profile_versions is 'not personal: rules, created_by';

create table payments.reconciliation_profiles (
  id uuid not null,
  org_id text not null,
  name text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default posthorn.now(),
  updated_at timestamp with time zone not null default posthorn.now(),
  deleted_at timestamp with time zone,
  constraint reconciliation_profiles_pkey PRIMARY KEY (id),
  constraint reconciliation_profiles_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint reconciliation_profiles_version_check CHECK ((version > 0))
);
CREATE INDEX reconciliation_profiles_listed ON payments.reconciliation_profiles USING btree (org_id, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX reconciliation_profiles_name ON payments.reconciliation_profiles USING btree (org_id, name) WHERE (deleted_at IS NULL);
comment on table payments.reconciliation_profiles is 'not personal: org_id, name';

create table payments.reconciliation_records (
  run_id uuid not null,
  line_number integer not null,
  occurrence_no integer not null default 1,
  duplicate_of integer,
  amount bigint not null,
  booked_on date not null,
  version integer not null default 0,
  currency text not null,
  external_transaction_id text not null,
  fee bigint,
  status text not null default 'unmatched'::text,
  matched_payment_id uuid,
  matched_as text,
  adjustment bigint,
  adjustment_kind text,
  decided_by text,
  constraint reconciliation_records_pkey PRIMARY KEY (run_id, line_number),
  constraint reconciliation_records_adjusted CHECK ((((adjustment IS NULL) = (adjustment_kind IS NULL)) AND ((adjustment IS NULL) OR (status = 'matched'::text)))),
  constraint reconciliation_records_adjustment_check CHECK ((adjustment <> 0)),
  constraint reconciliation_records_adjustment_kind_check CHECK ((adjustment_kind = ANY (ARRAY['fee'::text, 'rounding'::text, 'other'::text]))),
  constraint reconciliation_records_amount_check CHECK (((amount >= '-9007199254740991'::bigint) AND (amount <= '9007199254740991'::bigint))),
  constraint reconciliation_records_check CHECK (((occurrence_no > 1) = (duplicate_of IS NOT NULL))),
  constraint reconciliation_records_currency_check CHECK ((octet_length(currency) = 3)),
  constraint reconciliation_records_decided_by CHECK ((decided_by = ANY (ARRAY['auto'::text, 'manual'::text, 'ignored'::text]))),
  constraint reconciliation_records_external_transaction_id_check CHECK (((octet_length(external_transaction_id) >= 1) AND (octet_length(external_transaction_id) <= 1020))),
  constraint reconciliation_records_fee CHECK ((fee <> 0)),
  constraint reconciliation_records_line_number_check CHECK ((line_number > 0)),
  constraint reconciliation_records_matched_as CHECK (((matched_as IS NULL) OR ((matched_as = ANY (ARRAY['part'::text, 'refund'::text, 'dispute'::text])) AND (status = 'matched'::text)))),
  constraint reconciliation_records_matched_has_payment CHECK (((status = 'matched'::text) = (matched_payment_id IS NOT NULL))),
  constraint reconciliation_records_matched_is_decided CHECK (
CASE
    WHEN (status = 'matched'::text) THEN COALESCE((decided_by = ANY (ARRAY['auto'::text, 'manual'::text])), false)
    ELSE (decided_by IS DISTINCT FROM 'auto'::text)
END),
  constraint reconciliation_records_occurrence_no_check CHECK ((occurrence_no > 0)),
  constraint reconciliation_records_status CHECK ((status = ANY (ARRAY['unmatched'::text, 'matched'::text])))
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX reconciliation_records_open ON payments.reconciliation_records USING btree (run_id, line_number) WHERE (status = 'unmatched'::text);
CREATE INDEX reconciliation_records_parts ON payments.reconciliation_records USING btree (matched_payment_id) WHERE (matched_as IS NOT NULL);
CREATE UNIQUE INDEX reconciliation_records_whole ON payments.reconciliation_records USING btree (matched_payment_id) WHERE ((matched_payment_id IS NOT NULL) AND (matched_as IS NULL));
CREATE TRIGGER reconciliation_records_guarded AFTER UPDATE ON payments.reconciliation_records REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION payments.reconciliation_records_guarded();
CREATE TRIGGER reconciliation_records_parts_guarded BEFORE INSERT OR UPDATE ON payments.reconciliation_records FOR EACH ROW WHEN ((new.matched_as = 'part'::text)) EXECUTE FUNCTION payments.reconciliation_part_guarded();
comment on column payments.reconciliation_records.external_transaction_id is 'personal';
comment on table payments.reconciliation_records is 'not personal: currency, matched_as';

create table payments.reconciliation_reversals (
  id uuid not null generated always as (COALESCE(refund_id, dispute_id)) stored,
  refund_id uuid,
  dispute_id uuid,
  run_id uuid not null,
  line_number integer not null,
  constraint reconciliation_reversals_pkey PRIMARY KEY (id),
  constraint reconciliation_reversals_dispute_id_key UNIQUE (dispute_id),
  constraint reconciliation_reversals_refund_id_key UNIQUE (refund_id),
  constraint reconciliation_reversals_check CHECK ((num_nonnulls(refund_id, dispute_id) = 1))
);
CREATE INDEX reconciliation_reversals_of_record ON payments.reconciliation_reversals USING btree (run_id, line_number);
CREATE TRIGGER reconciliation_reversals_guarded BEFORE INSERT OR UPDATE ON payments.reconciliation_reversals FOR EACH ROW EXECUTE FUNCTION payments.reconciliation_reversal_guarded();

create table payments.reconciliation_runs (
  id uuid not null,
  org_id text not null,
  user_id text not null,
  filename text not null,
  file_hash bytea not null,
  file_bytes bigint not null,
  format text not null default 'csv'::text,
  profile_id uuid,
  profile_version integer,
  status text not null default 'loaded'::text,
  total integer not null,
  matched integer not null default 0,
  unmatched integer not null,
  summary jsonb not null generated always as (((((((('{"matched": '::text || (matched)::text) || ', "unmatched": '::text) || (unmatched)::text) || ', "total": '::text) || (total)::text) || '}'::text))::jsonb) stored,
  duplicates integer not null default 0,
  pending integer not null default 0,
  sums jsonb not null,
  balances jsonb,
  run_no integer not null default 0,
  created_at timestamp with time zone not null default posthorn.now(),
  ran_at timestamp with time zone,
  discarded_at timestamp with time zone,
  discarded_by text,
  discard_reason text,
  constraint reconciliation_runs_pkey PRIMARY KEY (id),
  constraint reconciliation_runs_adds_up CHECK (((matched + unmatched) = total)),
  constraint reconciliation_runs_check CHECK (((profile_id IS NULL) = (profile_version IS NULL))),
  constraint reconciliation_runs_completed CHECK (((status <> 'completed'::text) OR (run_no > 0))),
  constraint reconciliation_runs_discard_reason CHECK (((length(discard_reason) >= 1) AND (length(discard_reason) <= 2000))),
  constraint reconciliation_runs_discarded CHECK ((((status = 'discarded'::text) = (discarded_at IS NOT NULL)) AND ((discarded_at IS NULL) = (discarded_by IS NULL)) AND ((discarded_at IS NULL) = (discard_reason IS NULL)) AND ((discarded_at IS NULL) OR (matched = 0)))),
  constraint reconciliation_runs_file_hash_check CHECK ((octet_length(file_hash) = 32)),
  constraint reconciliation_runs_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255))),
  constraint reconciliation_runs_format CHECK ((format = ANY (ARRAY['csv'::text, 'camt.053'::text, 'mt940'::text]))),
  constraint reconciliation_runs_matched_check CHECK ((matched >= 0)),
  constraint reconciliation_runs_pending CHECK ((pending >= 0)),
  constraint reconciliation_runs_ran CHECK (((run_no = 0) = (ran_at IS NULL))),
  constraint reconciliation_runs_status CHECK ((status = ANY (ARRAY['loaded'::text, 'running'::text, 'completed'::text, 'discarded'::text]))),
  constraint reconciliation_runs_total_check CHECK ((total >= 0)),
  constraint reconciliation_runs_unmatched_check CHECK ((unmatched >= 0))
) with (fillfactor=80);
CREATE INDEX reconciliation_runs_by_org ON payments.reconciliation_runs USING btree (org_id, id);
CREATE UNIQUE INDEX reconciliation_runs_file ON payments.reconciliation_runs USING btree (org_id, file_hash) WHERE (discarded_at IS NULL);
CREATE TRIGGER reconciliation_runs_deleted BEFORE DELETE ON payments.reconciliation_runs FOR EACH ROW EXECUTE FUNCTION payments.reconciliation_run_deleted();
comment on column payments.reconciliation_runs.filename is 'personal';
comment on column payments.reconciliation_runs.discard_reason is 'personal';
comment on table payments.reconciliation_runs is 'not personal: org_id, user_id, file_hash, summary, sums, balances, discarded_by';

create table payments.reconciliation_statements (
  run_id uuid not null,
  number integer not null,
  currency text not null,
  org_id text not null,
  statement_id text not null,
  account text,
  from_day date,
  to_day date,
  sequence integer,
  identity bytea,
  first_line integer,
  last_line integer,
  entries integer not null,
  booked numeric(30,0) not null,
  opening numeric(30,0),
  closing numeric(30,0),
  difference numeric(30,0) generated always as (((closing - opening) - booked)) stored,
  constraint reconciliation_statements_pkey PRIMARY KEY (run_id, number, currency),
  constraint reconciliation_statements_entries_check CHECK ((entries >= 0)),
  constraint reconciliation_statements_number_check CHECK ((number > 0))
);
CREATE INDEX reconciliation_statements_of_account ON payments.reconciliation_statements USING btree (org_id, account, to_day, sequence) WHERE (sequence IS NOT NULL);
CREATE UNIQUE INDEX reconciliation_statements_once ON payments.reconciliation_statements USING btree (org_id, identity, currency) WHERE (identity IS NOT NULL);
comment on column payments.reconciliation_statements.statement_id is 'personal';
comment on column payments.reconciliation_statements.account is 'personal';
comment on table payments.reconciliation_statements is 'not personal: org_id, currency, identity';

create table payments.reconciliation_suggestions (
  id uuid not null,
  run_id uuid not null,
  line_number integer not null,
  kind text not null,
  line_numbers integer[],
  payment_ids uuid[] not null,
  refund_ids uuid[] not null default '{}'::uuid[],
  difference bigint not null,
  ambiguous boolean not null,
  status text not null default 'open'::text,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint reconciliation_suggestions_pkey PRIMARY KEY (id),
  constraint reconciliation_suggestions_kind CHECK ((kind = ANY (ARRAY['amount_tolerance'::text, 'date_window'::text, 'many_to_one'::text, 'one_to_many'::text]))),
  constraint reconciliation_suggestions_of_something CHECK ((((cardinality(payment_ids) + cardinality(refund_ids)) >= 1) AND ((cardinality(payment_ids) + cardinality(refund_ids)) <= 1000))),
  constraint reconciliation_suggestions_parts CHECK (((kind = 'one_to_many'::text) = (line_numbers IS NOT NULL))),
  constraint reconciliation_suggestions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'accepted'::text, 'dismissed'::text])))
) with (fillfactor=80);
CREATE INDEX reconciliation_suggestions_listed ON payments.reconciliation_suggestions USING btree (run_id, line_number, id);

create table payments.reconciliation_tallies (
  run_id uuid not null,
  run_no integer not null,
  currency text not null,
  reason text not null,
  records integer not null,
  amount numeric(30,0) not null,
  constraint reconciliation_tallies_pkey PRIMARY KEY (run_id, run_no, currency, reason),
  constraint reconciliation_tallies_records_check CHECK ((records >= 0)),
  constraint reconciliation_tallies_run_no_check CHECK ((run_no > 0))
) with (fillfactor=70);
comment on table payments.reconciliation_tallies is 'not personal: currency, reason';

create table payments.tasks (
  id uuid not null,
  type text not null,
  payload jsonb not null,
  key text,
  tenant text,
  headers jsonb,
  dedupe text,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default posthorn.now(),
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  error text,
  error_code text,
  traceparent text,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint tasks_pkey PRIMARY KEY (id),
  constraint tasks_dedupe_key UNIQUE (dedupe),
  constraint tasks_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'dead'::text, 'cancelled'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX tasks_dead ON payments.tasks USING btree (created_at) WHERE (status = 'dead'::text);
CREATE INDEX tasks_due ON payments.tasks USING btree (due_at, id) WHERE (status = 'pending'::text);
CREATE INDEX tasks_finished ON payments.tasks USING btree (finished_at) WHERE (status = ANY (ARRAY['sent'::text, 'cancelled'::text]));
CREATE INDEX tasks_suspect ON payments.tasks USING btree (due_at, id) WHERE ((status = 'pending'::text) AND (lost_claims > 0));
comment on table payments.tasks is 'not personal: type, payload, key, tenant, headers, dedupe, error, error_code, traceparent';

create table payments.transactions (
  id uuid not null,
  payment_id uuid not null,
  org_id text,
  type text not null,
  status text not null default 'pending'::text,
  amount bigint not null,
  currency text not null,
  gateway_key text not null,
  gateway_ref text,
  error_code text,
  error_message text,
  created_at timestamp with time zone not null default posthorn.now(),
  updated_at timestamp with time zone not null default posthorn.now(),
  confirmed_at timestamp with time zone,
  follow_up text not null default 'closed'::text,
  lookup_at timestamp with time zone not null default posthorn.now(),
  lookups integer not null default 0,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  quarantined_at timestamp with time zone,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_gateway_key_key UNIQUE (gateway_key),
  constraint transactions_amount_check CHECK ((amount > 0)),
  constraint transactions_check CHECK (((status <> 'succeeded'::text) OR (gateway_ref IS NOT NULL))),
  constraint transactions_check1 CHECK (((status <> 'failed'::text) OR (error_code IS NOT NULL))),
  constraint transactions_confirmed CHECK (((confirmed_at IS NULL) OR ((type = 'refund'::text) AND (status <> 'failed'::text)))),
  constraint transactions_follow_up_check CHECK ((follow_up = ANY (ARRAY['open'::text, 'closed'::text]))),
  constraint transactions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint transactions_type_check CHECK ((type = ANY (ARRAY['charge'::text, 'authorisation'::text, 'capture'::text, 'void'::text, 'refund'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX transactions_due ON payments.transactions USING btree (lookup_at, id) WHERE (follow_up = 'open'::text);
CREATE INDEX transactions_of_payment ON payments.transactions USING btree (payment_id, id);
CREATE UNIQUE INDEX transactions_one_authorisation ON payments.transactions USING btree (payment_id) WHERE (type = 'authorisation'::text);
CREATE UNIQUE INDEX transactions_one_charge ON payments.transactions USING btree (payment_id) WHERE (type = 'charge'::text);
CREATE UNIQUE INDEX transactions_one_decision ON payments.transactions USING btree (payment_id) WHERE ((type = ANY (ARRAY['capture'::text, 'void'::text])) AND (status <> 'failed'::text));
CREATE INDEX transactions_quarantined ON payments.transactions USING btree (id) WHERE (quarantined_at IS NOT NULL);
CREATE INDEX transactions_refunds ON payments.transactions USING btree (payment_id) WHERE (type = 'refund'::text);
CREATE INDEX transactions_refunds_listed ON payments.transactions USING btree (id) WHERE (type = 'refund'::text);
CREATE INDEX transactions_refunds_of_org ON payments.transactions USING btree (org_id, id) WHERE (type = 'refund'::text);
CREATE INDEX transactions_suspect ON payments.transactions USING btree (lookup_at, id) WHERE ((follow_up = 'open'::text) AND (lost_claims > 0));
CREATE TRIGGER transactions_refund_guarded BEFORE INSERT OR UPDATE OF status, amount, currency, payment_id, type ON payments.transactions FOR EACH ROW WHEN (((new.type = 'refund'::text) AND (new.status <> 'failed'::text))) EXECUTE FUNCTION payments.refund_guarded();
comment on column payments.transactions.error_message is 'personal';
comment on table payments.transactions is 'not personal: org_id, currency, gateway_key, gateway_ref, error_code';

create table payments.webhook_attempts (
  id uuid not null,
  delivery_id uuid not null,
  attempt_no integer not null,
  request_url text,
  request_headers jsonb,
  response_status integer,
  response_headers jsonb,
  response_body text,
  response_encoding text,
  response_truncated boolean,
  duration_ms integer,
  error_class text,
  error text,
  started_at timestamp with time zone not null default now(),
  constraint webhook_attempts_pkey PRIMARY KEY (id),
  constraint webhook_attempts_response_encoding_check CHECK ((response_encoding = ANY (ARRAY['utf8'::text, 'base64'::text])))
);
CREATE INDEX webhook_attempts_age ON payments.webhook_attempts USING brin (started_at);
CREATE INDEX webhook_attempts_of_delivery ON payments.webhook_attempts USING btree (delivery_id, id);
comment on column payments.webhook_attempts.request_url is 'personal';
comment on column payments.webhook_attempts.request_headers is 'personal';
comment on column payments.webhook_attempts.response_headers is 'personal';
comment on column payments.webhook_attempts.response_body is 'personal';
comment on column payments.webhook_attempts.error is 'personal';
comment on table payments.webhook_attempts is 'not personal: error_class';

create table payments.webhook_deliveries (
  id uuid not null,
  position bigint not null generated always as identity,
  org_id text not null,
  endpoint_id uuid not null,
  event_id text not null,
  event_type text not null,
  order_key text,
  payload json not null,
  body text,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  max_attempts smallint,
  next_attempt_at timestamp with time zone not null default posthorn.now(),
  error text,
  error_code text,
  traceparent text,
  created_at timestamp with time zone not null default now(),
  delivered_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_endpoint_id_event_id_key UNIQUE (endpoint_id, event_id),
  constraint webhook_deliveries_check CHECK (((status <> 'delivered'::text) OR (delivered_at IS NOT NULL))),
  constraint webhook_deliveries_event_id_check CHECK (((length(event_id) >= 1) AND (length(event_id) <= 255))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'failed'::text, 'delivered'::text, 'abandoned'::text, 'skipped_disabled'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX webhook_deliveries_by_event ON payments.webhook_deliveries USING btree (org_id, event_id);
CREATE INDEX webhook_deliveries_by_status ON payments.webhook_deliveries USING btree (org_id, status, id);
CREATE INDEX webhook_deliveries_dead ON payments.webhook_deliveries USING btree (created_at) WHERE (status = 'abandoned'::text);
CREATE INDEX webhook_deliveries_listed ON payments.webhook_deliveries USING btree (org_id, id);
CREATE INDEX webhook_deliveries_missed ON payments.webhook_deliveries USING btree (endpoint_id, created_at) WHERE (status = ANY (ARRAY['abandoned'::text, 'skipped_disabled'::text]));
CREATE INDEX webhook_deliveries_shares ON payments.webhook_deliveries USING btree (org_id, next_attempt_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'failed'::text]));
CREATE INDEX webhook_deliveries_suspect ON payments.webhook_deliveries USING btree (next_attempt_at, id) WHERE ((status = ANY (ARRAY['pending'::text, 'failed'::text])) AND (lost_claims > 0));
CREATE INDEX webhook_deliveries_waiting ON payments.webhook_deliveries USING btree (endpoint_id, order_key, "position") WHERE (status = ANY (ARRAY['pending'::text, 'failed'::text]));
comment on column payments.webhook_deliveries.payload is 'personal';
comment on column payments.webhook_deliveries.body is 'personal';
comment on column payments.webhook_deliveries.error is 'personal';
comment on table payments.webhook_deliveries is 'not personal: org_id, event_id, event_type, order_key, error_code, traceparent';

create table payments.webhook_endpoint_hours (
  endpoint_id uuid not null,
  hour timestamp with time zone not null,
  delivered bigint not null,
  failed bigint not null,
  abandoned bigint not null,
  skipped bigint not null,
  filtered bigint not null default 0,
  last_delivered_at timestamp with time zone,
  last_failed_at timestamp with time zone,
  delivery_id uuid,
  error_code text,
  error text,
  constraint webhook_endpoint_hours_pkey PRIMARY KEY (endpoint_id, hour)
);
CREATE INDEX webhook_endpoint_hours_age ON payments.webhook_endpoint_hours USING btree (hour);
comment on column payments.webhook_endpoint_hours.error is 'personal';
comment on table payments.webhook_endpoint_hours is 'not personal: error_code';

create table payments.webhook_endpoints (
  id uuid not null,
  org_id text not null,
  url text not null,
  url_query text,
  event_types text[] not null,
  filter jsonb,
  ordered boolean not null default false,
  retry_waits integer[],
  retry_attempts smallint,
  timeout_ms integer,
  rate_per_second integer,
  signing text not null default 'hmac'::text,
  status text not null default 'enabled'::text,
  disabled_at timestamp with time zone,
  disabled_reason text,
  failing_since timestamp with time zone,
  last_failed_at timestamp with time zone,
  warned_at timestamp with time zone,
  created_at timestamp with time zone not null default posthorn.now(),
  updated_at timestamp with time zone not null default posthorn.now(),
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_check CHECK (((status = 'disabled'::text) = (disabled_at IS NOT NULL))),
  constraint webhook_endpoints_check1 CHECK (((status = 'disabled'::text) = (disabled_reason IS NOT NULL))),
  constraint webhook_endpoints_event_types_check CHECK (((cardinality(event_types) >= 1) AND (cardinality(event_types) <= 100))),
  constraint webhook_endpoints_rate_per_second_check CHECK (((rate_per_second >= 1) AND (rate_per_second <= 1000))),
  constraint webhook_endpoints_retry CHECK (((retry_waits IS NULL) = (retry_attempts IS NULL))),
  constraint webhook_endpoints_retry_attempts_check CHECK (((retry_attempts >= 1) AND (retry_attempts <= 50))),
  constraint webhook_endpoints_retry_waits_check CHECK ((((cardinality(retry_waits) >= 1) AND (cardinality(retry_waits) <= 20)) AND (1 <= ALL (retry_waits)) AND (86400 >= ALL (retry_waits)))),
  constraint webhook_endpoints_signing_check CHECK ((signing = ANY (ARRAY['hmac'::text, 'ed25519'::text]))),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  constraint webhook_endpoints_timeout_ms_check CHECK (((timeout_ms >= 1000) AND (timeout_ms <= 30000))),
  constraint webhook_endpoints_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
CREATE INDEX webhook_endpoints_failing ON payments.webhook_endpoints USING btree (failing_since) WHERE ((failing_since IS NOT NULL) AND (status = 'enabled'::text) AND (deleted_at IS NULL));
CREATE INDEX webhook_endpoints_listed ON payments.webhook_endpoints USING btree (org_id, id) WHERE (deleted_at IS NULL);
comment on table payments.webhook_endpoints is 'not personal: org_id, url, url_query, event_types, filter, disabled_reason';

create table payments.webhook_events (
  event_id text not null,
  type text not null,
  source text not null default 'webhook'::text,
  payment_id uuid,
  org_id text,
  named_payment uuid,
  gateway_ref text,
  payload json not null,
  original bytea,
  outcome text not null,
  reason text,
  received_at timestamp with time zone not null default posthorn.now(),
  decided_at timestamp with time zone,
  constraint webhook_events_pkey PRIMARY KEY (event_id),
  constraint webhook_events_check CHECK (((outcome = 'unknown_payment'::text) = (payment_id IS NULL))),
  constraint webhook_events_check1 CHECK (((payment_id IS NULL) = (org_id IS NULL))),
  constraint webhook_events_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'unchanged'::text, 'forbidden'::text, 'kept'::text, 'unknown_payment'::text, 'parked'::text, 'mismatch'::text]))),
  constraint webhook_events_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'lookup'::text])))
);
CREATE INDEX webhook_events_age ON payments.webhook_events USING brin (received_at);
CREATE INDEX webhook_events_by_outcome ON payments.webhook_events USING btree (org_id, outcome, received_at, event_id) WHERE (outcome <> ALL (ARRAY['applied'::text, 'unchanged'::text]));
CREATE INDEX webhook_events_listed ON payments.webhook_events USING btree (org_id, received_at, event_id);
CREATE INDEX webhook_events_of_payment ON payments.webhook_events USING btree (payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX webhook_events_unknown_payment ON payments.webhook_events USING btree (named_payment) WHERE ((outcome = 'unknown_payment'::text) AND (named_payment IS NOT NULL));
CREATE INDEX webhook_events_unknown_ref ON payments.webhook_events USING btree (gateway_ref) WHERE ((outcome = 'unknown_payment'::text) AND (gateway_ref IS NOT NULL));
comment on column payments.webhook_events.payload is 'personal';
comment on column payments.webhook_events.original is 'personal';
comment on column payments.webhook_events.reason is 'personal';
comment on table payments.webhook_events is 'not personal: event_id, type, org_id, gateway_ref';

create table payments.webhook_rates (
  endpoint_id uuid not null,
  tokens double precision not null,
  refilled_at timestamp with time zone not null,
  next_slot timestamp with time zone not null,
  granted integer not null,
  slot timestamp with time zone not null,
  constraint webhook_rates_pkey PRIMARY KEY (endpoint_id)
) with (fillfactor=50);

create table payments.webhook_retry_runs (
  id uuid not null,
  org_id text not null,
  processed integer not null,
  success integer not null,
  failed integer not null,
  ran_at timestamp with time zone not null default posthorn.now(),
  constraint webhook_retry_runs_pkey PRIMARY KEY (org_id, id),
  constraint webhook_retry_runs_check CHECK ((processed = (success + failed)))
);
CREATE INDEX webhook_retry_runs_age ON payments.webhook_retry_runs USING btree (ran_at);
comment on table payments.webhook_retry_runs is 'not personal: org_id';

create table payments.webhook_secrets (
  id uuid not null,
  endpoint_id uuid not null,
  sealed text not null,
  public_key text,
  created_at timestamp with time zone not null default posthorn.now(),
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX webhook_secrets_current ON payments.webhook_secrets USING btree (endpoint_id) WHERE (expires_at IS NULL);
CREATE INDEX webhook_secrets_of_endpoint ON payments.webhook_secrets USING btree (endpoint_id);
comment on table payments.webhook_secrets is 'not personal: sealed, public_key';

create table payments.webhook_tallies (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default posthorn.now(),
  counts jsonb not null,
  constraint webhook_tallies_pkey PRIMARY KEY (id),
  constraint webhook_tallies_counts_check CHECK ((jsonb_typeof(counts) = 'array'::text))
);
comment on table payments.webhook_tallies is 'not personal: counts';

alter table payments.disputes add constraint disputes_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments.payments(id);
alter table payments.reconciliation_history add constraint reconciliation_history_run_id_fkey FOREIGN KEY (run_id) REFERENCES payments.reconciliation_runs(id) ON DELETE CASCADE;
alter table payments.reconciliation_links add constraint reconciliation_links_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments.payments(id);
alter table payments.reconciliation_links add constraint reconciliation_links_run_id_line_number_fkey FOREIGN KEY (run_id, line_number) REFERENCES payments.reconciliation_records(run_id, line_number) ON DELETE CASCADE;
alter table payments.reconciliation_profile_versions add constraint reconciliation_profile_versions_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES payments.reconciliation_profiles(id);
alter table payments.reconciliation_records add constraint reconciliation_records_matched_payment_id_fkey FOREIGN KEY (matched_payment_id) REFERENCES payments.payments(id);
alter table payments.reconciliation_reversals add constraint reconciliation_reversals_dispute_id_fkey FOREIGN KEY (dispute_id) REFERENCES payments.disputes(id);
alter table payments.reconciliation_reversals add constraint reconciliation_reversals_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES payments.transactions(id);
alter table payments.reconciliation_reversals add constraint reconciliation_reversals_run_id_line_number_fkey FOREIGN KEY (run_id, line_number) REFERENCES payments.reconciliation_records(run_id, line_number) ON DELETE CASCADE;
alter table payments.reconciliation_runs add constraint reconciliation_runs_profile_id_profile_version_fkey FOREIGN KEY (profile_id, profile_version) REFERENCES payments.reconciliation_profile_versions(profile_id, version);
alter table payments.reconciliation_statements add constraint reconciliation_statements_run_id_fkey FOREIGN KEY (run_id) REFERENCES payments.reconciliation_runs(id) ON DELETE CASCADE;
alter table payments.reconciliation_suggestions add constraint reconciliation_suggestions_run_id_line_number_fkey FOREIGN KEY (run_id, line_number) REFERENCES payments.reconciliation_records(run_id, line_number) ON DELETE CASCADE;
alter table payments.reconciliation_tallies add constraint reconciliation_tallies_run_id_fkey FOREIGN KEY (run_id) REFERENCES payments.reconciliation_runs(id) ON DELETE CASCADE;
alter table payments.transactions add constraint transactions_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments.payments(id);
alter table payments.webhook_attempts add constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES payments.webhook_deliveries(id) ON DELETE CASCADE;
alter table payments.webhook_deliveries add constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES payments.webhook_endpoints(id);
alter table payments.webhook_events add constraint webhook_events_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments.payments(id);
alter table payments.webhook_rates add constraint webhook_rates_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES payments.webhook_endpoints(id) ON DELETE CASCADE;
alter table payments.webhook_secrets add constraint webhook_secrets_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES payments.webhook_endpoints(id) ON DELETE CASCADE;

create view payments.ledger as
 SELECT p.id AS payment_id,
    p.org_id,
    p.currency,
    sums.taken,
    sums.refunded,
    claims.disputed,
    ((sums.taken - sums.refunded) - claims.disputed) AS net
   FROM ((payments.payments p
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (p.status = ANY (ARRAY['succeeded'::text, 'refunded'::text])) THEN COALESCE(p.captured_amount, p.amount)
                    ELSE (0)::bigint
                END AS taken,
                CASE
                    WHEN (p.status = 'refunded'::text) THEN COALESCE(p.captured_amount, p.amount)
                    ELSE ( SELECT (COALESCE(sum(r.amount), (0)::numeric))::bigint AS "coalesce"
                       FROM payments.transactions r
                      WHERE ((r.payment_id = p.id) AND (r.type = 'refund'::text) AND (r.status = 'succeeded'::text) AND (r.confirmed_at IS NOT NULL)))
                END AS refunded) sums)
     CROSS JOIN LATERAL ( SELECT GREATEST((COALESCE(sum(d.amount) FILTER (WHERE (d.currency = p.currency)), (0)::numeric))::bigint,
                CASE
                    WHEN bool_or((d.currency <> p.currency)) THEN (sums.taken - sums.refunded)
                    ELSE NULL::bigint
                END) AS disputed
           FROM payments.disputes d
          WHERE ((d.payment_id = p.id) AND (d.status = ANY (ARRAY['opened'::text, 'lost'::text])))) claims);

create view payments.reconciliation_counts as
 SELECT reconciliation_tallies.run_id,
    reconciliation_tallies.run_no,
    reconciliation_tallies.currency,
    reconciliation_tallies.reason,
    reconciliation_tallies.records,
    reconciliation_tallies.amount
   FROM payments.reconciliation_tallies
UNION ALL
 SELECT d.run_id,
    u.run_no,
    r.currency,
    m.reason,
    m.sign AS records,
    (m.sign * r.amount) AS amount
   FROM (((payments.reconciliation_reasons d
     JOIN payments.reconciliation_runs u ON ((u.id = d.run_id)))
     JOIN payments.reconciliation_records r ON (((r.run_id = d.run_id) AND (r.line_number = d.line_number))))
     CROSS JOIN LATERAL ( VALUES (d.stored,'-1'::integer), (d.reason,1)) m(reason, sign))
  WHERE ((d.stored = 'payment_not_succeeded'::text) AND (d.reason <> d.stored));

create view payments.reconciliation_reasons as
 SELECT run_id,
    line_number,
    run_no,
    reason AS stored,
        CASE
            WHEN ((reason <> 'payment_not_succeeded'::text) OR (( SELECT p.status
               FROM payments.payments p
              WHERE (p.id = d.payment_id)) = ANY (ARRAY['pending'::text, 'failed'::text])) OR (EXISTS ( SELECT
               FROM (payments.reconciliation_links l
                 JOIN payments.payments p ON ((p.id = l.payment_id)))
              WHERE ((l.run_id = d.run_id) AND (l.line_number = d.line_number) AND (p.status = ANY (ARRAY['pending'::text, 'failed'::text])))))) THEN reason
            WHEN (actor IS NULL) THEN 'exact_match'::text
            ELSE 'manual_match'::text
        END AS reason,
    payment_id,
    note,
    actor,
    created_at
   FROM payments.reconciliation_details d;

create view payments.reversals as
 SELECT transactions.id,
    transactions.id AS refund_id,
    NULL::uuid AS dispute_id,
    'refund'::text AS kind,
    transactions.payment_id,
    transactions.org_id,
    transactions.amount,
    transactions.currency,
    transactions.status,
    (transactions.status <> 'failed'::text) AS took_money,
    (transactions.status <> 'succeeded'::text) AS is_late,
    transactions.gateway_ref,
    transactions.created_at
   FROM payments.transactions
  WHERE (transactions.type = 'refund'::text)
UNION ALL
 SELECT disputes.id,
    NULL::uuid AS refund_id,
    disputes.id AS dispute_id,
    'dispute'::text AS kind,
    disputes.payment_id,
    disputes.org_id,
    disputes.amount,
    disputes.currency,
    disputes.status,
    (disputes.status <> 'inquiry'::text) AS took_money,
    (disputes.status <> ALL (ARRAY['opened'::text, 'lost'::text])) AS is_late,
    disputes.gateway_ref,
    disputes.opened_at AS created_at
   FROM payments.disputes;

create schema sagas;

create table sagas.consumer_inbox (
  consumer text not null,
  event_id text not null,
  received_at timestamp with time zone not null default now(),
  constraint consumer_inbox_pkey PRIMARY KEY (event_id, consumer)
);
CREATE INDEX consumer_inbox_others ON sagas.consumer_inbox USING btree (received_at) WHERE (NOT (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'::text));
comment on table sagas.consumer_inbox is 'not personal: consumer, event_id';

create table sagas.idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint text not null,
  lock_token uuid,
  locked_until timestamp with time zone,
  locked boolean generated always as ((lock_token IS NOT NULL)) stored,
  takeovers integer not null default 0,
  state jsonb,
  response_status integer,
  response_headers json,
  response_body bytea,
  created_at timestamp with time zone not null default posthorn.now(),
  completed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (scope, key),
  constraint idempotency_keys_check CHECK (((completed_at IS NULL) = (lock_token IS NOT NULL))),
  constraint idempotency_keys_check1 CHECK (((completed_at IS NULL) = (locked_until IS NOT NULL))),
  constraint idempotency_keys_check2 CHECK (((completed_at IS NULL) = (response_status IS NULL))),
  constraint idempotency_keys_check3 CHECK (((completed_at IS NULL) = (response_headers IS NULL))),
  constraint idempotency_keys_check4 CHECK (((completed_at IS NULL) = (response_body IS NULL))),
  constraint idempotency_keys_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 255)))
);
CREATE INDEX idempotency_keys_expired ON sagas.idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys_stale ON sagas.idempotency_keys USING btree (locked_until) WHERE (completed_at IS NULL);
comment on column sagas.idempotency_keys.key is 'personal';
comment on column sagas.idempotency_keys.state is 'personal';
comment on column sagas.idempotency_keys.response_headers is 'personal';
comment on column sagas.idempotency_keys.response_body is 'personal';
comment on table sagas.idempotency_keys is 'not personal: scope, fingerprint';

create table sagas.orders (
  id uuid not null,
  org_id text not null,
  saga_id uuid not null,
  items jsonb not null,
  amount bigint not null,
  currency text not null,
  created_at timestamp with time zone not null default posthorn.now(),
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_saga_id_key UNIQUE (saga_id),
  constraint orders_amount_check CHECK ((amount > 0)),
  constraint orders_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint orders_items_check CHECK (((jsonb_typeof(items) = 'array'::text) AND (jsonb_array_length(items) > 0)))
);
CREATE INDEX orders_by_amount ON sagas.orders USING btree (org_id, amount, id);
CREATE INDEX orders_org ON sagas.orders USING btree (org_id, id);
comment on table sagas.orders is 'not personal: org_id, items, currency';

create table sagas.payment (
  order_id uuid not null,
  org_id text not null,
  status text not null,
  amount bigint not null,
  currency text not null,
  gateway_key text not null,
  gateway_ref text,
  refund_ref text,
  error_code text,
  error text,
  calls integer not null default 0,
  calling_until timestamp with time zone,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint payment_pkey PRIMARY KEY (order_id),
  constraint payment_gateway_ref_key UNIQUE (gateway_ref),
  constraint payment_refund_ref_key UNIQUE (refund_ref),
  constraint payment_amount_check CHECK ((amount > 0)),
  constraint payment_check CHECK (((status = ANY (ARRAY['CHARGED'::text, 'REFUNDED'::text])) = (gateway_ref IS NOT NULL))),
  constraint payment_check1 CHECK (((status = 'REFUNDED'::text) = (refund_ref IS NOT NULL))),
  constraint payment_check2 CHECK (((status = ANY (ARRAY['DECLINED'::text, 'FAILED'::text])) = (error_code IS NOT NULL))),
  constraint payment_check3 CHECK (((status <> ALL (ARRAY['CANCELLED'::text, 'REFUNDED'::text])) OR (cancelled_at IS NOT NULL))),
  constraint payment_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint payment_status_check CHECK ((status = ANY (ARRAY['CHARGING'::text, 'CHARGED'::text, 'DECLINED'::text, 'FAILED'::text, 'CANCELLED'::text, 'REFUNDED'::text])))
);
comment on table sagas.payment is 'not personal: org_id, currency, gateway_key, gateway_ref, refund_ref, error_code, error';

create table sagas.saga (
  id uuid not null,
  name text not null,
  version integer not null,
  step_names text[] not null,
  forks jsonb,
  tenant text,
  traceparent text,
  status text not null default 'RUNNING'::text,
  input jsonb not null,
  position integer not null default 0,
  turn integer not null default 1,
  moves integer not null default 0,
  asleep boolean not null default false,
  waits_for text[],
  due_at timestamp with time zone,
  deadline_at timestamp with time zone,
  replies integer not null default 0,
  cancelled_at timestamp with time zone,
  resumes_as text,
  error_code text,
  error text,
  cause_code text,
  cause text,
  held_code text,
  held_error text,
  held_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  constraint saga_pkey PRIMARY KEY (id),
  constraint saga_check CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['COMPLETED'::text, 'COMPENSATED'::text, 'FAILED'::text, 'TERMINATED'::text])))),
  constraint saga_check1 CHECK (((resumes_as IS NOT NULL) = (status = 'FAILED'::text))),
  constraint saga_held_check CHECK (((held_code IS NULL) = (held_at IS NULL))),
  constraint saga_resumes_as_check CHECK ((resumes_as = ANY (ARRAY['RUNNING'::text, 'COMPENSATING'::text]))),
  constraint saga_status_check CHECK ((status = ANY (ARRAY['RUNNING'::text, 'COMPENSATING'::text, 'COMPLETED'::text, 'COMPENSATED'::text, 'FAILED'::text, 'TERMINATED'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX saga_held ON sagas.saga USING btree (name, version) WHERE (held_code IS NOT NULL);
CREATE INDEX saga_status ON sagas.saga USING btree (status, id) WHERE (status <> 'COMPLETED'::text);
CREATE INDEX saga_tenant ON sagas.saga USING btree (tenant, id);
comment on column sagas.saga.input is 'personal';
comment on column sagas.saga.error is 'personal';
comment on column sagas.saga.cause is 'personal';
comment on column sagas.saga.held_error is 'personal';
comment on table sagas.saga is 'not personal: name, step_names, forks, tenant, traceparent, waits_for, error_code, cause_code, held_code';

create table sagas.saga_action (
  id bigint not null generated always as identity,
  saga_id uuid not null,
  action text not null,
  step text,
  was text not null,
  actor text not null,
  reason text,
  at timestamp with time zone not null default now(),
  constraint saga_action_pkey PRIMARY KEY (id),
  constraint saga_action_action_check CHECK ((action = ANY (ARRAY['cancel'::text, 'resume'::text, 'skip'::text, 'terminate'::text]))),
  constraint saga_action_check CHECK (((reason IS NOT NULL) OR (action = ANY (ARRAY['cancel'::text, 'resume'::text])))),
  constraint saga_action_reason_check CHECK ((reason ~ '\S'::text))
);
CREATE INDEX saga_action_saga ON sagas.saga_action USING btree (saga_id, id);
comment on column sagas.saga_action.actor is 'personal';
comment on column sagas.saga_action.reason is 'personal';
comment on table sagas.saga_action is 'not personal: step, was';

create table sagas.saga_key (
  key text not null,
  name text not null,
  tenant text not null default ''::text,
  saga_id uuid not null,
  constraint saga_key_pkey PRIMARY KEY (key, name, tenant)
);
CREATE INDEX saga_key_saga ON sagas.saga_key USING btree (saga_id);
comment on table sagas.saga_key is 'not personal: key, name, tenant';

create table sagas.saga_outbox (
  id uuid not null,
  seq bigint not null generated always as identity,
  saga_id uuid not null,
  step text not null,
  topic text not null,
  event_type text not null,
  key text not null,
  tenant text,
  payload jsonb not null,
  traceparent text,
  status text not null default 'PENDING'::text,
  retry_count integer not null default 0,
  next_retry_at timestamp with time zone not null default posthorn.now(),
  error_code text,
  last_error text,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  lost_claims smallint not null default 0,
  bucket smallint not null generated always as (posthorn.bucket_of(key)) stored,
  held boolean not null default false,
  constraint saga_outbox_pkey PRIMARY KEY (id),
  constraint saga_outbox_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'CLAIMED'::text, 'SENT'::text, 'FAILED'::text, 'DEAD_LETTER'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX saga_outbox_dead ON sagas.saga_outbox USING btree (created_at) WHERE (status = 'DEAD_LETTER'::text);
CREATE INDEX saga_outbox_finished ON sagas.saga_outbox USING btree (sent_at) WHERE (status = 'SENT'::text);
CREATE INDEX saga_outbox_flow ON sagas.saga_outbox USING btree (bucket, seq) WHERE ((status = 'PENDING'::text) AND (NOT held));
CREATE INDEX saga_outbox_held ON sagas.saga_outbox USING btree (key, seq) WHERE (held AND (status = 'PENDING'::text));
CREATE INDEX saga_outbox_saga ON sagas.saga_outbox USING btree (saga_id);
comment on column sagas.saga_outbox.payload is 'personal';
comment on column sagas.saga_outbox.last_error is 'personal';
comment on table sagas.saga_outbox is 'not personal: step, topic, event_type, key, tenant, traceparent, error_code';

create table sagas.saga_reply (
  saga_id uuid not null,
  event_id text not null,
  event_type text not null,
  payload jsonb not null,
  headers jsonb not null,
  status text not null,
  received_at timestamp with time zone not null default now(),
  constraint saga_reply_pkey PRIMARY KEY (saga_id, event_id),
  constraint saga_reply_status_check CHECK ((status = ANY (ARRAY['KEPT'::text, 'USED'::text, 'IGNORED'::text])))
);
comment on column sagas.saga_reply.payload is 'personal';
comment on column sagas.saga_reply.headers is 'personal';
comment on table sagas.saga_reply is 'not personal: event_id, event_type';

create table sagas.saga_step (
  saga_id uuid not null,
  position integer not null,
  name text not null,
  status text not null,
  output jsonb,
  attempts integer not null default 0,
  undo_attempts integer not null default 0,
  error_code text,
  error text,
  skipped text,
  due_at timestamp with time zone,
  timed_out boolean not null default false,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  undo_started_at timestamp with time zone,
  undone_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint saga_step_pkey PRIMARY KEY (saga_id, "position"),
  constraint saga_step_skipped_check CHECK ((skipped = ANY (ARRAY['action'::text, 'compensation'::text]))),
  constraint saga_step_status_check CHECK ((status = ANY (ARRAY['RUNNING'::text, 'WAITING'::text, 'RETRYING'::text, 'COMPLETED'::text, 'SKIPPED'::text, 'REFUSED'::text, 'FAILED'::text, 'UNDOING'::text, 'COMPENSATED'::text])))
);
comment on column sagas.saga_step.output is 'personal';
comment on column sagas.saga_step.error is 'personal';
comment on table sagas.saga_step is 'not personal: name, error_code';

create table sagas.saga_turn (
  id text not null,
  saga_id uuid not null,
  turn integer not null,
  status text not null default 'READY'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default posthorn.now(),
  error_code text,
  error text,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  claim_token uuid,
  claimed_until timestamp with time zone,
  lost_claims smallint not null default 0,
  constraint saga_turn_pkey PRIMARY KEY (id),
  constraint saga_turn_status_check CHECK ((status = ANY (ARRAY['READY'::text, 'DONE'::text, 'DEAD'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX saga_turn_dead ON sagas.saga_turn USING btree (created_at) WHERE (status = 'DEAD'::text);
CREATE INDEX saga_turn_due ON sagas.saga_turn USING btree (due_at, id) WHERE (status = 'READY'::text);
CREATE INDEX saga_turn_finished ON sagas.saga_turn USING btree (finished_at) WHERE (status = 'DONE'::text);
CREATE INDEX saga_turn_suspect ON sagas.saga_turn USING btree (due_at, id) WHERE ((status = 'READY'::text) AND (lost_claims > 0));
comment on table sagas.saga_turn is 'not personal: id, error_code, error';

create table sagas.shipment (
  order_id uuid not null,
  org_id text not null,
  status text not null,
  tracking_code text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint shipment_pkey PRIMARY KEY (order_id),
  constraint shipment_check CHECK (((status <> 'BOOKED'::text) OR (tracking_code IS NOT NULL))),
  constraint shipment_status_check CHECK ((status = ANY (ARRAY['BOOKED'::text, 'CANCELLED'::text])))
);
comment on table sagas.shipment is 'not personal: org_id, tracking_code';

create table sagas.stock (
  org_id text not null,
  sku text not null,
  available bigint not null,
  reserved bigint not null default 0,
  constraint stock_pkey PRIMARY KEY (org_id, sku),
  constraint stock_available_check CHECK ((available >= 0)),
  constraint stock_reserved_check CHECK ((reserved >= 0))
);
comment on table sagas.stock is 'not personal: org_id, sku';

create table sagas.stock_reservation (
  order_id uuid not null,
  org_id text not null,
  status text not null,
  items jsonb not null,
  missing text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint stock_reservation_pkey PRIMARY KEY (order_id),
  constraint stock_reservation_check CHECK (((status = 'REFUSED'::text) = (missing IS NOT NULL))),
  constraint stock_reservation_status_check CHECK ((status = ANY (ARRAY['RESERVED'::text, 'REFUSED'::text, 'RELEASED'::text, 'SHIPPED'::text])))
);
comment on table sagas.stock_reservation is 'not personal: org_id, items, missing';

alter table sagas.orders add constraint orders_saga_id_fkey FOREIGN KEY (saga_id) REFERENCES sagas.saga(id);
