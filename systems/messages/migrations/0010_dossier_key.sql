-- breaking
-- A dossier's id is its organisation's own: the key is both.

alter table messages.consent drop constraint consent_dossier_id_fkey;
alter table messages.outbound_message drop constraint outbound_message_dossier_id_fkey;
alter table messages.activity drop constraint activity_dossier_id_fkey;

alter table messages.dossier drop constraint dossier_pkey;
drop index messages.dossier_org;
alter table messages.dossier add primary key (org_id, id);

alter table messages.consent add column org_id text;
update messages.consent as c set org_id = d.org_id
  from messages.dossier as d
 where d.id = c.dossier_id;
alter table messages.consent alter column org_id set not null;
alter table messages.consent drop constraint consent_pkey;
alter table messages.consent add primary key (org_id, dossier_id, channel);

alter table messages.consent add foreign key (org_id, dossier_id) references messages.dossier;
alter table messages.outbound_message add foreign key (org_id, dossier_id)
  references messages.dossier;
alter table messages.activity add foreign key (org_id, dossier_id) references messages.dossier;

drop index messages.outbound_message_waiting;
create index outbound_message_waiting on messages.outbound_message (org_id, dossier_id, channel)
  where status = 'QUEUED' and dossier_id is not null;
drop index messages.activity_dossier;
create index activity_dossier on messages.activity (org_id, dossier_id, seq);

-- Mail has no template.
alter table messages.outbound_message alter column template_code drop not null;

-- The number of the last attempt, which goes out with it and comes back in every report of it.
alter table messages.outbound_message add column attempt_no integer not null default 0;
update messages.outbound_message as m set attempt_no = a.attempt_no
  from (select outbound_message_id, max(attempt_no) as attempt_no
          from messages.outbound_attempt
         group by outbound_message_id) as a
 where a.outbound_message_id = m.id and m.status in ('QUEUED', 'SENDING', 'SENT', 'FAILED');

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
  end if;
  return new;
end $$;
