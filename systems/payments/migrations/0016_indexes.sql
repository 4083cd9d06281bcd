-- concurrently
-- A file is loaded once, also twice at the same time; again after it was discarded. This comes first:
-- until then none is loaded at all.
create unique index concurrently if not exists reconciliation_runs_file
  on payments.reconciliation_runs (org_id, file_hash)
  where discarded_at is null and copy_of is null;
create index concurrently if not exists reconciliation_runs_by_org on payments.reconciliation_runs
  (org_id, id);
drop index concurrently if exists payments.reconciliation_runs_listed;
alter table payments.reconciliation_runs validate constraint reconciliation_runs_format;
alter table payments.reconciliation_runs validate constraint reconciliation_runs_pending;
alter table payments.reconciliation_runs validate constraint reconciliation_runs_discard_reason;

create index concurrently if not exists webhook_deliveries_by_status on payments.webhook_deliveries
  (org_id, status, id);
create index concurrently if not exists webhook_deliveries_by_event on payments.webhook_deliveries
  (org_id, event_id);

create unique index concurrently if not exists transactions_one_authorisation
  on payments.transactions (payment_id) where type = 'authorisation';
-- What is held is taken or set free, by one request at a time.
create unique index concurrently if not exists transactions_one_decision
  on payments.transactions (payment_id) where type in ('capture', 'void') and status <> 'failed';

create index concurrently if not exists webhook_events_listed on payments.webhook_events
  (org_id, received_at, event_id);
create index concurrently if not exists webhook_events_by_outcome on payments.webhook_events
  (org_id, outcome, received_at, event_id) where outcome not in ('applied', 'unchanged');
create index concurrently if not exists webhook_events_unknown_payment on payments.webhook_events
  (named_payment) where outcome = 'unknown_payment' and named_payment is not null;
create index concurrently if not exists webhook_events_unknown_ref on payments.webhook_events
  (gateway_ref) where outcome = 'unknown_payment' and gateway_ref is not null;

-- What is settled leaves the index by itself: the schedule costs no write of its own. With
-- `created_at`, so that the age of the oldest is read from the index alone.
create index concurrently if not exists payments_lookup_due on payments.payments (lookup_at)
  include (created_at) where status = 'pending';
create index concurrently if not exists transactions_lookup_due on payments.transactions (lookup_at)
  include (created_at)
  where type = 'refund' and status = 'succeeded' and confirmed_at is null;

-- What a search looks for. Those of the organisation by status and by id are there already.
create index concurrently if not exists payments_by_gateway_ref on payments.payments (gateway_ref)
  where gateway_ref is not null;
create index concurrently if not exists payments_by_external_id on payments.payments
  (org_id, external_payment_id, id) where external_payment_id is not null;
create index concurrently if not exists payments_by_amount on payments.payments
  (org_id, amount, id);
create index concurrently if not exists payments_by_time on payments.payments (org_id, created_at);
create index concurrently if not exists payments_by_currency on payments.payments
  (org_id, currency, id);
-- Names are looked for in the whole organisation now; payments_by_external_id does that.
drop index concurrently if exists payments.payments_external;

-- A payment is matched once as a whole. The stricter one goes when this one is there.
create unique index concurrently if not exists reconciliation_records_whole
  on payments.reconciliation_records (matched_payment_id)
  where matched_payment_id is not null and matched_as is null;
create index concurrently if not exists reconciliation_records_parts
  on payments.reconciliation_records (matched_payment_id) where matched_as is not null;
drop index concurrently if exists payments.reconciliation_records_payment;

-- What reconciliation looks through where money went out, and refunds that no line has, newest first.
create index concurrently if not exists transactions_refunds on payments.transactions (payment_id)
  where type = 'refund';
create index concurrently if not exists transactions_refunds_listed on payments.transactions (id)
  where type = 'refund';
