-- What the handlers of a process have done: the line commits with their effects, so that a message
-- which comes again after a crash is not handled again.
create table posthorn.handled (
  outbox text not null,
  message_id text not null,
  handled_at timestamptz not null default now(),
  primary key (outbox, message_id)
);
create index handled_age on posthorn.handled (handled_at);

-- An id with the time in front, as the library makes them.
create function posthorn.new_id() returns uuid
  language sql volatile parallel safe
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

-- For triggers, psql and other languages: writes a message into an outbox whose table the library
-- made, in the caller's transaction, and wakes the relays when that commits. Returns the message's id,
-- or that of the first one with the same dedupe word.
create function posthorn.enqueue(
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
  stored uuid;
begin
  select to_regclass(o.table_name) into target from posthorn.outbox as o where o.name = enqueue.outbox;
  if target is null then
    raise exception 'there is no outbox "%"', outbox
      using errcode = 'undefined_table',
            hint = 'select name, table_name from posthorn.outbox; a relay notes its outboxes there when it starts.';
  end if;
  -- Before the first row: a transaction without a number could have a seq that no reader waits for.
  perform pg_current_xact_id();
  if serialise then
    perform pg_advisory_xact_lock(hashtext(outbox), posthorn.bucket_of(key));
  end if;
  execute format(
    'insert into %s (id, type, payload, key, tenant, headers, dedupe, due_at)
     values (posthorn.new_id(), $1, $2, $3, $4, $5, $6, posthorn.now() + $7)
     on conflict (dedupe) do nothing
     returning id', target)
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
