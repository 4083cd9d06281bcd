-- concurrently
-- Claims give every organisation its share. The index of before stays: versions that run beside this one
-- claim by it.
create index concurrently if not exists webhook_deliveries_shares on payments.webhook_deliveries
  (org_id, next_attempt_at, id) where status in ('pending', 'failed');
