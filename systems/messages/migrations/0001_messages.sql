-- Messages to people through providers: what is to be sent, every attempt, and what became of it; what people
-- write back; what they agreed to; and who did what.
create schema messages;

-- Dossiers and consent -------------------------------------------------------------------------------

-- A dossier's id is its organisation's own: the key is both.
create table messages.dossier (
  id text not null,
  org_id text not null,
  created_at timestamptz not null default now(),
  primary key (org_id, id)
);
comment on table messages.dossier is 'not personal: id, org_id';

-- What a dossier allows, as it stands.
create table messages.consent (
  org_id text not null,
  dossier_id text not null,
  channel text not null,
  granted boolean not null,
  said_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, dossier_id, channel),
  foreign key (org_id, dossier_id) references messages.dossier
);
comment on table messages.consent is 'not personal: org_id, dossier_id, channel';

-- Every grant and withdrawal, with what it rests on.
create table messages.consent_event (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id text not null,
  channel text not null,
  dossier_id text,
  recipient text,
  granted boolean not null,
  source text not null,
  proof text,
  actor text not null,
  -- When it was said; a later word stands, in whatever order they arrive.
  said_at timestamptz not null,
  created_at timestamptz not null default now(),
  check (dossier_id is not null or recipient is not null)
);
create index consent_event_dossier on messages.consent_event (org_id, dossier_id, channel, seq);
create index consent_event_recipient on messages.consent_event (org_id, recipient, channel, seq);
comment on column messages.consent_event.recipient is 'personal';
comment on column messages.consent_event.proof is 'personal';
comment on column messages.consent_event.actor is 'personal';
comment on table messages.consent_event is 'not personal: org_id, channel, dossier_id, source';

-- Who must not be written to, with a dossier or without. By a digest: a person who is erased stays
-- on it.
create table messages.recipient_consent (
  org_id text not null,
  channel text not null,
  recipient_digest bytea not null,
  granted boolean not null,
  source text not null,
  said_at timestamptz not null,
  primary key (org_id, channel, recipient_digest)
);
comment on table messages.recipient_consent is
  'not personal: org_id, channel, recipient_digest, source';

-- Which number is behind Meta's id of a person: who has a username may write without the number.
create table messages.person (
  user_id text not null,
  org_id text not null,
  recipient text not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, org_id)
);
create index person_age on messages.person (seen_at);
comment on column messages.person.user_id is 'personal';
comment on column messages.person.recipient is 'personal';
comment on table messages.person is 'not personal: org_id';

-- Accounts and templates -----------------------------------------------------------------------------

-- WhatsApp accounts of organisations.
create table messages.account (
  id uuid primary key,
  org_id text not null,
  name text not null,
  business_account_id text,
  phone_number_ids text[] not null check (cardinality(phone_number_ids) between 1 and 50),
  -- Sealed, each for this account.
  access_token text not null,
  app_secret text not null,
  verify_token text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, name)
);
comment on table messages.account is
  'not personal: org_id, name, business_account_id, phone_number_ids, access_token, app_secret, verify_token';

-- What keeps an account from sending.
create table messages.sending_stop (
  -- Of `account`, or the channel whose account is in the settings.
  account_id text not null,
  -- Empty where none of its numbers may send.
  number_id text not null,
  org_id text,
  code text not null,
  reason text not null,
  -- A digest of the credentials that it was stopped with: with others it may send again.
  credentials text not null,
  stopped_at timestamptz not null default now(),
  -- When one message is let through to see whether it is over, and which one that is.
  probe_at timestamptz not null,
  probes integer not null default 0,
  probe_message_id uuid,
  -- Met by a report: only a report ends it.
  by_report boolean not null,
  primary key (account_id, number_id)
);
comment on table messages.sending_stop is
  'not personal: account_id, number_id, org_id, code, reason, credentials';

-- What WhatsApp said about accounts, their numbers and templates.
create table messages.account_notice (
  id uuid primary key,
  -- Of `account`, or the channel whose account is in the settings.
  account_id text not null,
  org_id text,
  field text not null,
  subject text,
  event text not null,
  detail text,
  -- The provider repeats itself.
  digest bytea not null unique,
  said_at timestamptz not null
);
create index account_notice_listed on messages.account_notice (account_id, said_at, id);
create index account_notice_age on messages.account_notice (said_at);
comment on table messages.account_notice is
  'not personal: account_id, org_id, field, subject, event, detail, digest';

-- Templates that organisations have registered: what a message of them must have.
create table messages.template (
  org_id text not null,
  name text not null,
  language text not null,
  category text not null check (category in ('AUTHENTICATION', 'MARKETING', 'UTILITY')),
  -- As the Cloud API has them.
  components jsonb not null,
  status text not null default 'APPROVED',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, name, language)
);
comment on table messages.template is 'not personal: org_id, name, language, components, status';

