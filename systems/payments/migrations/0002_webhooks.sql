-- Webhooks to merchants: who wants which events, what is owed to whom, and every attempt at it.

create table payments.webhook_endpoints (
  id uuid primary key,
  org_id text not null,
  url text not null check (length(url) between 1 and 2048),
  event_types text[] not null check (cardinality(event_types) between 1 and 100),
  -- True: its events of one key arrive one after the other.
  ordered boolean not null default false,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_at timestamptz,
  -- By whom or by what, in a sentence.
  disabled_reason text,
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  -- Its deliveries stay to be looked at.
  deleted_at timestamptz,
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((status = 'disabled') = (disabled_reason is not null))
);
create index webhook_endpoints_listed on payments.webhook_endpoints (org_id, id)
  where deleted_at is null;

-- Sealed. Of several the one without an end is current; the others sign beside it until theirs.
create table payments.webhook_secrets (
  id uuid primary key,
  endpoint_id uuid not null references payments.webhook_endpoints (id) on delete cascade,
  sealed text not null,
  created_at timestamptz not null default posthorn.now(),
  expires_at timestamptz
);
create unique index webhook_secrets_current on payments.webhook_secrets (endpoint_id)
  where expires_at is null;
create index webhook_secrets_of_endpoint on payments.webhook_secrets (endpoint_id);

create table payments.webhook_deliveries (
  id uuid primary key,
  position bigint generated always as identity,
  org_id text not null,
  endpoint_id uuid not null references payments.webhook_endpoints (id),
  event_id text not null check (length(event_id) between 1 and 255),
  event_type text not null,
  -- What orders it; null where nothing does.
  order_key text,
  -- json, not jsonb: what is signed and sent is what was written.
  payload json not null,
  status text not null default 'pending'
    check (status in ('pending', 'failed', 'delivered', 'abandoned', 'skipped_disabled')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  traceparent text,
  created_at timestamptz not null default posthorn.now(),
  delivered_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  -- An event goes to an endpoint once, however often it is announced.
  unique (endpoint_id, event_id),
  check (status <> 'delivered' or delivered_at is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index webhook_deliveries_due on payments.webhook_deliveries (next_attempt_at, id)
  where status in ('pending', 'failed');
create index webhook_deliveries_suspect on payments.webhook_deliveries (next_attempt_at, id)
  where status in ('pending', 'failed') and lost_claims > 0;
create index webhook_deliveries_dead on payments.webhook_deliveries (created_at)
  where status = 'abandoned';
create index webhook_deliveries_listed on payments.webhook_deliveries (org_id, id);
-- What waits for an endpoint, and in which order.
create index webhook_deliveries_waiting on payments.webhook_deliveries
  (endpoint_id, order_key, position) where status in ('pending', 'failed');
-- What an endpoint missed and may ask for again.
create index webhook_deliveries_missed on payments.webhook_deliveries (endpoint_id, created_at)
  where status in ('abandoned', 'skipped_disabled');

-- Each request and its answer. One whose answer its relay did not wait for is open, then answered,
-- and settled once the delivery has changed accordingly.
create table payments.webhook_attempts (
  id uuid primary key,
  delivery_id uuid not null references payments.webhook_deliveries (id) on delete cascade,
  attempt_no integer not null,
  state text not null check (state in ('open', 'answered', 'settled')),
  -- By real time: until then its answer may still come.
  open_until timestamptz,
  -- Of an answer that has not been applied.
  outcome jsonb,
  request_url text,
  request_headers jsonb,
  response_status integer,
  response_headers jsonb,
  response_body text,
  response_encoding text check (response_encoding in ('utf8', 'base64')),
  response_truncated boolean,
  duration_ms integer,
  error_class text,
  error text,
  started_at timestamptz not null default now(),
  check ((state = 'open') = (open_until is not null)),
  check ((state = 'answered') = (outcome is not null))
);
create index webhook_attempts_of_delivery on payments.webhook_attempts (delivery_id, id);
-- A delivery has one request under way at the most.
create unique index webhook_attempts_unsettled on payments.webhook_attempts (delivery_id)
  where state <> 'settled';
-- In the order of time by itself: a few bytes for each hundred pages.
create index webhook_attempts_age on payments.webhook_attempts using brin (started_at);

-- What each run of retries did, for each merchant.
create table payments.webhook_retry_runs (
  id uuid not null,
  org_id text not null,
  processed integer not null,
  success integer not null,
  failed integer not null,
  ran_at timestamptz not null default posthorn.now(),
  primary key (org_id, id),
  check (processed = success + failed)
);
create index webhook_retry_runs_age on payments.webhook_retry_runs (ran_at);

-- Notices of alerts to whoever is on duty: one for each subject and hour, and one when it is over.
create table payments.alert_notices (
  id uuid primary key,
  alert_id bigint not null,
  kind text not null check (kind in ('raised', 'recovered')),
  source text not null,
  subject text not null,
  hour timestamptz not null,
  payload json not null,
  -- Of a raised one: that it is over has been told, or need not be.
  closed boolean not null default false,
  status text not null default 'pending'
    check (status in ('pending', 'failed', 'delivered', 'abandoned')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  unique (source, subject, kind, hour)
) with (fillfactor = 80);
create index alert_notices_due on payments.alert_notices (next_attempt_at, id)
  where status in ('pending', 'failed');
create index alert_notices_suspect on payments.alert_notices (next_attempt_at, id)
  where status in ('pending', 'failed') and lost_claims > 0;
create index alert_notices_dead on payments.alert_notices (created_at) where status = 'abandoned';
create index alert_notices_open on payments.alert_notices (alert_id)
  where kind = 'raised' and not closed;
