-- As before, and into the log of an outbox that has one: its table has only what left the log, and goes
-- before all that is still in it.
create or replace function posthorn.enqueue(
  outbox text,
  type text,
  payload jsonb,
  key text default null,
  tenant text default null,
  headers jsonb default null,
  dedupe text default null,
  delay interval default interval '0',
  serialise boolean default false
) returns uuid
  language plpgsql volatile
as $$
declare
  target regclass;
  is_log boolean;
  stored uuid;
begin
  select to_regclass(coalesce(o.log_name, o.table_name)), o.log_name is not null into target, is_log
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
  -- Before the first row: a transaction without a number could have a seq that no reader waits for.
  perform pg_current_xact_id();
  if serialise then
    perform pg_advisory_xact_lock(hashtext(outbox), posthorn.bucket_of(key));
  end if;
  execute format(
    'insert into %s (id, type, payload, key, tenant, headers, dedupe, due_at)
     values (posthorn.new_id(), $1, $2, $3, $4, $5, $6, posthorn.now() + $7)
     %s
     returning id', target, case when is_log then '' else 'on conflict (dedupe) do nothing' end)
    into stored
    using type, payload, key, tenant, headers, dedupe, delay;
  if stored is null then
    execute format('select id from %s where dedupe = $1', target) into stored using dedupe;
  else
    perform pg_notify('posthorn_wake', 'ring ' || outbox);
  end if;
  return stored;
end
$$;
