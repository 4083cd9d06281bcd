-- Organisations share every claim, and what is urgent goes before what is not.
alter table messages.outbound_message
  add column priority text not null default 'normal',
  add constraint outbound_message_priority_check check (priority in ('normal', 'urgent')) not valid,
  -- By the triggers: a generated column would write the whole table anew. Null until a message of
  -- before moves.
  add column lane text;

create function messages.message_lane() returns trigger language plpgsql as $$
begin
  new.lane := case new.priority when 'urgent' then 'urgent/' else 'normal/' end || new.org_id;
  return new;
end $$;
create trigger outbound_message_lane_given before insert on messages.outbound_message
  for each row execute function messages.message_lane();
create trigger outbound_message_lane_kept before update on messages.outbound_message
  for each row when (new.lane is null or new.priority <> old.priority)
  execute function messages.message_lane();

create or replace function messages.message_moved() returns trigger
  language plpgsql
as $$
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
end $$;
