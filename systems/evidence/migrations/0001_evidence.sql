-- Files of evidence: a job for each ZIP, a row of the outbox for each line of its CSV.
create schema evidence;

-- Jobs and their files -------------------------------------------------------------------------------

create table evidence.file_job (
  id uuid primary key,
  org_id text not null,
  filename text not null,
  status text not null default 'RECEIVED'
    check (status in ('RECEIVED', 'PROCESSING', 'COMPLETED', 'REJECTED')),
  -- Why it is REJECTED: a code, and a sentence for the merchant.
  reason text,
  reason_detail text,
  -- A cancelled job keeps one of the four states; rows that were not published end as errors.
  cancelled_at timestamptz,
  cancelled_by text,
  cancel_reason text,
  -- Where the ZIP is, and how to know that it is still the same.
  storage_key text not null,
  storage_version text,
  storage_etag text not null,
  size_bytes bigint not null,
  -- Of an object that came by itself; of an upload they are null.
  bucket text,
  object_version text,
  -- Of an upload: the same key with other bytes is refused.
  idempotency_key text,
  request_fingerprint text,
  -- Of an upload: the same bytes again are worth a warning.
  content_sha256 text,
  created_by text,
  -- What was noticed at its arrival; the check of the file adds to them.
  arrival_warnings jsonb not null default '[]',
  -- What the check of the whole file found, before the first row.
  columns text[],
  expected_rows integer,
  warnings jsonb not null default '[]',
  -- Every evidence file is in storage: from here on nothing can reject the job.
  staged_at timestamptz,
  -- The checkpoint: rows that are stored. Moves in the transaction that stores them.
  rows_read integer not null default 0,
  -- Set when parsing ends.
  total_rows integer,
  success_count integer not null default 0,
  error_count integer not null default 0,
  pending_retries integer not null default 0,
  -- One more each time that errors of a completed job are tried again.
  round smallint not null default 1,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  -- When the ZIP and the staged files, or the ZIP alone, were given up.
  files_removed_at timestamptz,
  upload_removed_at timestamptz,
  -- The outboxes evidence.files and evidence.large-files: how it waits to be read, since giants have places of
  -- their own, and when it is read next. The claim's token is in every write of its reader.
  reading text not null default 'read' check (reading in ('small', 'large', 'read')),
  not_before timestamptz not null default posthorn.now(),
  failures integer not null default 0,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  quarantined_at timestamptz,
  -- Why it is not read yet although it could be; until not_before.
  waits_for text check (waits_for in ('DAILY_LIMIT', 'SCANNER')),
  unique (org_id, idempotency_key),
  check ((status in ('COMPLETED', 'REJECTED')) = (completed_at is not null)),
  check ((status = 'REJECTED') = (reason is not null)),
  -- No row is stored, and so none is published, of a job that is rejected.
  check (status <> 'REJECTED' or (rows_read = 0 and total_rows is null)),
  check (rows_read = 0 or staged_at is not null),
  constraint file_job_cancelled_with_reason
    check ((cancelled_at is null) = (cancel_reason is null))
);
create unique index file_job_object on evidence.file_job (bucket, storage_key, object_version)
  where bucket is not null;
create index file_job_listed on evidence.file_job (org_id, id);
create index file_job_unread on evidence.file_job (created_at)
  where status in ('RECEIVED', 'PROCESSING') and total_rows is null;
create index file_job_due on evidence.file_job (org_id, not_before, id) where reading = 'small';
create index file_job_suspect on evidence.file_job (not_before, id)
  where reading = 'small' and lost_claims > 0;
create index file_job_large_due on evidence.file_job (org_id, not_before, id) where reading = 'large';
create index file_job_large_suspect on evidence.file_job (not_before, id)
  where reading = 'large' and lost_claims > 0;
create index file_job_quarantined on evidence.file_job (id) where quarantined_at is not null;
create index file_job_content on evidence.file_job (org_id, content_sha256, created_at)
  where content_sha256 is not null;
create index file_job_cancelled on evidence.file_job (id)
  where cancelled_at is not null and status in ('RECEIVED', 'PROCESSING');
comment on column evidence.file_job.filename is 'personal';
comment on column evidence.file_job.warnings is 'personal';
comment on column evidence.file_job.arrival_warnings is 'personal';
comment on column evidence.file_job.reason_detail is 'personal';
comment on column evidence.file_job.cancel_reason is 'personal';
comment on column evidence.file_job.idempotency_key is 'personal';
comment on table evidence.file_job is
  'not personal: org_id, reason, cancelled_by, storage_key, storage_version, storage_etag, bucket, object_version, request_fingerprint, content_sha256, created_by, columns';

