-- The shop's own tables.
create schema shop;

create table shop.orders (
  id bigint generated always as identity primary key,
  total_cents integer not null
);

create table shop.outbox (
  id uuid primary key,
  type text not null,
  payload jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'failed', 'sent', 'dead')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text
);

-- What the engine adds: printed by outboxTableSql(shopEvents).
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
