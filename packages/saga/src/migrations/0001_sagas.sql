-- Sagas: what they are (saga), what their steps did (saga_step), when they run (saga_turn), what
-- came for them (saga_reply), what they send (saga_outbox) and what operators did to them (saga_action).
create schema if not exists sagas;

create table sagas.saga (
  id uuid primary key,
  name text not null,
  version integer not null,
  -- The steps it was begun with: a definition that has others must not run it.
  step_names text[] not null,
  -- Where steps run side by side: [{at, branches: [{name, steps}]}]; null for a straight saga.
  forks jsonb,
  tenant text,
  traceparent text,
  status text not null default 'RUNNING'
    check (status in ('RUNNING', 'COMPENSATING', 'COMPLETED', 'COMPENSATED', 'FAILED', 'TERMINATED')),
  input jsonb not null,
  -- The step that is tried; while compensating, the one that is undone.
  position integer not null default 0,
  -- Fence of whoever runs it: only the row of saga_turn with this number may move it.
  turn integer not null default 1,
  -- Counts its moves, and fences them: a process that was thought lost and comes back finds another
  -- number, also where steps run side by side and the position alone would not tell.
  moves integer not null default 0,
  -- Nobody runs it: it waits for due_at, for an event, or for both.
  asleep boolean not null default false,
  waits_for text[],
  due_at timestamptz,
  -- By the business clock: a saga that still runs then turns back.
  deadline_at timestamptz,
  -- Counts what came, so that nobody goes to sleep past a reply.
  replies integer not null default 0,
  cancelled_at timestamptz,
  -- The direction a failed saga had.
  resumes_as text check (resumes_as in ('RUNNING', 'COMPENSATING')),
  error_code text,
  error text,
  -- Why it compensates: it outlives a compensation that got stuck.
  cause_code text,
  cause text,
  -- Why it waits for another process, and since when: in addition to the error, not in its place.
  held_code text,
  held_error text,
  held_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((finished_at is not null) = (status in ('COMPLETED', 'COMPENSATED', 'FAILED', 'TERMINATED'))),
  check ((resumes_as is not null) = (status = 'FAILED')),
  constraint saga_held_check check ((held_code is null) = (held_at is null))
-- Room on the page: a step changes no indexed column, so its checkpoint is a HOT update.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index saga_tenant on sagas.saga (tenant, id);
create index saga_status on sagas.saga (status, id) where status <> 'COMPLETED';
create index saga_held on sagas.saga (name, version) where held_code is not null;
comment on column sagas.saga.input is 'personal';
comment on column sagas.saga.error is 'personal';
comment on column sagas.saga.cause is 'personal';
comment on column sagas.saga.held_error is 'personal';
comment on table sagas.saga is
  'not personal: name, step_names, forks, tenant, traceparent, waits_for, error_code, cause_code, held_code';

-- Written together with the saga's own row, which is locked by it: no foreign key is needed.
create table sagas.saga_step (
  saga_id uuid not null,
  position integer not null,
  name text not null,
  status text not null
    check (status in ('RUNNING', 'WAITING', 'RETRYING', 'COMPLETED', 'SKIPPED', 'REFUSED', 'FAILED',
                      'UNDOING', 'COMPENSATED')),
  output jsonb,
  attempts integer not null default 0,
  undo_attempts integer not null default 0,
  error_code text,
  error text,
  -- What an operator passed over: the action, or what undoes it.
  skipped text check (skipped in ('action', 'compensation')),
  -- Until when the step waits, for its time, its reply or its next attempt; whole milliseconds.
  due_at timestamptz,
  -- Nothing came in time, and what is done instead has begun.
  timed_out boolean not null default false,
  -- Real time: the first attempt began, the action came to its end, the first undoing began.
  started_at timestamptz,
  ended_at timestamptz,
  undo_started_at timestamptz,
  undone_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (saga_id, position)
);
comment on column sagas.saga_step.output is 'personal';
comment on column sagas.saga_step.error is 'personal';
comment on table sagas.saga_step is 'not personal: name, error_code';

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
comment on table sagas.saga_turn is 'not personal: id, error_code, error';

-- Replies are kept until a step uses them; those for a saga that has ended are only recorded.
create table sagas.saga_reply (
  saga_id uuid not null,
  event_id text collate "C" not null,
  event_type text not null,
  payload jsonb not null,
  headers jsonb not null,
  status text not null check (status in ('KEPT', 'USED', 'IGNORED')),
  received_at timestamptz not null default now(),
  primary key (saga_id, event_id)
);
comment on column sagas.saga_reply.payload is 'personal';
comment on column sagas.saga_reply.headers is 'personal';
comment on table sagas.saga_reply is 'not personal: event_id, event_type';

-- What a saga is found by beside its id: an order's number, a reference of the gateway.
create table sagas.saga_key (
  key text collate "C" not null,
  name text not null,
  tenant text not null default '',
  saga_id uuid not null,
  primary key (key, name, tenant)
);
create index saga_key_saga on sagas.saga_key (saga_id);
comment on table sagas.saga_key is 'not personal: key, name, tenant';

create table sagas.saga_outbox (
  id uuid primary key,
  -- The order in which a saga's steps made them, and in which they go out by their key.
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
    -- CLAIMED and FAILED are passed through: they stand in the transitions, never here.
    check (status in ('PENDING', 'CLAIMED', 'SENT', 'FAILED', 'DEAD_LETTER')),
  retry_count integer not null default 0,
  next_retry_at timestamptz not null default posthorn.now(),
  error_code text,
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  lost_claims smallint not null default 0,
  bucket smallint not null generated always as (posthorn.bucket_of(key)) stored,
  held boolean not null default false
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index saga_outbox_flow on sagas.saga_outbox (bucket, seq)
  where status = 'PENDING' and not held;
create index saga_outbox_held on sagas.saga_outbox (key, seq)
  where held and status = 'PENDING';
create index saga_outbox_dead on sagas.saga_outbox (created_at) where status = 'DEAD_LETTER';
create index saga_outbox_finished on sagas.saga_outbox (sent_at) where status = 'SENT';
create index saga_outbox_saga on sagas.saga_outbox (saga_id);
-- The events of a saga are found in the archive too, and leave it with their saga.
-- locks: only maintenance writes to the archive, and can wait; nothing can be built concurrently there
create index archive_saga on posthorn.archive ((row_data ->> 'saga_id')) where outbox = 'sagas.events';
comment on column sagas.saga_outbox.payload is 'personal';
comment on column sagas.saga_outbox.last_error is 'personal';
comment on table sagas.saga_outbox is
  'not personal: step, topic, event_type, key, tenant, traceparent, error_code';

-- What operators did to a saga, for as long as it is kept; posthorn.operation has it too, for the audit.
create table sagas.saga_action (
  id bigint generated always as identity primary key,
  saga_id uuid not null,
  action text not null check (action in ('cancel', 'resume', 'skip', 'terminate')),
  step text,
  -- The status that the saga had before.
  was text not null,
  actor text not null,
  reason text check (reason ~ '\S'),
  at timestamptz not null default now(),
  check (reason is not null or action in ('cancel', 'resume'))
);
create index saga_action_saga on sagas.saga_action (saga_id, id);
comment on column sagas.saga_action.actor is 'personal';
comment on column sagas.saga_action.reason is 'personal';
comment on table sagas.saga_action is 'not personal: step, was';

create table sagas.consumer_inbox (
  consumer text not null,
  event_id text collate "C" not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
-- Ids that carry no time; nearly empty where all producers use UUIDv7.
create index consumer_inbox_others on sagas.consumer_inbox (received_at)
  where not (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$');
comment on table sagas.consumer_inbox is 'not personal: consumer, event_id';
