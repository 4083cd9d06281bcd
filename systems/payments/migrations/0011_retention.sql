-- concurrently
-- Events of the gateway and entries of the audit are found by their age. They come in order of time,
-- so that a summary of blocks suffices, and costs a writer next to nothing.
create index concurrently if not exists webhook_events_age on payments.webhook_events
  using brin (received_at);
create index concurrently if not exists audit_log_age on payments.audit_log using brin (created_at);
