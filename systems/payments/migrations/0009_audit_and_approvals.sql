-- Who did what is only added to, and sealed; persons in it can be erased.
select posthorn.register_audit('payments.audit_log', 'seq',
  array['org_id', 'action', 'entity_type', 'entity_id', 'created_at'], array['actor', 'details']);

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

-- What one user proposes and another decides:  pending -> approved | rejected | withdrawn | expired.
create table payments.proposals (
  id uuid primary key,
  org_id text not null,
  kind text not null check (kind in ('refund', 'decision', 'discard', 'limits')),
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
create index proposals_expiring on payments.proposals (expires_at) where status = 'pending';