-- Conversations --------------------------------------------------------------------------------------

create table messages.conversation (
  id uuid primary key,
  org_id text not null,
  channel text not null,
  -- The person's number; Meta's id of the person while no number is known.
  recipient text not null,
  -- Our number that the person wrote to last: answers go out from it.
  number_id text not null,
  contact_name text,
  dossier_id text,
  -- By the provider's time.
  last_inbound_at timestamptz not null,
  -- Until when free text may be sent, by the business clock.
  session_until timestamptz not null,
  last_answer_at timestamptz,
  -- The later of the two: the list is in this order.
  active_at timestamptz not null,
  created_at timestamptz not null default now(),
  unique (recipient, channel, org_id)
);
create index conversation_listed on messages.conversation (org_id, active_at, id);
comment on column messages.conversation.recipient is 'personal';
comment on column messages.conversation.contact_name is 'personal';
comment on table messages.conversation is 'not personal: org_id, channel, number_id, dossier_id';

create table messages.inbound_message (
  id uuid primary key,
  -- Once each, however often the provider reports it.
  provider_message_id text not null unique,
  -- Null where no organisation is known whose message it could be.
  org_id text,
  channel text not null,
  conversation_id uuid references messages.conversation (id),
  number_id text not null,
  from_number text not null,
  kind text not null,
  text text,
  -- As it came; of media the reference.
  content jsonb not null,
  -- The provider's id of the message that it answers or reacts to.
  answers text,
  dossier_id text,
  -- By the provider, in whole seconds.
  sent_at timestamptz not null,
  -- Its place in the thread.
  at timestamptz not null,
  received_at timestamptz not null default now(),
  contents_removed_at timestamptz,
  check (conversation_id is null or org_id is not null)
);
create index inbound_message_thread on messages.inbound_message (conversation_id, at, id);
create index inbound_message_contents on messages.inbound_message (id)
  where contents_removed_at is null;
comment on column messages.inbound_message.from_number is 'personal';
comment on column messages.inbound_message.text is 'personal';
comment on column messages.inbound_message.content is 'personal';
comment on table messages.inbound_message is
  'not personal: provider_message_id, org_id, channel, number_id, kind, answers, dossier_id';

-- Messages out ---------------------------------------------------------------------------------------

