-- Payments: each is charged once, whatever dies on the way, and its state moves one way only.
create schema payments;

create table payments.payments (
  id uuid primary key,
  org_id text not null,
  user_id text not null,
  -- In minor units; the limit keeps sums of many within bigint.
  amount bigint not null check (amount between 1 and 999999999999),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  external_payment_id text,
  description text,
  metadata jsonb,
  status text not null default 'pending'
    check (status in ('pending', 'succeeded', 'failed', 'refunded')),
  gateway_ref text,
  error_code text,
  error_message text,
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  settled_at timestamptz,
  refunded_at timestamptz,
  check ((status = 'pending') = (settled_at is null)),
  check ((status = 'refunded') = (refunded_at is not null))
) with (fillfactor = 85);
create index payments_listed on payments.payments (org_id, id);
create index payments_by_status on payments.payments (org_id, status, id);
-- What a reconciliation looks for.
create index payments_external on payments.payments (org_id, user_id, external_payment_id)
  where external_payment_id is not null;

-- No code path can break these: a payment begins pending and moves as the picture says,
--   pending -> succeeded -> refunded,  pending -> failed;
-- what it is about never changes, and the gateway's reference is written once.
create function payments.payment_guarded() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'pending' then
      raise exception 'a payment begins as pending, not %', new.status
        using errcode = 'check_violation', constraint = 'payment_begins_pending';
    end if;
    return new;
  end if;
  if (new.id, new.org_id, new.user_id, new.amount, new.currency, new.created_at)
     is distinct from (old.id, old.org_id, old.user_id, old.amount, old.currency, old.created_at)
     or old.gateway_ref is not null and new.gateway_ref is distinct from old.gateway_ref then
    raise exception 'payment %: what it is about cannot change', old.id
      using errcode = 'check_violation', constraint = 'payment_fixed';
  end if;
  if new.status <> old.status then
    if (old.status, new.status) not in
       (('pending', 'succeeded'), ('pending', 'failed'), ('succeeded', 'refunded')) then
      raise exception 'payment %: % cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'payment_moves';
    end if;
    if old.status = 'pending' then new.settled_at := posthorn.now(); end if;
    if new.status = 'refunded' then new.refunded_at := posthorn.now(); end if;
  end if;
  new.updated_at := posthorn.now();
  return new;
end $$;
create trigger payments_guarded before insert or update on payments.payments
  for each row execute function payments.payment_guarded();

-- What was asked of the gateway, each under a key of ours: asked again, it does not happen again.
create table payments.transactions (
  id uuid primary key,
  payment_id uuid not null references payments.payments (id),
  type text not null check (type in ('charge', 'refund')),
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  amount bigint not null check (amount > 0),
  currency text not null,
  gateway_key text not null unique,
  gateway_ref text,
  error_code text,
  error_message text,
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  check (status <> 'succeeded' or gateway_ref is not null),
  check (status <> 'failed' or error_code is not null)
) with (fillfactor = 85);
create unique index transactions_one_charge on payments.transactions (payment_id)
  where type = 'charge';
create unique index transactions_one_refund on payments.transactions (payment_id)
  where type = 'refund' and status <> 'failed';
create index transactions_of_payment on payments.transactions (payment_id, id);

create table payments.idempotency_keys (
  scope text not null,
  key text not null check (octet_length(key) between 1 and 255),
  fingerprint text not null,
  -- Who works on it, and until when (real time) nobody else may.
  lock_token uuid,
  locked_until timestamptz,
  locked boolean generated always as (lock_token is not null) stored,
  takeovers integer not null default 0,
  -- Which transaction it is about, and how often its outcome was unknown.
  state jsonb,
  response_status integer,
  -- json, not jsonb: replayed as it was written.
  response_headers json,
  response_body bytea,
  created_at timestamptz not null default posthorn.now(),
  completed_at timestamptz,
  expires_at timestamptz not null,
  primary key (scope, key),
  -- Either somebody holds it, or it is finished and has its response.
  check ((completed_at is null) = (lock_token is not null)),
  check ((completed_at is null) = (locked_until is not null)),
  check ((completed_at is null) = (response_status is null)),
  check ((completed_at is null) = (response_headers is null)),
  check ((completed_at is null) = (response_body is null))
) with (fillfactor = 70);
create index idempotency_keys_expired on payments.idempotency_keys (expires_at);
create index idempotency_keys_stale on payments.idempotency_keys (locked_until)
  where completed_at is null;

-- What the gateway told us, each event once.
create table payments.webhook_events (
  event_id text primary key,
  type text not null,
  -- Null where it names no payment of ours.
  payment_id uuid references payments.payments (id),
  org_id text,
  -- json, not jsonb: forwarded as it came.
  payload json not null,
  outcome text not null
    check (outcome in ('applied', 'unchanged', 'forbidden', 'kept', 'unknown_payment')),
  received_at timestamptz not null default posthorn.now(),
  check ((outcome = 'unknown_payment') = (payment_id is null)),
  check ((payment_id is null) = (org_id is null))
);
create index webhook_events_of_payment on payments.webhook_events (payment_id)
  where payment_id is not null;

-- Who did what, never changed afterwards.
create table payments.audit_log (
  seq bigint generated always as identity primary key,
  -- Null where it is nobody's: an event about a payment that is not ours.
  org_id text,
  -- A user's id, or the part of the system that did it.
  actor text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  details jsonb not null,
  created_at timestamptz not null default posthorn.now()
);
create index audit_log_of_entity on payments.audit_log (entity_type, entity_id, seq);
create index audit_log_of_org on payments.audit_log (org_id, seq);

-- The one way into the log; returns the entry's number.
create function payments.create_audit_log(
  org_id text, actor text, action text, entity_type text, entity_id text,
  details jsonb default '{}'
) returns bigint language sql volatile as $$
  insert into payments.audit_log (org_id, actor, action, entity_type, entity_id, details)
  values ($1, $2, $3, $4, $5, $6)
  returning seq
$$;
