-- Sagas whose steps run side by side, are left out, wait until a time of their own or for a signal.
-- A straight saga writes none of the new columns but the times of its steps.
alter table sagas.saga
  -- Counts its moves, and fences them: a process that was thought lost and comes back finds another
  -- number, also where steps run side by side and the position alone would not tell.
  add column moves integer not null default 0,
  -- Where steps run side by side: [{at, branches: [{name, steps}]}]; null for a straight saga.
  add column forks jsonb,
  -- By the business clock: a saga that still runs then turns back.
  add column deadline_at timestamptz;

alter table sagas.saga_step
  -- Until when the step waits, for its time, its reply or its next attempt; whole milliseconds.
  add column due_at timestamptz,
  -- Nothing came in time, and what is done instead has begun.
  add column timed_out boolean not null default false,
  -- It was begun before an operator went back, and may still have its old effect.
  add column was_begun boolean not null default false,
  -- Real time: the first attempt began, the action came to its end, the first undoing began.
  add column started_at timestamptz,
  add column ended_at timestamptz,
  add column undo_started_at timestamptz,
  drop constraint saga_step_status_check,
  add constraint saga_step_status_check check (status in
    ('RUNNING', 'WAITING', 'RETRYING', 'COMPLETED', 'SKIPPED', 'REFUSED', 'FAILED', 'UNDOING', 'COMPENSATED',
     'RESTARTED')) not valid;
