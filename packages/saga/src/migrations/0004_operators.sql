-- What operators do to a saga, and what must not be forgotten meanwhile.
alter table sagas.saga
  drop constraint saga_check,
  drop constraint saga_status_check,
  -- Why it compensates: it outlives a compensation that got stuck.
  add column cause_code text,
  add column cause text,
  -- Why it waits for another process, and since when: beside the error, not in its place.
  add column held_code text,
  add column held_error text,
  add column held_at timestamptz,
  add constraint saga_status_check
    check (status in ('RUNNING', 'COMPENSATING', 'COMPLETED', 'COMPENSATED', 'FAILED', 'TERMINATED'))
    not valid,
  add constraint saga_check
    check ((finished_at is not null) = (status in ('COMPLETED', 'COMPENSATED', 'FAILED', 'TERMINATED')))
    not valid,
  add constraint saga_held_check check ((held_code is null) = (held_at is null)) not valid;

alter table sagas.saga_step
  drop constraint saga_step_status_check,
  -- What an operator passed over: the action, or what undoes it.
  add column skipped text,
  add constraint saga_step_skipped_check check (skipped in ('action', 'compensation')) not valid,
  -- How often it was undone and begun anew: another side must not take the new call for the old one.
  add column round integer not null default 0,
  -- RESTARTED: it was tried before an operator went back, and is tried again.
  add constraint saga_step_status_check
    check (status in ('WAITING', 'RETRYING', 'COMPLETED', 'REFUSED', 'FAILED', 'UNDOING', 'COMPENSATED',
                      'RESTARTED')) not valid;

-- The position of the step that used it: who begins that step anew needs it again.
alter table sagas.saga_reply add column step integer;

-- What operators did to a saga, for as long as it is kept; posthorn.operation has it too, for the audit.
create table sagas.saga_action (
  id bigint generated always as identity primary key,
  saga_id uuid not null,
  action text not null check (action in ('cancel', 'resume', 'skip', 'complete', 'terminate', 'restart')),
  step text,
  -- The status that the saga had before.
  was text not null,
  actor text not null,
  reason text check (reason ~ '\S'),
  at timestamptz not null default now(),
  check (reason is not null or action in ('cancel', 'resume'))
);
create index saga_action_saga on sagas.saga_action (saga_id, id);
