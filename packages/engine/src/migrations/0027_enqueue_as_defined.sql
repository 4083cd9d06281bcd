-- Whether every writer of an ordered outbox waits for the commit of the one before, as its definition says.
alter table posthorn.outbox add column serialise boolean;

-- As before, with the definition's own `serialise` unless the caller says otherwise, with a priority and
-- a trace context, and with the name of what is missing where the table or the call does not fit. Another
-- list of parameters is another function: the one before would make every call ambiguous.
drop function posthorn.enqueue(text, text, jsonb, text, text, jsonb, text, interval, boolean);
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
