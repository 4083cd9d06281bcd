-- When an entry was really written. `created_at` is by the business clock, which can be moved: entries of
-- all systems are listed by the real one. Entries of before have none. Sealed from here on; a seal keeps the
-- columns that it covers.
-- This row before the table, as the worker that seals takes them.
update posthorn.audit_table
   set public_columns = array['org_id', 'action', 'entity_type', 'entity_id', 'created_at', 'recorded_at']
 where name = 'payments.audit_log';
-- Without a default at first, which rows of before would get.
alter table payments.audit_log add column recorded_at timestamptz;
alter table payments.audit_log alter column recorded_at set default now();
