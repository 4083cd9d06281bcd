-- Payments, the webhooks about them to merchants, and their reconciliation with banks' statements.
--
--   1 payments and what was asked of the gateway     2 what the gateway tells     3 who did what
--   4 webhooks to merchants     5 notices of alerts     6 reconciliation: files and their records
--   7 reconciliation: decisions and what they are about
create schema payments;

-- 1 Payments and what was asked of the gateway -------------------------------------------------------

-- Each is charged once, whatever dies on the way, and its state moves one way only.
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
  -- What the gateway charges, by its own name; null: what it is set to.
  payment_method text,
  capture_method text not null default 'automatic',
  status text not null default 'pending'
    check (status in ('pending', 'succeeded', 'failed', 'refunded')),
  -- Of a manual one, next to its status; null while the gateway has not answered, and if it declined.
  authorisation text,
  -- Of a manual one: what was taken of it.
  captured_amount bigint,
  gateway_ref text,
  -- What the customer has to do while it is pending: its type, and an address or a secret, sealed.
  next_action jsonb,
  error_code text,
  error_message text,
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  settled_at timestamptz,
  refunded_at timestamptz,
  check ((status = 'pending') = (settled_at is null)),
  check ((status = 'refunded') = (refunded_at is not null)),
  constraint payments_next_action check (next_action is null or status = 'pending'),
  constraint payments_capture_method check (capture_method in ('automatic', 'manual')),
  constraint payments_authorisation check (
    authorisation is null
    or authorisation in ('authorised', 'captured', 'voided', 'expired')
       and capture_method = 'manual'),
  constraint payments_captured check (
    (captured_amount is not null) = (authorisation is not distinct from 'captured')
    and captured_amount between 1 and amount),
  -- Money is taken by a capture only, and what is set free is not.
  constraint payments_taken check (
    (capture_method = 'automatic' or status not in ('succeeded', 'refunded')
     or captured_amount is not null)
    and (authorisation is null or authorisation not in ('voided', 'expired') or status = 'failed'))
) with (fillfactor = 85);
create index payments_listed on payments.payments (org_id, id);
create index payments_by_status on payments.payments (org_id, status, id);
-- What a search looks for.
create index payments_by_gateway_ref on payments.payments (gateway_ref)
  where gateway_ref is not null;
create index payments_by_external_id on payments.payments (org_id, external_payment_id, id)
  where external_payment_id is not null;
create index payments_by_amount on payments.payments (org_id, amount, id);
create index payments_by_time on payments.payments (org_id, created_at);
create index payments_by_currency on payments.payments (org_id, currency, id);
comment on column payments.payments.external_payment_id is 'personal';
comment on column payments.payments.description is 'personal';
comment on column payments.payments.metadata is 'personal';
comment on column payments.payments.error_message is 'personal';
comment on table payments.payments is
  'not personal: org_id, user_id, currency, payment_method, authorisation, gateway_ref, next_action, error_code';

-- No code path can break these: a payment begins pending and moves as the picture says,
--   pending -> succeeded <-> refunded,  pending -> failed,
-- back from refunded when a refund that was made fails at the bank;
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
       (('pending', 'succeeded'), ('pending', 'failed'), ('succeeded', 'refunded'),
        ('refunded', 'succeeded')) then
      raise exception 'payment %: % cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'payment_moves';
    end if;
    if old.status = 'pending' then
      new.settled_at := posthorn.now();
      new.next_action := null;
    end if;
    new.refunded_at := case new.status when 'refunded' then posthorn.now() end;
  end if;
  new.updated_at := posthorn.now();
  return new;
end $$;
create trigger payments_guarded before insert or update on payments.payments
  for each row execute function payments.payment_guarded();

-- No code path can break these: an authorisation moves as the picture says,
--   authorised -> captured | voided | expired,
-- where an event may say its end before its beginning; what was captured is written once.
create function payments.authorisation_guarded() returns trigger language plpgsql as $$
begin
  if (new.capture_method, new.payment_method) is distinct from
     (old.capture_method, old.payment_method)
     or old.captured_amount is not null
        and new.captured_amount is distinct from old.captured_amount then
    raise exception 'payment %: how it is taken cannot change', old.id
      using errcode = 'check_violation', constraint = 'payment_fixed';
  end if;
  if old.authorisation is not null and new.authorisation is distinct from old.authorisation
     and (old.authorisation <> 'authorised' or new.authorisation is null) then
    raise exception 'payment %: % cannot become %', old.id, old.authorisation, new.authorisation
      using errcode = 'check_violation', constraint = 'authorisation_moves';
  end if;
  return new;
end $$;
create trigger payments_authorisation_guarded
  before update of capture_method, payment_method, authorisation, captured_amount
  on payments.payments
  for each row execute function payments.authorisation_guarded();

