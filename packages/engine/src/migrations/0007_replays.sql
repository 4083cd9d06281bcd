-- Replays of more messages than one transaction should take: who, why, which, and how far they are.
-- A batch and its count commit together, so that any process can go on with a replay whose own died.

create table posthorn.replay (
  id uuid primary key,
  outbox text not null,
  filter jsonb not null,
  per_second float8,
  -- How many there were when it began, and how many of them it is to take.
  matched bigint not null,
  wanted bigint not null,
  replayed bigint not null default 0,
  -- How many of those it took were dead again when it came by.
  died_again bigint not null default 0,
  state text not null default 'running' check (state in ('running', 'done', 'stopped')),
  actor text not null,
  reason text,
  started_at timestamptz not null default now(),
  next_batch_at timestamptz not null default posthorn.now(),
  ended_at timestamptz
);
create index replay_running on posthorn.replay (next_batch_at) where state = 'running';
create index replay_outbox on posthorn.replay (outbox, started_at desc);

-- What a running replay has taken, to tell what died again; empty once it has ended.
create table posthorn.replayed_message (
  replay_id uuid not null references posthorn.replay (id) on delete cascade,
  message_id text not null,
  primary key (replay_id, message_id)
);
