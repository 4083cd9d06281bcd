-- Sagas: what they are (saga), what their steps did (saga_step), when they run (saga_turn), what
-- came for them (saga_reply) and what they send (saga_outbox).
create schema if not exists sagas;

create table sagas.saga (
  id uuid primary key,
  name text not null,
  version integer not null,
  -- The steps it was begun with: a definition that has others must not run it.
  step_names text[] not null,
  tenant text,
  traceparent text,
  status text not null default 'RUNNING'
    check (status in ('RUNNING', 'COMPENSATING', 'COMPLETED', 'COMPENSATED', 'FAILED')),
  input jsonb not null,
  -- The step that is tried; while compensating, the one that is undone.
  position integer not null default 0,
  -- Fence of whoever runs it: only the row of saga_turn with this number may move it.
  turn integer not null default 1,
  -- Nobody runs it: it waits for due_at, for an event, or for both.
  asleep boolean not null default false,
  waits_for text[],
  due_at timestamptz,
  -- Counts what came, so that nobody goes to sleep past a reply.
  replies integer not null default 0,
  cancelled_at timestamptz,
  -- The direction a failed saga had.
  resumes_as text check (resumes_as in ('RUNNING', 'COMPENSATING')),
  error_code text,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((finished_at is not null) = (status in ('COMPLETED', 'COMPENSATED', 'FAILED'))),
  check ((resumes_as is not null) = (status = 'FAILED'))
-- Room on the page: a step changes no indexed column, so its checkpoint is a HOT update.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index saga_tenant on sagas.saga (tenant, id);
create index saga_status on sagas.saga (status, id) where status <> 'COMPLETED';

-- Written together with the saga's own row, which is locked by it: no foreign key is needed.
create table sagas.saga_step (
  saga_id uuid not null,
  position integer not null,
  name text not null,
  status text not null
    check (status in ('WAITING', 'RETRYING', 'COMPLETED', 'REFUSED', 'FAILED', 'UNDOING', 'COMPENSATED')),
  output jsonb,
  attempts integer not null default 0,
  undo_attempts integer not null default 0,
  error_code text,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  undone_at timestamptz,
  primary key (saga_id, position)
);

-- The outbox of turns. Its id is saga and number, so that a turn cannot be there twice.
create table sagas.saga_turn (
  id text primary key,
  saga_id uuid not null,
  turn integer not null,
  status text not null default 'READY' check (status in ('READY', 'DONE', 'DEAD')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error_code text,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index saga_turn_due on sagas.saga_turn (due_at, id) where status = 'READY';
create index saga_turn_suspect on sagas.saga_turn (due_at, id)
  where status = 'READY' and lost_claims > 0;
create index saga_turn_dead on sagas.saga_turn (created_at) where status = 'DEAD';
create index saga_turn_finished on sagas.saga_turn (finished_at) where status = 'DONE';

-- Replies are kept until a step uses them; those for a saga that has ended are only recorded.
create table sagas.saga_reply (
  saga_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  payload jsonb not null,
  headers jsonb not null,
  status text not null check (status in ('KEPT', 'USED', 'IGNORED')),
  received_at timestamptz not null default now(),
  primary key (saga_id, event_id)
);

create table sagas.saga_outbox (
  id uuid primary key,
  -- The order in which a saga's steps made them.
  seq bigint generated always as identity,
  saga_id uuid not null,
  step text not null,
  topic text not null,
  event_type text not null,
  key text not null,
  tenant text,
  payload jsonb not null,
  traceparent text,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'CLAIMED', 'SENT', 'FAILED', 'DEAD_LETTER')),
  retry_count integer not null default 0,
  next_retry_at timestamptz not null default posthorn.now(),
  error_code text,
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index saga_outbox_due on sagas.saga_outbox (next_retry_at, id) where status = 'PENDING';
create index saga_outbox_suspect on sagas.saga_outbox (next_retry_at, id)
  where status = 'PENDING' and lost_claims > 0;
create index saga_outbox_claimed on sagas.saga_outbox (claimed_until) where status = 'CLAIMED';
create index saga_outbox_dead on sagas.saga_outbox (created_at) where status = 'DEAD_LETTER';
create index saga_outbox_finished on sagas.saga_outbox (sent_at) where status = 'SENT';
create index saga_outbox_saga on sagas.saga_outbox (saga_id);

create table sagas.consumer_inbox (
  consumer text not null,
  event_id uuid not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
-- Ids that carry no time; nearly empty where all producers use UUIDv7.
create index consumer_inbox_others on sagas.consumer_inbox (received_at)
  where not (get_byte(uuid_send(event_id), 6) >> 4 = 7 and get_byte(uuid_send(event_id), 8) >> 6 = 2);
