create schema shop;

create table shop.event (
  id uuid primary key,
  type text not null,
  org_id text not null,
  payload jsonb not null default '{}',
  status text not null default 'waiting'
    check (status in ('waiting', 'sent', 'failed', 'dead', 'cancelled')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamptz not null default now(),
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0
);
create index event_due on shop.event (due_at, id) where status in ('waiting', 'failed');
create index event_suspect on shop.event (due_at, id)
  where status in ('waiting', 'failed') and lost_claims > 0;
create index event_dead on shop.event (created_at) where status = 'dead';

create table shop.order_event (
  id uuid primary key,
  order_id text not null,
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'dead')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  created_at timestamptz not null default now(),
  lost_claims smallint not null default 0,
  seq bigint generated always as identity,
  bucket smallint not null generated always as (posthorn.bucket_of(order_id)) stored,
  held boolean not null default false
);
create index order_event_flow on shop.order_event (bucket, seq) where status = 'waiting' and not held;
create index order_event_held on shop.order_event (order_id, seq) where held and status = 'waiting';
create index order_event_dead on shop.order_event (created_at) where status = 'dead';
