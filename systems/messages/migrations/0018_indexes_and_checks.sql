-- concurrently
alter table messages.consent validate constraint consent_org_id_dossier_id_fkey;
alter table messages.activity validate constraint activity_org_id_dossier_id_fkey;
alter table messages.activity validate constraint activity_type_check;
alter table messages.audit_event validate constraint audit_event_entity_type_check;
alter table messages.outbound_message validate constraint outbound_message_org_id_dossier_id_fkey;
alter table messages.outbound_message validate constraint outbound_message_conversation_id_fkey;
alter table messages.outbound_message validate constraint outbound_message_account_id_fkey;
alter table messages.outbound_message validate constraint outbound_message_check2;
alter table messages.outbound_message validate constraint outbound_message_priority_check;

-- What still has its contents: the rest, a year of messages, is not looked at again in each run.
create index concurrently if not exists outbound_message_contents on messages.outbound_message (id)
  where contents_removed_at is null;
-- Entries come in order of time: a summary of blocks finds the old ones, and costs next to nothing.
create index concurrently if not exists audit_event_age on messages.audit_event
  using brin (created_at);
create unique index concurrently if not exists audit_event_in_order on messages.audit_event (seq);
create index concurrently if not exists audit_event_of_org on messages.audit_event (org_id, seq);

drop index concurrently if exists messages.outbound_message_waiting;
create index concurrently if not exists outbound_message_waiting on messages.outbound_message
  (org_id, dossier_id, channel) where status = 'QUEUED' and dossier_id is not null;
drop index concurrently if exists messages.activity_dossier;
create index concurrently if not exists activity_dossier on messages.activity
  (org_id, dossier_id, seq);

create index concurrently if not exists outbound_message_session on messages.outbound_message
  (conversation_id) where conversation_id is not null;
-- What was sent to a person, for the thread and for withdrawals.
create index concurrently if not exists outbound_message_recipient on messages.outbound_message
  (to_recipient, org_id, id);
create index concurrently if not exists outbound_message_account on messages.outbound_message
  (account_id) where account_id is not null;

-- What lists are narrowed by.
create index concurrently if not exists outbound_message_dossier on messages.outbound_message
  (org_id, dossier_id, id) where dossier_id is not null;
create index concurrently if not exists outbound_message_channel on messages.outbound_message
  (org_id, channel, id);

-- The one without lanes goes when this one is there.
create index concurrently if not exists outbound_message_due_by_lane on messages.outbound_message
  (lane, next_retry_at, id) where status = 'QUEUED';
drop index concurrently if exists messages.outbound_message_due;
