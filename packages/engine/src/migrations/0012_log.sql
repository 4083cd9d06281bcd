-- Where each bucket of an outbox with storage 'log' stands in its log. Beside the lease, so that one write
-- fences a run and moves the cursor. A row of the log is named by the transaction that wrote it (xid) and by
-- its place (seq); every writer has its xid before its first seq.
--
--   log_seen       what was visible when everything before it had gone by
--   log_seen_by    a transaction number taken after that snapshot: whoever has a higher one had no seq yet
--   log_seen_seq   the highest seq given out between the two
--   log_tick       the same three for what is being read now; null between ticks
--   log_done       how far the tick is settled, by seq
--   log_upto       how far the run in flight goes
--   log_since      rows up to this seq are of another cluster, whose transaction numbers mean nothing here
--   log_cluster    the cluster that the numbers are of
alter table posthorn.bucket
  add column log_seen pg_snapshot,
  add column log_seen_by xid8 not null default '0',
  add column log_seen_seq bigint not null default 0,
  add column log_tick pg_snapshot,
  add column log_tick_by xid8,
  add column log_tick_seq bigint,
  add column log_done bigint not null default 0,
  add column log_upto bigint,
  add column log_since bigint not null default 0,
  add column log_cluster bigint;

-- Transactions whose rows may have a seq that the snapshot's reader has passed: those that were open, and
-- those between the snapshot's end and the number taken after it.
create function posthorn.log_late(seen pg_snapshot, seen_by xid8) returns xid8[]
  language sql stable parallel safe
  return array(
    select pg_snapshot_xip(seen)
    union all
    select n::text::xid8
      from generate_series(pg_snapshot_xmax(seen)::text::bigint, seen_by::text::bigint) as n);

-- Whether a row of the log has gone by.
create function posthorn.log_gone(b posthorn.bucket, xid xid8, seq bigint) returns boolean
  language sql stable parallel safe
  return seq <= b.log_since
      or (b.log_seen is not null and seq <= b.log_seen_seq and pg_visible_in_snapshot(xid, b.log_seen))
      or (b.log_tick is not null and seq <= b.log_done and pg_visible_in_snapshot(xid, b.log_tick));

-- The cluster that transaction numbers are of: a dump that is restored elsewhere begins them anew.
create function posthorn.log_cluster() returns bigint
  language sql stable
  return (select system_identifier from pg_control_system());

-- Where an outbox's messages are written, for those who do not know its definition.
alter table posthorn.outbox add column log_name text;
