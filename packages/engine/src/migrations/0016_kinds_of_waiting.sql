-- What of that waited for another attempt, and how long ago the oldest of what is not delivered was
-- written: in an outage nothing is due, and everything waits.
alter table posthorn.sample
  add column retrying bigint,
  add column oldest_undelivered_seconds float8;
