-- The events of a saga are found in the archive too, and leave it with their saga.
-- locks: only maintenance writes to the archive, and can wait; nothing can be built concurrently there
create index archive_saga on posthorn.archive ((row_data ->> 'saga_id')) where outbox = 'sagas.events';
