-- breaking
-- A dossier's id is its organisation's own: the key is both. Versions before cannot write dossiers and
-- consents from here on; these two tables are rebuilt.

alter table messages.consent drop constraint consent_dossier_id_fkey;
alter table messages.outbound_message drop constraint outbound_message_dossier_id_fkey;
alter table messages.activity drop constraint activity_dossier_id_fkey;

alter table messages.dossier drop constraint dossier_pkey;
drop index messages.dossier_org;
-- locks: versions before are stopped for this step, and no other writes dossiers
alter table messages.dossier add primary key (org_id, id);

alter table messages.consent add column org_id text;
-- locks: versions before are stopped for this step, and no other writes consents
update messages.consent as c set org_id = d.org_id
  from messages.dossier as d
 where d.id = c.dossier_id;
-- locks: versions before are stopped for this step, and no other writes consents
alter table messages.consent alter column org_id set not null;
alter table messages.consent drop constraint consent_pkey;
-- locks: versions before are stopped for this step, and no other writes consents
alter table messages.consent add primary key (org_id, dossier_id, channel);

alter table messages.consent add foreign key (org_id, dossier_id) references messages.dossier not valid;
alter table messages.outbound_message add foreign key (org_id, dossier_id)
  references messages.dossier not valid;
alter table messages.activity add foreign key (org_id, dossier_id) references messages.dossier not valid;

-- Mail has no template.
alter table messages.outbound_message alter column template_code drop not null;

-- The number of the last attempt, which goes out with it and comes back in every report of it.
alter table messages.outbound_message add column attempt_no integer not null default 0;

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
