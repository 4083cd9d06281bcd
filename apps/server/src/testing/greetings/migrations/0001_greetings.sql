-- A small outbox to look at: a greeting is a row and a message, written in one transaction.
create schema example;

create table example.greeting (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'dead')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0
) with (fillfactor = 80);

create index greeting_due on example.greeting (due_at, id) where status = 'waiting';
create index greeting_suspect on example.greeting (due_at, id)
  where status = 'waiting' and lost_claims > 0;
create index greeting_dead on example.greeting (created_at) where status = 'dead';

-- What the consumer did, and which messages it has done it for.
create table example.greeted (
  name text primary key,
  times bigint not null default 0
);
create table example.inbox (
  consumer text not null,
  event_id text collate "C" not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
