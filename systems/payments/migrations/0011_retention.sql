-- Events of the gateway are found by their age. They come in order of time, so that a summary of
-- blocks suffices, and costs a writer next to nothing.
create index webhook_events_age on payments.webhook_events using brin (received_at);