-- What was asked of the gateway, each under a key of ours: asked again, it does not happen again.
create table payments.transactions (
  id uuid primary key,
  payment_id uuid not null references payments.payments (id),
  -- Of a refund, for lists across payments: whose.
  org_id text,
  type text not null check (type in ('charge', 'authorisation', 'capture', 'void', 'refund')),
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  amount bigint not null check (amount > 0),
  currency text not null,
  gateway_key text not null unique,
  gateway_ref text,
  error_code text,
  error_message text,
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  -- Of a refund: when the gateway's webhook said that the money is given back; null again if it failed since.
  confirmed_at timestamptz,
  -- The outbox payments.gateway: open while the gateway owes its word, when it is asked next, and how often
  -- it was in vain.
  follow_up text not null default 'closed' check (follow_up in ('open', 'closed')),
  lookup_at timestamptz not null default posthorn.now(),
  lookups integer not null default 0,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  quarantined_at timestamptz,
  check (status <> 'succeeded' or gateway_ref is not null),
  check (status <> 'failed' or error_code is not null),
  constraint transactions_confirmed check (confirmed_at is null or type = 'refund' and status <> 'failed')
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index transactions_of_payment on payments.transactions (payment_id, id);
create unique index transactions_one_charge on payments.transactions (payment_id)
  where type = 'charge';
create unique index transactions_one_authorisation on payments.transactions (payment_id)
  where type = 'authorisation';
-- An authorisation is captured or voided, by one request at a time.
create unique index transactions_one_decision on payments.transactions (payment_id)
  where type in ('capture', 'void') and status <> 'failed';
-- What reconciliation looks through where money went out, and refunds that no line has, newest first.
create index transactions_refunds on payments.transactions (payment_id) where type = 'refund';
create index transactions_refunds_listed on payments.transactions (id) where type = 'refund';
create index transactions_due on payments.transactions (lookup_at, id) where follow_up = 'open';
create index transactions_refunds_of_org on payments.transactions (org_id, id) where type = 'refund';
create index transactions_suspect on payments.transactions (lookup_at, id)
  where follow_up = 'open' and lost_claims > 0;
create index transactions_quarantined on payments.transactions (id) where quarantined_at is not null;
comment on column payments.transactions.error_message is 'personal';
comment on table payments.transactions is
  'not personal: org_id, currency, gateway_key, gateway_ref, error_code';

-- No code path gives back more than was taken: refunds that have not failed count, done or not.
create function payments.refund_guarded() returns trigger language plpgsql as $$
declare
  taken payments.payments;
  most bigint;
  given_back bigint;
begin
  -- Two refunds of a payment are counted one after the other. Not the key: matches of a
  -- reconciliation, which hold it by their foreign key, need not wait.
  select * into taken from payments.payments where id = new.payment_id for no key update;
  most := case taken.capture_method when 'manual' then coalesce(taken.captured_amount, 0)
          else taken.amount end;
  select coalesce(sum(amount), 0) into given_back
    from payments.transactions
   where payment_id = new.payment_id and type = 'refund' and status <> 'failed' and id <> new.id;
  if given_back + new.amount > most or new.currency <> taken.currency then
    raise exception 'payment %: % % cannot be given back beside %, of % %', taken.id, new.amount,
                    new.currency, given_back, most, taken.currency
      using errcode = 'check_violation', constraint = 'refunds_within_payment';
  end if;
  new.org_id := taken.org_id;
  return new;
end $$;
create trigger transactions_refund_guarded
  before insert or update of status, amount, currency, payment_id, type on payments.transactions
  for each row when (new.type = 'refund' and new.status <> 'failed')
  execute function payments.refund_guarded();

-- What a cardholder's bank takes back, or tries to. The payment's status stays as it is.
create table payments.disputes (
  id uuid primary key,
  payment_id uuid not null references payments.payments (id),
  org_id text not null,
  -- The gateway's own id.
  gateway_ref text not null check (length(gateway_ref) between 1 and 255),
  -- An inquiry takes no money, and may become a dispute.
  status text not null check (status in ('inquiry', 'opened', 'won', 'lost', 'withdrawn')),
  -- As the bank claims it: also more than the payment, and in another currency.
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  reason text,
  -- Until when the gateway takes evidence.
  evidence_due_at timestamptz,
  opened_at timestamptz not null default posthorn.now(),
  closed_at timestamptz,
  unique (payment_id, gateway_ref),
  check ((status in ('inquiry', 'opened')) = (closed_at is null))
);
create index disputes_of_org on payments.disputes (org_id, id);
create index disputes_listed on payments.disputes (org_id, payment_id);
comment on column payments.disputes.reason is 'personal';
comment on table payments.disputes is 'not personal: org_id, gateway_ref, currency';

-- No code path can break these: a dispute is about one claim of its payment and ends once.
create function payments.dispute_guarded() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.payment_id, new.org_id, new.gateway_ref, new.amount, new.currency)
       is distinct from
       (old.id, old.payment_id, old.org_id, old.gateway_ref, old.amount, old.currency) then
      raise exception 'dispute %: what it is about cannot change', old.id
        using errcode = 'check_violation', constraint = 'dispute_fixed';
    end if;
    if new.status <> old.status
       and (old.status not in ('inquiry', 'opened') or new.status = 'inquiry') then
      raise exception 'dispute %: % cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'dispute_moves';
    end if;
    return new;
  end if;
  if not exists (select from payments.payments
                  where id = new.payment_id and org_id = new.org_id) then
    raise exception 'dispute %: payment % is another organisation''s', new.id, new.payment_id
      using errcode = 'check_violation', constraint = 'dispute_of_payment';
  end if;
  return new;
end $$;
create trigger disputes_guarded before insert or update on payments.disputes
  for each row execute function payments.dispute_guarded();

-- The money of each payment, in minor units: what was taken, what of it went back, and what is left:
-- less than nothing where the gateway took back more than it brought.
create view payments.ledger as
  select p.id as payment_id, p.org_id, p.currency, sums.taken, sums.refunded, claims.disputed,
         sums.taken - sums.refunded - claims.disputed as net
    from payments.payments as p
   cross join lateral (
     select case when p.status in ('succeeded', 'refunded') then coalesce(p.captured_amount, p.amount)
                 else 0 end as taken,
            -- The payment's state alone says that all went back, also where no refund of ours did it.
            case when p.status = 'refunded' then coalesce(p.captured_amount, p.amount)
                 else (select coalesce(sum(r.amount), 0)::bigint
                         from payments.transactions as r
                        where r.payment_id = p.id and r.type = 'refund'
                          and r.status = 'succeeded' and r.confirmed_at is not null)
             end as refunded
   ) as sums
   cross join lateral (
     -- A claim in another currency has no amount in this one: it counts as all that is left.
     select greatest(coalesce(sum(d.amount) filter (where d.currency = p.currency), 0)::bigint,
                     case when bool_or(d.currency <> p.currency) then sums.taken - sums.refunded
                     end) as disputed
       from payments.disputes as d
      where d.payment_id = p.id and d.status in ('opened', 'lost')
   ) as claims;

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
-- The key of a transaction whose request has no answer.
create index idempotency_keys_open on payments.idempotency_keys ((state ->> 'transactionId'))
  where completed_at is null;
