-- What operators ask for: alerts that end, an audit that can be searched, a feed that can be resumed.

-- Since when the cause is over: the message was replayed or cancelled, the saga goes on.
alter table posthorn.alert add column recovered_at timestamptz;
drop index posthorn.alert_open;
create index alert_open on posthorn.alert (id) where acknowledged_at is null and recovered_at is null;

-- Whose message it was, where the outbox knows.
alter table posthorn.transition add column tenant text;

-- The order of the audit and of the feed. Ids only grow, so that the insert goes to the last page:
-- measured, a microsecond and 65 bytes of WAL for each transition.
create index transition_order on posthorn.transition (id);
-- Failures and replays; what went well has no code and costs nothing here.
create index transition_code on posthorn.transition (code, id) where code is not null;

-- What operators did that changed no message's state. Its ids are of one sequence with those of
-- transitions, so that both have one order.
create table posthorn.operation (
  id bigint primary key default nextval('posthorn.transition_id'),
  operation text not null,
  outbox text,
  subject text not null,
  tenant text,
  actor text not null,
  reason text,
  at timestamptz not null default clock_timestamp()
);
