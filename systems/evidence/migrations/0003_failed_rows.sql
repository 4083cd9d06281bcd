-- concurrently
-- Rows of a job that wait for another attempt, however few of its million rows they are.
create index concurrently if not exists file_outbox_row_failed on evidence.file_outbox_row
  (file_job_id, row_number) where status = 'FAILED';
