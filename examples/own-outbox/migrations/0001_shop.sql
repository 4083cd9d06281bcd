create schema shop;

create table shop.orders (
  id integer generated always as identity primary key,
  article text not null,
  packed_at timestamptz
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
