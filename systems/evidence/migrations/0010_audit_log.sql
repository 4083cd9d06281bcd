-- Who did what with files, and how each ended. What became of a single row is in
-- file_outbox_row_audit.
create table evidence.audit_log (
  seq bigint generated always as identity primary key,
  org_id text not null,
  -- A user's id, or the part of the system that did it.
  actor text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  details jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index audit_log_of_entity on evidence.audit_log (entity_type, entity_id, seq);
create index audit_log_of_org on evidence.audit_log (org_id, seq);
create index audit_log_age on evidence.audit_log using brin (created_at);
select posthorn.register_audit('evidence.audit_log', 'seq',
  array['org_id', 'action', 'entity_type', 'entity_id', 'created_at'], array['actor', 'details']);

-- Here and not in the code: a job moves in several places.
create function evidence.job_audited() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (new.org_id, coalesce(new.created_by, 'evidence.arrivals'), 'file_job.received', 'file_job',
            new.id::text, jsonb_build_object('filename', new.filename, 'bytes', new.size_bytes));
    return null;
  end if;
  if old.cancelled_at is null and new.cancelled_at is not null then
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (new.org_id, coalesce(new.cancelled_by, 'evidence'), 'file_job.cancelled', 'file_job',
            new.id::text, jsonb_build_object('reason', new.cancel_reason));
  end if;
  if new.status <> old.status and new.status in ('COMPLETED', 'REJECTED') then
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (new.org_id, 'evidence', 'file_job.' || lower(new.status), 'file_job', new.id::text,
            case new.status
              when 'REJECTED' then jsonb_build_object('reason', new.reason)
              else jsonb_build_object('success', new.success_count, 'errors', new.error_count,
                                      'round', new.round)
            end);
  end if;
  return null;
end $$;
create trigger file_job_received after insert on evidence.file_job
  for each row execute function evidence.job_audited();
create trigger file_job_audited after update of status, cancelled_at on evidence.file_job
  for each row
  when (new.status is distinct from old.status or new.cancelled_at is distinct from old.cancelled_at)
  execute function evidence.job_audited();
