-- Organisations share every claim, and what is urgent goes before what is not.
alter table messages.outbound_message
  add column priority text not null default 'normal' check (priority in ('normal', 'urgent')),
  add column lane text not null generated always as (
    case priority when 'urgent' then 'urgent/' else 'normal/' end || org_id) stored;

drop index messages.outbound_message_due;
create index outbound_message_due on messages.outbound_message (lane, next_retry_at, id)
  where status = 'QUEUED';

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