-- The evidence files of a job that rows name: where they were staged, or what is wrong with them.
create table evidence.file_job_file (
  file_job_id uuid not null references evidence.file_job (id) on delete cascade,
  name text not null,
  storage_key text,
  size_bytes bigint,
  content_type text,
  error_message text,
  primary key (file_job_id, name),
  check ((storage_key is null) = (error_message is not null))
);
comment on column evidence.file_job_file.name is 'personal';
comment on column evidence.file_job_file.error_message is 'personal';
comment on table evidence.file_job_file is 'not personal: storage_key, content_type';

-- What an organisation has chosen.
create table evidence.org_settings (
  org_id text primary key,
  -- Who gets mail about results, in addition to the webhooks; null for no mail.
  notification_email text check (length(notification_email) between 3 and 254),
  updated_by text not null,
  updated_at timestamptz not null default now()
);
comment on column evidence.org_settings.notification_email is 'personal';
comment on table evidence.org_settings is 'not personal: org_id, updated_by';

-- Rows: the outbox -----------------------------------------------------------------------------------

create table evidence.file_outbox_row (
  id uuid primary key,
  file_job_id uuid not null references evidence.file_job (id) on delete cascade,
  org_id text not null,
  -- Counts the rows of the file from 1; the line is where a person finds it.
  row_number integer not null,
  line_number integer not null,
  case_id text not null,
  evidence_files text not null,
  metadata jsonb not null default '{}',
  status text not null default 'PENDING'
    check (status in ('PENDING', 'PUBLISHED', 'SUCCESS', 'FAILED', 'ERROR')),
  retry_count integer not null default 0 check (retry_count between 0 and 2),
  next_retry_at timestamptz not null default posthorn.now(),
  -- Of the attempt: a new one for each, the same when it is published again.
  event_id uuid,
  kafka_partition integer,
  kafka_offset bigint,
  published_at timestamptz,
  error_code text,
  error_message text,
  -- What became of the first attempt: N1 counts these, however many retries have run since.
  first_outcome text check (first_outcome in ('SUCCESS', 'FAILED', 'ERROR')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  unique (file_job_id, row_number)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- By merchant first: a claim gives each of them a turn.
create index file_outbox_row_due on evidence.file_outbox_row (org_id, next_retry_at, id)
  where status in ('PENDING', 'FAILED');
create index file_outbox_row_suspect on evidence.file_outbox_row (next_retry_at, id)
  where status in ('PENDING', 'FAILED') and lost_claims > 0;
create index file_outbox_row_unconfirmed on evidence.file_outbox_row (org_id)
  where status = 'PUBLISHED';
create index file_outbox_row_sent on evidence.file_outbox_row (published_at)
  where status = 'PUBLISHED';
create index file_outbox_row_dead on evidence.file_outbox_row (created_at)
  where status = 'ERROR';
create index file_outbox_row_errors on evidence.file_outbox_row (file_job_id, row_number)
  where status = 'ERROR';
-- Rows of a job that wait for another attempt, however few of its million rows they are.
create index file_outbox_row_failed on evidence.file_outbox_row (file_job_id, row_number)
  where status = 'FAILED';
-- Rows of a job by their case.
create index file_outbox_row_case on evidence.file_outbox_row (file_job_id, case_id, row_number);
comment on column evidence.file_outbox_row.case_id is 'personal';
comment on column evidence.file_outbox_row.evidence_files is 'personal';
comment on column evidence.file_outbox_row.metadata is 'personal';
comment on column evidence.file_outbox_row.error_message is 'personal';
comment on table evidence.file_outbox_row is 'not personal: org_id, error_code';

create table evidence.file_job_artifact (
  id uuid not null default gen_random_uuid(),
  file_job_id uuid not null,
  file_outbox_row_id uuid not null references evidence.file_outbox_row (id) on delete cascade,
  -- The place of the file in its row: the document API answers in this order.
  position smallint not null,
  filename text not null,
  storage_key text not null,
  size_bytes bigint not null,
  content_type text not null,
  attachment_status text not null default 'PENDING'
    check (attachment_status in ('PENDING', 'ATTACHED', 'FAILED')),
  document_mgmt_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  removed_at timestamptz,
  primary key (file_outbox_row_id, position),
  check ((attachment_status = 'ATTACHED') = (document_mgmt_id is not null))
);
create index file_job_artifact_id on evidence.file_job_artifact (id);
create index file_job_artifact_removed on evidence.file_job_artifact (storage_key)
  where removed_at is not null;
comment on column evidence.file_job_artifact.filename is 'personal';
comment on table evidence.file_job_artifact is 'not personal: storage_key, content_type, document_mgmt_id';

create table evidence.file_outbox_row_audit (
  id bigint generated always as identity primary key,
  file_outbox_row_id uuid not null references evidence.file_outbox_row (id) on delete cascade,
  -- Null for a row that was stored in its state.
  old_status text,
  new_status text not null,
  retry_count integer not null,
  error_code text,
  transitioned_by text not null
    check (transitioned_by in ('FILE_PROCESSOR', 'PUBLISHER', 'EVIDENCE_WORKER', 'OPERATOR')),
  created_at timestamptz not null default now()
);
create index file_outbox_row_audit_row on evidence.file_outbox_row_audit (file_outbox_row_id, id);
-- What became of each row is only added to, and sealed. No person is named in it.
select posthorn.register_audit('evidence.file_outbox_row_audit', 'id',
  array['file_outbox_row_id', 'old_status', 'new_status', 'retry_count', 'error_code',
        'transitioned_by', 'created_at'], '{}');

create table evidence.consumer_inbox (
  consumer text not null,
  event_id text collate "C" not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
-- The ids of attempts carry no time: this is what forgets them.
create index consumer_inbox_others on evidence.consumer_inbox (received_at)
  where not (event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$');
comment on table evidence.consumer_inbox is 'not personal: consumer, event_id';

-- What a job's rows are, and what its merchant is told ------------------------------------------------

-- What a job's rows are, as far as it was added up, and what changed since: each statement that moves
-- rows leaves one line for each job it touches, so that no two of them meet on a counter.
create table evidence.file_job_tally (
  file_job_id uuid primary key references evidence.file_job (id) on delete cascade,
  pending integer not null default 0,
  published integer not null default 0,
  failed integer not null default 0,
  success integer not null default 0,
  error integer not null default 0,
  first_success integer not null default 0,
  first_failed integer not null default 0,
  first_error integer not null default 0,
  -- Attempts that came to an outcome in a second, as of counted_at.
  per_second real not null default 0,
  counted_at timestamptz not null default now()
);
create table evidence.file_job_delta (
  id bigint generated always as identity primary key,
  file_job_id uuid not null,
  pending integer not null default 0,
  published integer not null default 0,
  failed integer not null default 0,
  success integer not null default 0,
  error integer not null default 0,
  first_success integer not null default 0,
  first_failed integer not null default 0,
  first_error integer not null default 0,
  attempts integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index file_job_delta_job on evidence.file_job_delta (file_job_id);

create table evidence.file_job_notification (
  id uuid primary key,
  file_job_id uuid not null references evidence.file_job (id) on delete cascade,
  kind text not null check (kind in ('N1', 'N2', 'REJECTED')),
  round smallint not null,
  success integer not null,
  pending_retries integer not null,
  errors integer not null,
  message text not null,
  created_at timestamptz not null default now(),
  unique (file_job_id, kind, round)
);
comment on table evidence.file_job_notification is 'not personal: message';

-- Mails about notifications; an outbox like the others.
create table evidence.file_job_mail (
  id uuid primary key,
  file_job_notification_id uuid not null
    references evidence.file_job_notification (id) on delete cascade,
  org_id text not null,
  recipient text not null,
  subject text not null,
  body text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'SENT', 'FAILED')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default posthorn.now(),
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  unique (file_job_notification_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index file_job_mail_due on evidence.file_job_mail (next_attempt_at, id)
  where status = 'PENDING';
create index file_job_mail_suspect on evidence.file_job_mail (next_attempt_at, id)
  where status = 'PENDING' and lost_claims > 0;
create index file_job_mail_dead on evidence.file_job_mail (created_at)
  where status = 'FAILED';
comment on column evidence.file_job_mail.recipient is 'personal';
comment on column evidence.file_job_mail.subject is 'personal';
comment on column evidence.file_job_mail.body is 'personal';
comment on column evidence.file_job_mail.error_message is 'personal';
comment on table evidence.file_job_mail is 'not personal: org_id, error_code';

-- Whoever moves a row, these hold: the publisher, the worker, an operator's replay --------------------

create function evidence.row_moves() returns trigger language plpgsql as $$
begin
  if old.status = 'ERROR' and new.status = 'PENDING' then
    -- Trying again makes no bad row a good one: it stays as it is.
    if old.error_code in ('INVALID_ROW', 'INVALID_FILE') then
      return null;
    end if;
    new.error_code := null;
    new.error_message := null;
  end if;
  if new.first_outcome is null and new.status in ('SUCCESS', 'FAILED', 'ERROR') then
    new.first_outcome := new.status;
  end if;
  new.updated_at := now();
  return new;
end $$;
create trigger file_outbox_row_moves before update of status on evidence.file_outbox_row
  for each row execute function evidence.row_moves();

create function evidence.rows_stored() returns trigger language plpgsql as $$
begin
  insert into evidence.file_job_delta (file_job_id, pending, error, first_error)
  select file_job_id, count(*) filter (where status = 'PENDING'),
         count(*) filter (where status = 'ERROR'), count(*) filter (where first_outcome = 'ERROR')
    from stored
   group by file_job_id;
  insert into evidence.file_outbox_row_audit
         (file_outbox_row_id, new_status, retry_count, error_code, transitioned_by)
  select id, status, retry_count, error_code, 'FILE_PROCESSOR'
    from stored
   where status = 'ERROR';
  return null;
end $$;
create trigger file_outbox_row_stored after insert on evidence.file_outbox_row
  referencing new table as stored
  for each statement execute function evidence.rows_stored();

-- What a statement changed: the sum of the new rows less that of the old ones. A join of both would be
-- planned once in a session, for as many rows as its first statement has: planned for none, it then
-- compares each of a thousand with each.
create function evidence.rows_moved() returns trigger language plpgsql as $$
begin
  insert into evidence.file_job_delta
         (file_job_id, pending, published, failed, success, error,
          first_success, first_failed, first_error, attempts)
  select change.*, greatest(failed + success + error, 0)
    from (select file_job_id,
                 coalesce(sum(n) filter (where status = 'PENDING'), 0) as pending,
                 coalesce(sum(n) filter (where status = 'PUBLISHED'), 0) as published,
                 coalesce(sum(n) filter (where status = 'FAILED'), 0) as failed,
                 coalesce(sum(n) filter (where status = 'SUCCESS'), 0) as success,
                 coalesce(sum(n) filter (where status = 'ERROR'), 0) as error,
                 coalesce(sum(n) filter (where first_outcome = 'SUCCESS'), 0),
                 coalesce(sum(n) filter (where first_outcome = 'FAILED'), 0),
                 coalesce(sum(n) filter (where first_outcome = 'ERROR'), 0)
            from (select file_job_id, status, first_outcome, 1 as n from new_rows
                  union all
                  select file_job_id, status, first_outcome, -1 from old_rows) as counted
           group by file_job_id) as change
   where (pending, published, failed, success, error) <> (0, 0, 0, 0, 0);
  if not found then
    return null;
  end if;
  if exists (select from old_rows where status = 'ERROR') then
    insert into evidence.file_outbox_row_audit
           (file_outbox_row_id, old_status, new_status, retry_count, error_code, transitioned_by)
    select n.id, o.status, n.status, n.retry_count, o.error_code, 'OPERATOR'
      from new_rows as n
      join old_rows as o on o.id = n.id
     where o.status = 'ERROR' and n.status = 'PENDING';
    update evidence.file_job_artifact as a
       set attachment_status = 'PENDING', updated_at = now()
      from new_rows as n
      join old_rows as o on o.id = n.id
     where o.status = 'ERROR' and n.status = 'PENDING'
       and a.file_outbox_row_id = n.id and a.attachment_status = 'FAILED';
  end if;
  return null;
end $$;
create trigger file_outbox_row_moved after update on evidence.file_outbox_row
  referencing old table as old_rows new table as new_rows
  for each statement execute function evidence.rows_moved();

-- Files leave the storage after their job's time, or with the person whose evidence they are ----------

-- Objects that are to leave the storage: a key, or with a slash at its end all that begins with it.
-- The row is written with the mark and goes once the object is gone, so that a crash forgets nothing.
create table evidence.object_removal (
  key text primary key,
  marked_at timestamptz not null default now()
);
comment on table evidence.object_removal is 'not personal: key';

create function evidence.job_files_removed() returns trigger
  language plpgsql
as $$
begin
  if new.files_removed_at is not null or new.upload_removed_at is not null then
    insert into evidence.object_removal (key) values (new.storage_key) on conflict do nothing;
  end if;
  if new.files_removed_at is not null then
    insert into evidence.object_removal (key) values ('staging/' || new.id || '/')
        on conflict do nothing;
  end if;
  return null;
end $$;
create trigger file_job_files_removed
  after update of files_removed_at, upload_removed_at on evidence.file_job
  for each row
  when (new.files_removed_at is distinct from old.files_removed_at
        or new.upload_removed_at is distinct from old.upload_removed_at)
  execute function evidence.job_files_removed();

create function evidence.artifact_removed() returns trigger
  language plpgsql
as $$
begin
  insert into evidence.object_removal (key) values (old.storage_key) on conflict do nothing;
  return null;
end $$;
create trigger file_job_artifact_removed
  after update of removed_at on evidence.file_job_artifact
  for each row
  when (new.removed_at is not null and old.removed_at is null)
  execute function evidence.artifact_removed();

-- Who did what with files, and how each ended --------------------------------------------------------

-- What became of a single row is in file_outbox_row_audit.
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