comment on column payments.idempotency_keys.key is 'personal';
comment on column payments.idempotency_keys.state is 'personal';
comment on column payments.idempotency_keys.response_headers is 'personal';
comment on column payments.idempotency_keys.response_body is 'personal';
comment on table payments.idempotency_keys is 'not personal: scope, fingerprint';

-- 2 What the gateway tells ---------------------------------------------------------------------------

-- Each event once. `parked` cannot be applied yet and is looked at again with each later event of its
-- payment; `mismatch` is about another amount, currency or reference than the payment, and moves nothing.
create table payments.webhook_events (
  event_id text primary key,
  type text not null,
  -- `lookup`: the gateway was asked, since its webhook did not come.
  source text not null default 'webhook' check (source in ('webhook', 'lookup')),
  -- Null where it names no payment of ours.
  payment_id uuid references payments.payments (id),
  org_id text,
  -- What an event names, where that could be a payment of ours: how it is found by one that appears later.
  named_payment uuid,
  gateway_ref text,
  -- json, not jsonb: forwarded as it came.
  payload json not null,
  -- The bytes that it came as, where the payload is a translation of them; else the payload is.
  original bytea,
  outcome text not null
    check (outcome in ('applied', 'unchanged', 'forbidden', 'kept', 'unknown_payment', 'parked',
                       'mismatch')),
  -- Why it is parked, forbidden or a mismatch.
  reason text,
  received_at timestamptz not null default posthorn.now(),
  -- When its outcome was decided: later than it was received, for what had to wait. Null: then.
  decided_at timestamptz,
  check ((outcome = 'unknown_payment') = (payment_id is null)),
  check ((payment_id is null) = (org_id is null))
);
create index webhook_events_of_payment on payments.webhook_events (payment_id)
  where payment_id is not null;
create index webhook_events_listed on payments.webhook_events (org_id, received_at, event_id);
create index webhook_events_by_outcome on payments.webhook_events
  (org_id, outcome, received_at, event_id) where outcome not in ('applied', 'unchanged');
create index webhook_events_unknown_payment on payments.webhook_events (named_payment)
  where outcome = 'unknown_payment' and named_payment is not null;
create index webhook_events_unknown_ref on payments.webhook_events (gateway_ref)
  where outcome = 'unknown_payment' and gateway_ref is not null;
-- Events come in order of time: a summary of blocks finds the old ones, and costs a writer next to nothing.
create index webhook_events_age on payments.webhook_events using brin (received_at);
comment on column payments.webhook_events.payload is 'personal';
comment on column payments.webhook_events.original is 'personal';
comment on column payments.webhook_events.reason is 'personal';
comment on table payments.webhook_events is 'not personal: event_id, type, org_id, gateway_ref';

-- 3 Who did what -------------------------------------------------------------------------------------

-- Only added to, and sealed; persons in it can be erased.
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
  -- By the business clock, which can be moved; entries of all systems are listed by the real one.
  created_at timestamptz not null default posthorn.now(),
  recorded_at timestamptz not null default now()
);
create index audit_log_of_entity on payments.audit_log (entity_type, entity_id, seq);
create index audit_log_of_org on payments.audit_log (org_id, seq);
create index audit_log_age on payments.audit_log using brin (created_at);
select posthorn.register_audit('payments.audit_log', 'seq',
  array['org_id', 'action', 'entity_type', 'entity_id', 'created_at', 'recorded_at'],
  array['actor', 'details']);

-- The one way into the log; returns the entry's number.
create function payments.create_audit_log(
  org_id text, actor text, action text, entity_type text, entity_id text,
  details jsonb default '{}'
) returns bigint language sql volatile as $$
  insert into payments.audit_log (org_id, actor, action, entity_type, entity_id, details)
  values ($1, $2, $3, $4, $5, $6)
  returning seq
$$;

-- Above which amount two persons are needed: of an organisation and currency, '*' for those that are
-- not named. Null: never.
create table payments.approval_limits (
  org_id text not null,
  currency text not null check (currency ~ '^([A-Z]{3}|\*)$'),
  amount bigint check (amount >= 0),
  set_by text not null,
  set_at timestamptz not null default posthorn.now(),
  primary key (org_id, currency)
);
comment on table payments.approval_limits is 'not personal: org_id, currency, set_by';

-- What one user proposes and another decides:  pending -> approved | rejected | withdrawn | expired.
create table payments.proposals (
  id uuid primary key,
  org_id text not null,
  kind text not null
    check (kind in ('refund', 'capture', 'void', 'decision', 'discard', 'limits')),
  -- What it is about: a payment, a record of a statement, a statement, the limits.
  subject text not null,
  request jsonb not null,
  amount bigint,
  currency text,
  reason text,
  -- The client's Idempotency-Key, if it sent one.
  request_key text,
  status text not null default 'pending'
    check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  proposed_by text not null,
  proposed_at timestamptz not null default posthorn.now(),
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  decision_reason text,
  result jsonb,
  check ((status = 'pending') = (decided_at is null)),
  check ((status = 'approved') = (result is not null)),
  -- Four eyes, held by the database too.
  check (status not in ('approved', 'rejected') or decided_by <> proposed_by)
);
create unique index proposals_one_pending on payments.proposals (org_id, kind, subject)
  where status = 'pending';
create unique index proposals_by_key on payments.proposals (org_id, proposed_by, request_key)
  where request_key is not null;
create index proposals_listed on payments.proposals (org_id, id);
comment on column payments.proposals.request is 'personal';
comment on column payments.proposals.reason is 'personal';
comment on column payments.proposals.decision_reason is 'personal';
comment on column payments.proposals.result is 'personal';
comment on column payments.proposals.request_key is 'personal';
comment on table payments.proposals is
  'not personal: org_id, subject, currency, proposed_by, decided_by';

