-- concurrently
alter table evidence.file_job validate constraint file_job_waits_for_check;
alter table evidence.file_job validate constraint file_job_cancelled_with_reason;

create index concurrently if not exists file_job_content on evidence.file_job
  (org_id, content_sha256, created_at) where content_sha256 is not null;
create index concurrently if not exists file_job_cancelled on evidence.file_job (id)
  where cancelled_at is not null and status in ('RECEIVED', 'PROCESSING');

-- Rows of a job by their case, and a file by its id.
create index concurrently if not exists file_outbox_row_case on evidence.file_outbox_row
  (file_job_id, case_id, row_number);
create index concurrently if not exists file_job_artifact_id on evidence.file_job_artifact (id);
create index concurrently if not exists file_job_artifact_removed on evidence.file_job_artifact
  (storage_key) where removed_at is not null;
