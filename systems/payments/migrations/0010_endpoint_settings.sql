-- What a merchant sets for each endpoint, and counts of all that went to it.

-- locks: one row for each endpoint
alter table payments.webhook_endpoints
  -- Seconds between attempts, the last of them repeated; null: as the outbox says.
  add column retry_waits integer[]
    check (cardinality(retry_waits) between 1 and 20 and 1 <= all (retry_waits)
           and 86400 >= all (retry_waits)),
  add column retry_attempts smallint check (retry_attempts between 1 and 50),
  -- For a whole exchange; null: the server's.
  add column timeout_ms integer check (timeout_ms between 1000 and 30000),
  -- Requests a second, of all relays together; null: as fast as it answers.
  add column rate_per_second integer check (rate_per_second between 1 and 1000),
  -- Sent with every request: the name, and its value sealed.
  add column headers jsonb not null default '{}' check (jsonb_typeof(headers) = 'object'),
  -- What signs: a secret that both sides have, or a key pair of which the merchant has the public key.
  add column signing text not null default 'hmac' check (signing in ('hmac', 'ed25519')),
  -- Which events it gets, by what is in them; null: all of its types.
  add column filter jsonb,
  -- Since when every attempt failed, and the last that did; null after a success.
  add column failing_since timestamptz,
  add column last_failed_at timestamptz,
  -- When its owner was told that it is going to be disabled.
  add column warned_at timestamptz,
  add constraint webhook_endpoints_retry
    check ((retry_waits is null) = (retry_attempts is null));

-- locks: one row for each endpoint
create index webhook_endpoints_failing on payments.webhook_endpoints (failing_since)
  where failing_since is not null and status = 'enabled' and deleted_at is null;

-- Of a key pair, as whpk_…; null for a secret.
alter table payments.webhook_secrets add column public_key text;

-- Attempts of a delivery in all, by its endpoint's policy when it was written; null: the outbox's.
alter table payments.webhook_deliveries add column max_attempts smallint;

-- How many requests may be sent to an endpoint at this moment, by real time.
create table payments.webhook_rates (
  endpoint_id uuid primary key references payments.webhook_endpoints (id) on delete cascade,
  tokens double precision not null,
  refilled_at timestamptz not null,
  -- When the next delivery that is put off comes back: one after the other.
  next_slot timestamptz not null,
  -- What the last batch that asked was given, and the slot of the first that it was not.
  granted integer not null,
  slot timestamptz not null
) with (fillfactor = 50);

-- What a batch did for its endpoints: a list of {endpointId, delivered, failed, abandoned, skipped,
-- filtered, deliveryId, errorCode, error}, of which the last three are those of the last failure. Only
-- inserted, so that relays do not wait for each other; the maintenance sums it up into the hours below.
create table payments.webhook_tallies (
  id bigint generated always as identity primary key,
  at timestamptz not null default posthorn.now(),
  counts jsonb not null check (jsonb_typeof(counts) = 'array')
);

create table payments.webhook_endpoint_hours (
  endpoint_id uuid not null,
  hour timestamptz not null,
  delivered bigint not null,
  failed bigint not null,
  abandoned bigint not null,
  skipped bigint not null,
  filtered bigint not null default 0,
  last_delivered_at timestamptz,
  last_failed_at timestamptz,
  delivery_id uuid,
  error_code text,
  error text,
  primary key (endpoint_id, hour)
);
create index webhook_endpoint_hours_age on payments.webhook_endpoint_hours (hour);