-- What is to be done at a time that is known, as ids: the outbox payments.tasks.
create table payments.tasks (
  id uuid primary key,
  type text not null,
  payload jsonb not null,
  key text,
  tenant text,
  headers jsonb,
  dedupe text unique,
  status text not null default 'pending' check (status in ('pending', 'sent', 'dead', 'cancelled')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  error text,
  error_code text,
  traceparent text,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index tasks_due on payments.tasks (due_at, id) where status = 'pending';
create index tasks_suspect on payments.tasks (due_at, id) where status = 'pending' and lost_claims > 0;
create index tasks_dead on payments.tasks (created_at) where status = 'dead';
create index tasks_finished on payments.tasks (finished_at) where status in ('sent', 'cancelled');
comment on table payments.tasks is
  'not personal: type, payload, key, tenant, headers, dedupe, error, error_code, traceparent';

-- 4 Webhooks to merchants: who wants which events, what is owed to whom, and every attempt at it ------

create table payments.webhook_endpoints (
  id uuid primary key,
  org_id text not null,
  -- With a mask for each value of its query, which often is a secret; the query itself is sealed.
  url text not null check (length(url) between 1 and 2048),
  url_query text,
  event_types text[] not null check (cardinality(event_types) between 1 and 100),
  -- Which events it gets, by what is in them; null: all of its types.
  filter jsonb,
  -- True: its events of one key arrive one after the other.
  ordered boolean not null default false,
  -- Seconds between attempts, the last of them repeated; null: as the outbox says.
  retry_waits integer[]
    check (cardinality(retry_waits) between 1 and 20 and 1 <= all (retry_waits)
           and 86400 >= all (retry_waits)),
  retry_attempts smallint check (retry_attempts between 1 and 50),
  -- For a whole exchange; null: the server's.
  timeout_ms integer check (timeout_ms between 1000 and 30000),
  -- Requests a second, of all relays together; null: as fast as it answers.
  rate_per_second integer check (rate_per_second between 1 and 1000),
  -- What signs: a secret that both sides have, or a key pair of which the merchant has the public key.
  signing text not null default 'hmac' check (signing in ('hmac', 'ed25519')),
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_at timestamptz,
  -- By whom or by what, in a sentence.
  disabled_reason text,
  -- Since when every attempt failed, and the last that did; null after a success.
  failing_since timestamptz,
  last_failed_at timestamptz,
  -- When its owner was told that it is going to be disabled.
  warned_at timestamptz,
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  -- Its deliveries stay to be looked at.
  deleted_at timestamptz,
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhook_endpoints_retry check ((retry_waits is null) = (retry_attempts is null))
);
create index webhook_endpoints_listed on payments.webhook_endpoints (org_id, id)
  where deleted_at is null;
create index webhook_endpoints_failing on payments.webhook_endpoints (failing_since)
  where failing_since is not null and status = 'enabled' and deleted_at is null;
comment on table payments.webhook_endpoints is
  'not personal: org_id, url, url_query, event_types, filter, disabled_reason';

-- Sealed. Of several, the one without an end is current; the others also sign until theirs.
create table payments.webhook_secrets (
  id uuid primary key,
  endpoint_id uuid not null references payments.webhook_endpoints (id) on delete cascade,
  sealed text not null,
  -- Of a key pair, as whpk_…; null for a secret.
  public_key text,
  created_at timestamptz not null default posthorn.now(),
  expires_at timestamptz
);
create unique index webhook_secrets_current on payments.webhook_secrets (endpoint_id)
  where expires_at is null;
create index webhook_secrets_of_endpoint on payments.webhook_secrets (endpoint_id);
comment on table payments.webhook_secrets is 'not personal: sealed, public_key';

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
  -- What is sent byte for byte, where it came from elsewhere; null: the payload.
  body text,
  status text not null default 'pending'
    check (status in ('pending', 'failed', 'delivered', 'abandoned', 'skipped_disabled')),
  attempts integer not null default 0,
  -- Attempts in all, by its endpoint's policy when it was written; null: the outbox's.
  max_attempts smallint,
  next_attempt_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  traceparent text,
  -- By the real clock, like its attempts: a business clock that was moved ahead would make it come after them.
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  -- An event goes to an endpoint once, however often it is announced.
  unique (endpoint_id, event_id),
  check (status <> 'delivered' or delivered_at is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Claims give every organisation its share.
create index webhook_deliveries_shares on payments.webhook_deliveries
  (org_id, next_attempt_at, id) where status in ('pending', 'failed');
create index webhook_deliveries_suspect on payments.webhook_deliveries (next_attempt_at, id)
  where status in ('pending', 'failed') and lost_claims > 0;
create index webhook_deliveries_dead on payments.webhook_deliveries (created_at)
  where status = 'abandoned';
create index webhook_deliveries_listed on payments.webhook_deliveries (org_id, id);
create index webhook_deliveries_by_status on payments.webhook_deliveries (org_id, status, id);
create index webhook_deliveries_by_event on payments.webhook_deliveries (org_id, event_id);
-- What waits for an endpoint, and in which order.
create index webhook_deliveries_waiting on payments.webhook_deliveries
  (endpoint_id, order_key, position) where status in ('pending', 'failed');
-- What an endpoint missed and may ask for again.
create index webhook_deliveries_missed on payments.webhook_deliveries (endpoint_id, created_at)
  where status in ('abandoned', 'skipped_disabled');
comment on column payments.webhook_deliveries.payload is 'personal';
comment on column payments.webhook_deliveries.body is 'personal';
comment on column payments.webhook_deliveries.error is 'personal';
comment on table payments.webhook_deliveries is
  'not personal: org_id, event_id, event_type, order_key, error_code, traceparent';

-- Events for many endpoints, until their deliveries are written: the outbox payments.fan-outs.
create table payments.fan_outs (
  id uuid primary key,
  type text not null,
  payload jsonb not null,
  key text not null,
  tenant text,
  headers jsonb,
  dedupe text unique,
  status text not null default 'pending' check (status in ('pending', 'sent', 'dead', 'cancelled')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  error text,
  error_code text,
  traceparent text,
  lost_claims smallint not null default 0,
  seq bigint generated always as identity,
  bucket smallint not null generated always as (posthorn.bucket_of(key)) stored,
  held boolean not null default false
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index fan_outs_flow on payments.fan_outs (bucket, seq) where status = 'pending' and not held;
create index fan_outs_held on payments.fan_outs (key, seq) where held and status = 'pending';
create index fan_outs_waiting on payments.fan_outs (key) where status = 'pending';
create index fan_outs_dead on payments.fan_outs (created_at) where status = 'dead';
create index fan_outs_finished on payments.fan_outs (finished_at) where status in ('sent', 'cancelled');
comment on column payments.fan_outs.payload is 'personal';
comment on column payments.fan_outs.error is 'personal';
comment on table payments.fan_outs is
  'not personal: type, key, tenant, headers, dedupe, error_code, traceparent';

-- Each request and its answer. One whose answer its relay did not wait for is open, then answered,
-- and settled once the delivery has changed accordingly.
create table payments.webhook_attempts (
  id uuid primary key,
  delivery_id uuid not null references payments.webhook_deliveries (id) on delete cascade,
  attempt_no integer not null,
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
  started_at timestamptz not null default now()
);
create index webhook_attempts_of_delivery on payments.webhook_attempts (delivery_id, id);
-- In the order of time by itself: a few bytes for each hundred pages.
create index webhook_attempts_age on payments.webhook_attempts using brin (started_at);
comment on column payments.webhook_attempts.request_url is 'personal';
comment on column payments.webhook_attempts.request_headers is 'personal';
comment on column payments.webhook_attempts.response_headers is 'personal';
comment on column payments.webhook_attempts.response_body is 'personal';
comment on column payments.webhook_attempts.error is 'personal';
comment on table payments.webhook_attempts is 'not personal: error_class';

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
comment on table payments.webhook_retry_runs is 'not personal: org_id';

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
comment on table payments.webhook_tallies is 'not personal: counts';

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
comment on column payments.webhook_endpoint_hours.error is 'personal';
comment on table payments.webhook_endpoint_hours is 'not personal: error_code';

-- 5 Notices of alerts --------------------------------------------------------------------------------

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
comment on column payments.alert_notices.payload is 'personal';
comment on column payments.alert_notices.error is 'personal';
comment on table payments.alert_notices is 'not personal: source, subject, error_code';

-- 6 Reconciliation: files and their records ----------------------------------------------------------

-- How the files of one bank are read. A change makes a new version; a run remembers the one it used.
create table payments.reconciliation_profiles (
  id uuid primary key,
  org_id text not null,
  name text not null check (length(name) between 1 and 100),
  version integer not null default 1 check (version > 0),
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  -- Its versions stay: runs were read by them.
  deleted_at timestamptz
);
create unique index reconciliation_profiles_name on payments.reconciliation_profiles (org_id, name)
  where deleted_at is null;
create index reconciliation_profiles_listed on payments.reconciliation_profiles (org_id, id)
  where deleted_at is null;
comment on table payments.reconciliation_profiles is 'not personal: org_id, name';

create table payments.reconciliation_profile_versions (
  profile_id uuid not null references payments.reconciliation_profiles (id),
  version integer not null check (version > 0),
  rules jsonb not null,
  created_by text not null,
  created_at timestamptz not null default posthorn.now(),
  primary key (profile_id, version)
);
comment on table payments.reconciliation_profile_versions is 'not personal: rules, created_by';

-- A file and how far its reconciliation is. It is written last, in the transaction of its records:
-- there is no run without all of them. Runs are the organisation's; user_id says who uploaded.
create table payments.reconciliation_runs (
  id uuid primary key,
  org_id text not null,
  user_id text not null,
  filename text not null check (length(filename) between 1 and 255),
  -- SHA-256 of the bytes as they came.
  file_hash bytea not null check (octet_length(file_hash) = 32),
  file_bytes bigint not null,
  format text not null default 'csv',
  profile_id uuid,
  profile_version integer,
  status text not null default 'loaded',
  -- None on a day without bookings.
  total integer not null check (total >= 0),
  matched integer not null default 0 check (matched >= 0),
  unmatched integer not null check (unmatched >= 0),
  -- As text and back: the only immutable way to JSON.
  summary jsonb not null generated always as (
    ('{"matched": ' || matched::text || ', "unmatched": ' || unmatched::text
      || ', "total": ' || total::text || '}')::jsonb) stored,
  -- Records that say the same as an earlier one of the file.
  duplicates integer not null default 0,
  -- Entries that the bank has not booked: they are no records.
  pending integer not null default 0,
  -- What the file adds up to, in minor units: {"EUR": {"records": 2, "amount": "1050"}}.
  sums jsonb not null,
  -- Whether opening balance and entries give the closing one: {"tied": 3, "differing": 0,
  -- "unknown": 0}, by statement and currency. Null where the format has none.
  balances jsonb,
  -- How often it was reconciled.
  run_no integer not null default 0,
  created_at timestamptz not null default posthorn.now(),
  -- Of the last reconciliation.
  ran_at timestamptz,
  discarded_at timestamptz,
  discarded_by text,
  discard_reason text,
  foreign key (profile_id, profile_version)
    references payments.reconciliation_profile_versions (profile_id, version),
  check ((profile_id is null) = (profile_version is null)),
  constraint reconciliation_runs_format check (format in ('csv', 'camt.053', 'mt940')),
  constraint reconciliation_runs_status
    check (status in ('loaded', 'running', 'completed', 'discarded')),
  constraint reconciliation_runs_pending check (pending >= 0),
  constraint reconciliation_runs_adds_up check (matched + unmatched = total),
  constraint reconciliation_runs_ran check ((run_no = 0) = (ran_at is null)),
  constraint reconciliation_runs_completed check (status <> 'completed' or run_no > 0),
  constraint reconciliation_runs_discard_reason check (length(discard_reason) between 1 and 2000),
  constraint reconciliation_runs_discarded
    check ((status = 'discarded') = (discarded_at is not null)
           and (discarded_at is null) = (discarded_by is null)
           and (discarded_at is null) = (discard_reason is null)
           and (discarded_at is null or matched = 0))
) with (fillfactor = 80);
-- A file is loaded once, also twice at the same time; again after it was discarded.
create unique index reconciliation_runs_file on payments.reconciliation_runs (org_id, file_hash)
  where discarded_at is null;
create index reconciliation_runs_by_org on payments.reconciliation_runs (org_id, id);
comment on column payments.reconciliation_runs.filename is 'personal';
comment on column payments.reconciliation_runs.discard_reason is 'personal';
comment on table payments.reconciliation_runs is
  'not personal: org_id, user_id, file_hash, summary, sums, balances, discarded_by';

-- What a file says about its accounts. A statement has a row for each currency.
create table payments.reconciliation_statements (
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  number integer not null check (number > 0),
  currency text not null,
  org_id text not null,
  -- As the bank calls it.
  statement_id text not null,
  account text,
  from_day date,
  to_day date,
  -- Its number among the statements of the account.
  sequence integer,
  -- A hash of account, statement id, page and days. Null where the file does not say them, and once
  -- the file is discarded.
  identity bytea,
  -- Of its records; null where it has none.
  first_line integer,
  last_line integer,
  entries integer not null check (entries >= 0),
  -- What the entries add up to, in minor units: of many large ones, more than a bigint.
  booked numeric(30) not null,
  -- Null where the file does not say.
  opening numeric(30),
  closing numeric(30),
  -- By how much the closing balance is more than opening balance and entries.
  difference numeric(30) generated always as (closing - opening - booked) stored,
  primary key (run_id, number, currency)
);
-- A statement is loaded once, whatever file or message it comes in.
create unique index reconciliation_statements_once on payments.reconciliation_statements
  (org_id, identity, currency) where identity is not null;
-- Which one came before it.
create index reconciliation_statements_of_account on payments.reconciliation_statements
  (org_id, account, to_day, sequence) where sequence is not null;
comment on column payments.reconciliation_statements.account is 'personal';
comment on column payments.reconciliation_statements.statement_id is 'personal';
comment on table payments.reconciliation_statements is 'not personal: org_id, currency, identity';

-- A record is its line of the file: no other id, and one index less for each of a million rows. And
-- no foreign key to its run: checked row by row it took as long as all the rest of a load (500,000
-- rows: 3 s of 6). Records are written by one statement only, in the transaction of their run.
create table payments.reconciliation_records (
  run_id uuid not null,
  line_number integer not null check (line_number > 0),
  -- Among the records of the file that say the same: the first, the second …
  occurrence_no integer not null default 1 check (occurrence_no > 0),
  -- The line of the first of them.
  duplicate_of integer,
  -- Minor units, as many as JSON says exactly. Money that goes out is negative; zero may be. Neither
  -- ever equals a payment.
  amount bigint not null check (amount between -9007199254740991 and 9007199254740991),
  booked_on date not null,
  -- Of the last decision; whoever decides says which one they saw.
  version integer not null default 0,
  currency text not null check (octet_length(currency) = 3),
  external_transaction_id text not null
    check (octet_length(external_transaction_id) between 1 and 1020),
  -- What the bank took off before it booked the amount, where the file says so.
  fee bigint constraint reconciliation_records_fee check (fee <> 0),
  status text not null default 'unmatched'
    constraint reconciliation_records_status check (status in ('unmatched', 'matched')),
  matched_payment_id uuid references payments.payments (id),
  -- A record stands for a whole payment, for a part of one, for a refund or for a dispute: null, 'part',
  -- 'refund', 'dispute'. Its matched_payment_id is that payment, or the one that was refunded or disputed.
  matched_as text,
  -- What a match leaves over, so that payments and adjustments add up to the record: a fee is negative.
  adjustment bigint check (adjustment <> 0),
  adjustment_kind text check (adjustment_kind in ('fee', 'rounding', 'other')),
  -- Null: nobody yet. An unmatched record that a person decided on is never matched by itself.
  decided_by text
    constraint reconciliation_records_decided_by check (decided_by in ('auto', 'manual', 'ignored')),
  primary key (run_id, line_number),
  constraint reconciliation_records_matched_has_payment
    check ((status = 'matched') = (matched_payment_id is not null)),
  constraint reconciliation_records_matched_is_decided
    check (case when status = 'matched' then coalesce(decided_by in ('auto', 'manual'), false)
                else decided_by is distinct from 'auto' end),
  constraint reconciliation_records_matched_as
    check (matched_as is null
           or (matched_as in ('part', 'refund', 'dispute') and status = 'matched')),
  constraint reconciliation_records_adjusted
    check ((adjustment is null) = (adjustment_kind is null)
           and (adjustment is null or status = 'matched')),
  check ((occurrence_no > 1) = (duplicate_of is not null))
)
-- Room for the version of a row that its match writes, on the same page.
with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
-- A payment is matched once as a whole, by whatever record of whatever run.
create unique index reconciliation_records_whole on payments.reconciliation_records
  (matched_payment_id) where matched_payment_id is not null and matched_as is null;
create index reconciliation_records_parts on payments.reconciliation_records (matched_payment_id)
  where matched_as is not null;
-- What is still open in a file, however few of its million lines.
create index reconciliation_records_open on payments.reconciliation_records (run_id, line_number)
  where status = 'unmatched';
comment on column payments.reconciliation_records.external_transaction_id is 'personal';
comment on table payments.reconciliation_records is 'not personal: currency, matched_as';

-- What the foreign key would have done.
create function payments.reconciliation_run_deleted() returns trigger language plpgsql as $$
begin
  delete from payments.reconciliation_records where run_id = old.id;
  return old;
end $$;
create trigger reconciliation_runs_deleted before delete on payments.reconciliation_runs
  for each row execute function payments.reconciliation_run_deleted();

-- 7 Reconciliation: decisions and what they are about ------------------------------------------------

-- Why a record is as it is: one for each record that was reconciled, its current one. Without foreign
-- keys: checked row by row they cost more than the rows. For a million details the key to records alone
-- took 7 s, while writing them took 2.5 s. They would guard against nothing that happens: details are
-- written from records, in their transaction, records and payments are never deleted, and a matched
-- payment is held by the record's own key.
create table payments.reconciliation_details (
  run_id uuid not null,
  line_number integer not null,
  -- Of which reconciliation of the file.
  run_no integer not null check (run_no >= 0),
  reason text not null check (length(reason) between 1 and 64)
    constraint reconciliation_details_reason check (reason in (
      'exact_match', 'payment_not_succeeded', 'no_match', 'duplicate', 'amount_mismatch',
      'currency_mismatch', 'manual_match', 'manual_unmatch', 'ignored', 'reopened', 'discarded')),
  -- Matched, or the one that nearly fits.
  payment_id uuid,
  note text check (length(note) <= 2000),
  -- Who decided it; null where it was a run.
  actor text,
  created_at timestamptz not null default posthorn.now(),
  primary key (run_id, line_number)
) with (fillfactor = 85);
-- Matched records whose payments had not succeeded then: few, and exceptions until they do.
create index reconciliation_details_awaiting on payments.reconciliation_details (run_id, line_number)
  where reason = 'payment_not_succeeded';
comment on column payments.reconciliation_details.note is 'personal';
comment on table payments.reconciliation_details is 'not personal: actor';

-- What a detail was before it changed. Between two runs of a file it changed if its state after the
-- one, run_no <= n < until_no, differs from that after the other. A decision belongs to the run that
-- follows it.
create table payments.reconciliation_history (
  seq bigint generated always as identity primary key,
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  line_number integer not null,
  run_no integer not null,
  until_no integer not null check (until_no >= run_no),
  reason text not null,
  payment_id uuid,
  note text,
  actor text,
  created_at timestamptz not null
);
create index reconciliation_history_of_record on payments.reconciliation_history
  (run_id, line_number, seq);
-- Only added to, and sealed; persons in it can be erased.
select posthorn.register_audit('payments.reconciliation_history', 'seq',
  array['run_id', 'line_number', 'run_no', 'until_no', 'reason', 'payment_id', 'created_at'],
  array['note', 'actor']);

create function payments.reconciliation_detail_replaced() returns trigger language plpgsql as $$
begin
  insert into payments.reconciliation_history
         (run_id, line_number, run_no, until_no, reason, payment_id, note, actor, created_at)
  select o.run_id, o.line_number, o.run_no, n.run_no, o.reason, o.payment_id, o.note, o.actor,
         o.created_at
    from replaced as o
    join present as n on n.run_id = o.run_id and n.line_number = o.line_number;
  return null;
end $$;
create trigger reconciliation_details_replaced after update on payments.reconciliation_details
  referencing old table as replaced new table as present
  for each statement execute function payments.reconciliation_detail_replaced();

-- The further payments of a record that settles several; its first is in matched_payment_id.
create table payments.reconciliation_links (
  payment_id uuid primary key references payments.payments (id),
  run_id uuid not null,
  line_number integer not null,
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade
);
create index reconciliation_links_of_record on payments.reconciliation_links (run_id, line_number);

-- A payment is used once, as a record's first or as a further one: no key spans two tables, so the
-- payment's row is the lock between them. Whoever matches it takes its key share by the foreign key
-- and looks here afterwards; whoever links it takes the row and looks there.
create function payments.reconciliation_link_guarded() returns trigger
language plpgsql as $$
begin
  perform from payments.payments where id = new.payment_id for update;
  if exists (select from payments.reconciliation_records
              where matched_payment_id = new.payment_id
                and (matched_as is null or matched_as = 'part'))
  then
    raise exception 'payment % is matched by a record', new.payment_id
      using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
  end if;
  if not exists (select from payments.reconciliation_records
                  where run_id = new.run_id and line_number = new.line_number
                    and status = 'matched') then
    raise exception 'record % of % is not matched', new.line_number, new.run_id
      using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
  end if;
  return new;
end $$;
create trigger reconciliation_links_guarded before insert or update on payments.reconciliation_links
  for each row execute function payments.reconciliation_link_guarded();

-- Parts of a payment never add up to more than it, and a payment in parts is matched by nothing else.
-- The payment's row is the lock, as it is between records and links.
create function payments.reconciliation_part_guarded() returns trigger language plpgsql as $$
declare
  paid payments.payments;
  taken bigint;
  part bigint := new.amount - coalesce(new.adjustment, 0);
  others bigint;
begin
  select * into paid from payments.payments where id = new.matched_payment_id for update;
  taken := coalesce(paid.captured_amount, paid.amount);
  if exists (select from payments.reconciliation_records
              where matched_payment_id = new.matched_payment_id and matched_as is null
                and (run_id, line_number) <> (new.run_id, new.line_number))
     or exists (select from payments.reconciliation_links where payment_id = new.matched_payment_id)
  then
    raise exception 'payment % is matched as a whole', paid.id
      using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
  end if;
  select coalesce(sum(amount - coalesce(adjustment, 0)), 0) into others
    from payments.reconciliation_records
   where matched_payment_id = new.matched_payment_id and matched_as = 'part'
     and (run_id, line_number) <> (new.run_id, new.line_number);
  if part <= 0 or others + part > taken or new.currency <> paid.currency then
    raise exception 'payment %: % beside % is no part of %', paid.id, part, others, taken
      using errcode = 'check_violation', constraint = 'reconciliation_parts_within_payment';
  end if;
  return new;
end $$;
create trigger reconciliation_records_parts_guarded
  before insert or update on payments.reconciliation_records
  for each row when (new.matched_as = 'part')
  execute function payments.reconciliation_part_guarded();

-- Refunds and disputes: what a bank may book where money goes out. `took_money`: a refund that has not
-- failed, a dispute that is no inquiry; `is_late`: not done yet, or undone.
create view payments.reversals as
  select id, id as refund_id, null::uuid as dispute_id, 'refund' as kind, payment_id, org_id, amount,
         currency, status, status <> 'failed' as took_money, status <> 'succeeded' as is_late,
         gateway_ref, created_at
    from payments.transactions
   where type = 'refund'
  union all
  select id, null, id, 'dispute', payment_id, org_id, amount, currency, status,
         status <> 'inquiry', status not in ('opened', 'lost'), gateway_ref, opened_at
    from payments.disputes;

-- The refunds and disputes of a record: of one that stands for them, or of a payout that was paid less.
create table payments.reconciliation_reversals (
  id uuid primary key generated always as (coalesce(refund_id, dispute_id)) stored,
  refund_id uuid unique references payments.transactions (id),
  dispute_id uuid unique references payments.disputes (id),
  run_id uuid not null,
  line_number integer not null,
  check (num_nonnulls(refund_id, dispute_id) = 1),
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade
);
create index reconciliation_reversals_of_record on payments.reconciliation_reversals
  (run_id, line_number);

create function payments.reconciliation_reversal_guarded() returns trigger language plpgsql as $$
begin
  if new.refund_id is not null
     and not exists (select from payments.transactions where id = new.refund_id and type = 'refund')
  then
    raise exception 'transaction % is no refund', new.refund_id
      using errcode = 'check_violation', constraint = 'reconciliation_refunds_are_refunds';
  end if;
  if not exists (select from payments.reconciliation_records
                  where run_id = new.run_id and line_number = new.line_number
                    and status = 'matched') then
    raise exception 'record % of % is not matched', new.line_number, new.run_id
      using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
  end if;
  return new;
end $$;
create trigger reconciliation_reversals_guarded before insert or update
  on payments.reconciliation_reversals
  for each row execute function payments.reconciliation_reversal_guarded();

-- Why a record is as it is by now: it stays an exception only until its payments have succeeded. Read
-- from the payments, so that nothing has to be told of each that succeeds.
create view payments.reconciliation_reasons as
  select d.run_id, d.line_number, d.run_no, d.reason as stored,
         case when d.reason <> 'payment_not_succeeded'
                or (select p.status from payments.payments as p where p.id = d.payment_id)
                   in ('pending', 'failed')
                or exists (select
                             from payments.reconciliation_links as l
                             join payments.payments as p on p.id = l.payment_id
                            where l.run_id = d.run_id and l.line_number = d.line_number
                              and p.status in ('pending', 'failed'))
              then d.reason
              -- A run has no actor.
              when d.actor is null then 'exact_match'
              else 'manual_match' end as reason,
         d.payment_id, d.note, d.actor, d.created_at
    from payments.reconciliation_details as d;

-- Once for a statement, not for each of a million rows.
create function payments.reconciliation_records_guarded() returns trigger
language plpgsql as $$
begin
  if exists (select from payments.reconciliation_links) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l on l.payment_id = c.matched_payment_id
                where c.matched_as is null or c.matched_as = 'part') then
      raise exception 'a payment is linked to another record'
        using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
    end if;
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l
                   on l.run_id = c.run_id and l.line_number = c.line_number
                where c.status = 'unmatched') then
      raise exception 'a record that is not matched has no payments'
        using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
    end if;
  end if;
  if exists (select from payments.reconciliation_records where matched_as is not null) then
    if exists (select
                 from changed as c
                 join (select matched_payment_id from payments.reconciliation_records
                        where matched_as = 'part') as p
                   on p.matched_payment_id = c.matched_payment_id
                where c.matched_as is null) then
      raise exception 'a payment is matched in parts'
        using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
    end if;
  end if;
  if exists (select from payments.reconciliation_reversals) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_reversals as f
                   on f.run_id = c.run_id and f.line_number = c.line_number
                where c.status = 'unmatched') then
      raise exception 'a record that is not matched has no refunds or disputes'
        using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
    end if;
  end if;
  return null;
end $$;
create trigger reconciliation_records_guarded after update on payments.reconciliation_records
  referencing new table as changed
  for each statement execute function payments.reconciliation_records_guarded();

-- What a run of a file came to, by currency and reason; decisions after it move its last ones.
create table payments.reconciliation_tallies (
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  run_no integer not null check (run_no > 0),
  currency text not null,
  reason text not null,
  records integer not null check (records >= 0),
  amount numeric(30) not null,
  primary key (run_id, run_no, currency, reason)
) with (fillfactor = 70);
comment on table payments.reconciliation_tallies is 'not personal: currency, reason';

-- The same as of now, to be summed: of the last run what has succeeded since is moved.
create view payments.reconciliation_counts as
  select run_id, run_no, currency, reason, records, amount
    from payments.reconciliation_tallies
  union all
  select d.run_id, u.run_no, r.currency, m.reason, m.sign, m.sign * r.amount
    from payments.reconciliation_reasons as d
    join payments.reconciliation_runs as u on u.id = d.run_id
    join payments.reconciliation_records as r
      on r.run_id = d.run_id and r.line_number = d.line_number
   cross join lateral (values (d.stored, -1), (d.reason, 1)) as m (reason, sign)
   where d.stored = 'payment_not_succeeded' and d.reason <> d.stored;

-- What might belong together: never a match until somebody accepts it.
create table payments.reconciliation_suggestions (
  id uuid primary key,
  run_id uuid not null,
  line_number integer not null,
  kind text not null constraint reconciliation_suggestions_kind
    check (kind in ('amount_tolerance', 'date_window', 'many_to_one', 'one_to_many')),
  -- Of a payment in parts: all its lines, of which line_number is the first.
  line_numbers integer[],
  -- In their order; several only where one line settles them all.
  payment_ids uuid[] not null,
  refund_ids uuid[] not null default '{}',
  -- What they leave over: the record's amount less theirs.
  difference bigint not null,
  -- The record or a payment of it is in another suggestion too.
  ambiguous boolean not null,
  status text not null default 'open' check (status in ('open', 'accepted', 'dismissed')),
  created_at timestamptz not null default posthorn.now(),
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade,
  constraint reconciliation_suggestions_of_something
    check (cardinality(payment_ids) + cardinality(refund_ids) between 1 and 1000),
  constraint reconciliation_suggestions_parts
    check ((kind = 'one_to_many') = (line_numbers is not null))
) with (fillfactor = 80);
create index reconciliation_suggestions_listed on payments.reconciliation_suggestions
  (run_id, line_number, id);
