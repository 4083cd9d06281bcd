-- Codes and other parameters are removed once a message is over.

alter table messages.outbound_message add column contents_removed_at timestamptz;

create or replace function messages.message_moved() returns trigger
  language plpgsql
as $$
begin
  new.updated_at := now();
  new.outcome_unknown := new.outcome_unknown and new.status = 'SENDING';
  -- Tried anew, it is another message to the provider, and its old failure is history.
  if old.status = 'FAILED' and new.status = 'QUEUED' then
    -- Without its contents there is nothing to send: it stays as it is.
    if old.contents_removed_at is not null then
      return null;
    end if;
    new.provider_message_id := null;
    new.error_code := null;
    new.error_message := null;
  end if;
  return new;
end $$;