create table messages.outbound_message (
  id uuid primary key,
  org_id text not null,
  dossier_id text,
  -- Free text within a conversation; null for templates and mail.
  conversation_id uuid references messages.conversation (id),
  -- Null: the account of the settings sends it.
  account_id uuid references messages.account (id) on delete set null,
  channel text not null,
  to_recipient text not null,
  -- Mail has no template.
  template_code text,
  payload_json jsonb not null,
  -- What goes to the provider, made of the template and the message; null where it is not registered.
  components jsonb,
  priority text not null default 'normal' check (priority in ('normal', 'urgent')),
  -- Priority and organisation: organisations share every claim, and urgent messages go first.
  lane text not null,
  status text not null default 'QUEUED'
    check (status in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'CANCELLED')),
  provider_message_id text,
  idempotency_key text not null,
  -- Of the request that made it: the same key with another request is refused.
  request_fingerprint text not null,
  attempt_count integer not null default 0,
  max_attempts integer not null default 5 check (max_attempts between 1 and 6),
  -- The number of the last attempt, which goes out with it and comes back in every report of it.
  attempt_no integer not null default 0,
  error_code text,
  error_message text,
  -- The request has left and no answer came: a status webhook or the policy will settle it.
  outcome_unknown boolean not null default false,
  next_retry_at timestamptz not null default posthorn.now(),
  traceparent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When it is to go, and when it went, arrived and was read by the provider's clock.
  send_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  -- Codes and other parameters are removed once a message is over.
  contents_removed_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  foreign key (org_id, dossier_id) references messages.dossier,
  unique (org_id, idempotency_key),
  check (not outcome_unknown or status = 'SENDING'),
  check (status not in ('QUEUED', 'SENDING') or provider_message_id is null),
  check (conversation_id is null or template_code is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index outbound_message_due_by_lane on messages.outbound_message (lane, next_retry_at, id)
  where status = 'QUEUED';
create index outbound_message_suspect on messages.outbound_message (next_retry_at, id)
  where status = 'QUEUED' and lost_claims > 0;
create index outbound_message_claimed on messages.outbound_message (claimed_until)
  where status = 'SENDING';
create index outbound_message_dead on messages.outbound_message (created_at)
  where status = 'FAILED';
create index outbound_message_provider on messages.outbound_message (provider_message_id)
  where provider_message_id is not null;
create index outbound_message_waiting on messages.outbound_message (org_id, dossier_id, channel)
  where status = 'QUEUED' and dossier_id is not null;
create index outbound_message_session on messages.outbound_message (conversation_id)
  where conversation_id is not null;
create index outbound_message_account on messages.outbound_message (account_id)
  where account_id is not null;
-- Messages sent to a person, for the thread and for withdrawals.
-- Messages that still have their contents: each retention run looks only at these.
create index outbound_message_contents on messages.outbound_message (id)
  where contents_removed_at is null;
-- Filters of lists.
create index outbound_message_listed on messages.outbound_message (org_id, id);
create index outbound_message_counted on messages.outbound_message (org_id, status, id);
create index outbound_message_dossier on messages.outbound_message (org_id, dossier_id, id)
  where dossier_id is not null;
create index outbound_message_channel on messages.outbound_message (org_id, channel, id);
create index outbound_message_recipient on messages.outbound_message (to_recipient, org_id, id);
comment on column messages.outbound_message.to_recipient is 'personal';
comment on column messages.outbound_message.payload_json is 'personal';
comment on column messages.outbound_message.components is 'personal';
comment on column messages.outbound_message.idempotency_key is 'personal';
comment on column messages.outbound_message.error_message is 'personal';
comment on table messages.outbound_message is
  'not personal: org_id, dossier_id, channel, template_code, lane, provider_message_id, request_fingerprint, error_code, traceparent';

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

-- Whoever moves a message, these hold: the engine, an operator's replay, a status webhook.
create function messages.message_moved() returns trigger
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
create trigger outbound_message_moved before update of status on messages.outbound_message
  for each row execute function messages.message_moved();

-- The first id that can have been made at a time: ids begin with their milliseconds.
create function messages.first_id_at(at timestamptz) returns uuid
  language sql immutable parallel safe
  return (lpad(to_hex(least(greatest(extract(epoch from at) * 1000, 0), 281474976710655)::bigint),
               12, '0') || '00000000000000000000')::uuid;

create table messages.outbound_attempt (
  id uuid primary key,
  outbound_message_id uuid not null references messages.outbound_message (id) on delete cascade,
  attempt_no integer not null,
  status text not null check (status in ('TRYING', 'SUCCESS', 'FAILED')),
  error_code text,
  error_message text,
  provider_message_id text,
  provider_response jsonb,
  next_retry_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (outbound_message_id, attempt_no)
);
-- A message has one attempt under way at the most.
create unique index outbound_attempt_trying on messages.outbound_attempt (outbound_message_id)
  where status = 'TRYING';
comment on column messages.outbound_attempt.provider_response is 'personal';
comment on column messages.outbound_attempt.error_message is 'personal';
comment on table messages.outbound_attempt is 'not personal: error_code, provider_message_id';

-- What the provider reported, once each; without a message it is parked.
create table messages.delivery_status (
  provider_message_id text not null,
  status text not null,
  message_id uuid,
  org_id text,
  report jsonb not null,
  seq bigint generated always as identity,
  received_at timestamptz not null default now(),
  primary key (provider_message_id, status)
);
create index delivery_status_parked on messages.delivery_status (seq) where message_id is null;
create index delivery_status_age on messages.delivery_status (received_at);
comment on column messages.delivery_status.report is 'personal';
comment on table messages.delivery_status is 'not personal: provider_message_id, status, org_id';

-- Who did what, and what became of dossiers ----------------------------------------------------------

create table messages.audit_event (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id text not null,
  entity_type text not null
    check (entity_type in ('OUTBOUND_MESSAGE', 'DOSSIER', 'CONVERSATION', 'ACCOUNT', 'TEMPLATE')),
  entity_id text not null,
  action text not null,
  details text not null,
  actor text not null,
  created_at timestamptz not null default now()
);
create unique index audit_event_in_order on messages.audit_event (seq);
create index audit_event_entity on messages.audit_event (org_id, entity_type, entity_id, seq);
create index audit_event_of_org on messages.audit_event (org_id, seq);
-- Entries come in order of time: a summary of blocks finds the old ones, and costs next to nothing.
create index audit_event_age on messages.audit_event using brin (created_at);
-- Rows are only added, and sealed; persons in it can be erased.
select posthorn.register_audit('messages.audit_event', 'seq',
  array['id', 'org_id', 'action', 'entity_type', 'entity_id', 'created_at'],
  array['actor', 'details']);

create table messages.activity (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id text not null,
  dossier_id text not null,
  type text not null
    check (type in ('MESSAGE_SENT', 'MESSAGE_STATUS_UPDATE', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED')),
  metadata jsonb not null,
  created_at timestamptz not null default now(),
  foreign key (org_id, dossier_id) references messages.dossier
);
create index activity_dossier on messages.activity (org_id, dossier_id, seq);
comment on column messages.activity.metadata is 'personal';
comment on table messages.activity is 'not personal: org_id, dossier_id';
