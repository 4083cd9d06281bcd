-- concurrently
-- What 0004 and 0005 added, for the rows that were there.
alter table sagas.saga validate constraint saga_status_check;
alter table sagas.saga validate constraint saga_check;
alter table sagas.saga validate constraint saga_held_check;
alter table sagas.saga_step validate constraint saga_step_skipped_check;
alter table sagas.saga_step validate constraint saga_step_status_check;

create index concurrently if not exists saga_held on sagas.saga (name, version)
  where held_code is not null;
