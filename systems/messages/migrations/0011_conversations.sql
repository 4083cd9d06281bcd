-- What people write back, as conversations; what they agreed to; and who must not be written to.

create table messages.conversation (
  id uuid primary key,
  org_id text not null,
  channel text not null,
  -- The person's number.
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

-- Free text within a conversation; null for templates and mail.
alter table messages.outbound_message
  add column conversation_id uuid,
  add foreign key (conversation_id) references messages.conversation (id) not valid,
  add check (conversation_id is null or template_code is null) not valid;

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
  purpose text,
  proof text,
  actor text not null,
  -- When it was said; a later word stands, in whatever order they arrive.
  said_at timestamptz not null,
  created_at timestamptz not null default now(),
  check (dossier_id is not null or recipient is not null)
);
create index consent_event_dossier on messages.consent_event (org_id, dossier_id, channel, seq);
create index consent_event_recipient on messages.consent_event (org_id, recipient, channel, seq);

alter table messages.consent add column said_at timestamptz not null default now();

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

alter table messages.activity drop constraint activity_type_check;
alter table messages.activity add constraint activity_type_check
  check (type in ('MESSAGE_SENT', 'MESSAGE_STATUS_UPDATE', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'))
  not valid;
alter table messages.audit_event drop constraint audit_event_entity_type_check;
alter table messages.audit_event add constraint audit_event_entity_type_check
  check (entity_type in ('OUTBOUND_MESSAGE', 'DOSSIER', 'CONVERSATION')) not valid;
