-- WhatsApp accounts of organisations, and what keeps an account from sending.
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

-- Null: the account of the settings sends it.
alter table messages.outbound_message
  add column account_id uuid,
  add foreign key (account_id) references messages.account (id) on delete set null not valid;

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
  primary key (account_id, number_id)
);

alter table messages.audit_event drop constraint audit_event_entity_type_check;
alter table messages.audit_event add constraint audit_event_entity_type_check
  check (entity_type in ('OUTBOUND_MESSAGE', 'DOSSIER', 'CONVERSATION', 'ACCOUNT', 'TEMPLATE'))
  not valid;
