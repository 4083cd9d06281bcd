-- What an overview of all outboxes shows beside their tables.

-- Destinations that a relay does not try at the moment, as of its last sign of life:
-- [{"destination": "webhook:https://…", "openMs": 1200}].
alter table posthorn.relay add column breakers jsonb not null default '[]';

-- How much waited, once a minute: counted by one of the relays, for charts and for tables too large
-- to be counted at every look. Null where counting took too long.
create table posthorn.sample (
  outbox text not null,
  at timestamptz not null,
  waiting bigint,
  due bigint,
  oldest_due_seconds float8,
  primary key (outbox, at)
);
