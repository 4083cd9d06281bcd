-- When a message is to go, and when it went, arrived and was read by the provider's clock.
alter table messages.outbound_message
  add column send_at timestamptz,
  add column sent_at timestamptz,
  add column delivered_at timestamptz,
  add column read_at timestamptz;

create or replace function messages.message_moved() returns trigger
  language plpgsql
as $$
begin
  new.updated_at := now();
  new.outcome_unknown := new.outcome_unknown and new.status = 'SENDING';
  if old.status = 'QUEUED' and new.status = 'SENDING' then
    new.attempt_no := old.attempt_no + 1;
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
end $$;

-- The first id that can have been made at a time: ids begin with their milliseconds.
create function messages.first_id_at(at timestamptz) returns uuid
  language sql immutable parallel safe
  return (lpad(to_hex(least(greatest(extract(epoch from at) * 1000, 0), 281474976710655)::bigint),
               12, '0') || '00000000000000000000')::uuid;
