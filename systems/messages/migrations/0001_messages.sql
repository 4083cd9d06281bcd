-- Messages to people through providers: what is to be sent, every attempt, and what became of it.
create schema messages;

create table messages.dossier (
  id text primary key,
  org_id text not null,
  created_at timestamptz not null default now()
);
create index dossier_org on messages.dossier (org_id, id);

create table messages.consent (
  dossier_id text not null references messages.dossier (id),
  channel text not null,
  granted boolean not null,
  updated_at timestamptz not null default now(),
  primary key (dossier_id, channel)
);

create table messages.outbound_message (
  id uuid primary key,
  org_id text not null,
  dossier_id text references messages.dossier (id),
  channel text not null,
  to_recipient text not null,
  template_code text not null,
  payload_json jsonb not null,
  status text not null default 'QUEUED'
    check (status in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'CANCELLED')),
  provider_message_id text,
  idempotency_key text not null,
  -- Of the request that made it: the same key with another request is refused.
  request_fingerprint text not null,
  attempt_count integer not null default 0,
  max_attempts integer not null default 5 check (max_attempts between 1 and 6),
  error_code text,
  error_message text,
  -- The request has left and no answer came: a status webhook or the policy will settle it.
  outcome_unknown boolean not null default false,
  next_retry_at timestamptz not null default posthorn.now(),
  traceparent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  unique (org_id, idempotency_key),
  check (not outcome_unknown or status = 'SENDING'),
  check (status not in ('QUEUED', 'SENDING') or provider_message_id is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

create index outbound_message_due on messages.outbound_message (next_retry_at, id)
  where status = 'QUEUED';
create index outbound_message_suspect on messages.outbound_message (next_retry_at, id)
  where status = 'QUEUED' and lost_claims > 0;
create index outbound_message_claimed on messages.outbound_message (claimed_until)
  where status = 'SENDING';
create index outbound_message_dead on messages.outbound_message (created_at)
  where status = 'FAILED';
create index outbound_message_provider on messages.outbound_message (provider_message_id)
  where provider_message_id is not null;
create index outbound_message_waiting on messages.outbound_message (dossier_id, channel)
  where status = 'QUEUED' and dossier_id is not null;
create index outbound_message_listed on messages.outbound_message (org_id, id);
create index outbound_message_counted on messages.outbound_message (org_id, status, id);

-- Whoever moves a message, these hold: the engine, an operator's replay, a status webhook.
create function messages.message_moved() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  new.outcome_unknown := new.outcome_unknown and new.status = 'SENDING';
  -- Tried anew, it is another message to the provider, and its old failure is history.
  if old.status = 'FAILED' and new.status = 'QUEUED' then
    new.provider_message_id := null;
    new.error_code := null;
    new.error_message := null;
  end if;
  return new;
end $$;
create trigger outbound_message_moved before update of status on messages.outbound_message
  for each row execute function messages.message_moved();

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

create table messages.audit_event (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id text not null,
  entity_type text not null check (entity_type in ('OUTBOUND_MESSAGE', 'DOSSIER')),
  entity_id text not null,
  action text not null,
  details text not null,
  actor text not null,
  created_at timestamptz not null default now()
);
create index audit_event_entity on messages.audit_event (org_id, entity_type, entity_id, seq);

create table messages.activity (
  id uuid primary key,
  seq bigint generated always as identity,
  org_id text not null,
  dossier_id text not null references messages.dossier (id),
  type text not null check (type in ('MESSAGE_SENT', 'MESSAGE_STATUS_UPDATE', 'MESSAGE_FAILED')),
  metadata jsonb not null,
  created_at timestamptz not null default now()
);
create index activity_dossier on messages.activity (dossier_id, seq);
