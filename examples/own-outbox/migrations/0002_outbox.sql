-- What the engine adds to the outbox, and the inbox: printed by outboxTableSql(shopEvents) and
-- inboxTableSql(shopInbox).
alter table shop.outbox
  add column if not exists claim_token uuid,
  add column if not exists claimed_until timestamptz,
  add column if not exists lost_claims smallint not null default 0;
alter table shop.outbox set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index if not exists outbox_due on shop.outbox (due_at, id)
  where status in ('pending', 'failed');
create index if not exists outbox_suspect on shop.outbox (due_at, id)
  where status in ('pending', 'failed') and lost_claims > 0;
create index if not exists outbox_dead on shop.outbox (id)
  where status = 'dead';

create table if not exists shop.inbox (
  consumer text not null,
  event_id text collate "C" not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
-- Ids that carry no time; nearly empty where all producers use UUIDv7.
create index if not exists inbox_others on shop.inbox (received_at)
  where not (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$');
