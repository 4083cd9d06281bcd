-- Messages that an outbox gives itself again and again: when each is due next, by the business clock.
-- A relay moves a row on in the transaction that enqueues what was due.
create table posthorn.recurring (
  outbox text not null,
  name text not null,
  -- As the definition has it; a relay with another rule leaves the row to those that have this one.
  rule text not null,
  -- Null: there will be no other.
  next_at timestamptz,
  last_at timestamptz,
  last_message text,
  enqueued bigint not null default 0,
  -- Why the last one could not be enqueued; null again once it could.
  error text,
  primary key (outbox, name)
);
