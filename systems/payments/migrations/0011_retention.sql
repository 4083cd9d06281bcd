-- Events of the gateway and entries of the audit are found by their age. They come in order of time,
-- so that a summary of blocks suffices, and costs a writer next to nothing.
create index webhook_events_age on payments.webhook_events using brin (received_at);
create index audit_log_age on payments.audit_log using brin (created_at);
