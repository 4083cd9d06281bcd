-- Files of evidence: a job for each ZIP, a row of the outbox for each line of its CSV.
create schema evidence;

create table evidence.file_job (
  id uuid primary key,
  org_id text not null,
  filename text not null,
  status text not null default 'RECEIVED'
    check (status in ('RECEIVED', 'PROCESSING', 'COMPLETED', 'REJECTED')),
  -- Why it is REJECTED: a code, and a sentence for the merchant.
  reason text,
  reason_detail text,
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
  created_by text,
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
  -- The file processor's lease and fence, by real time.
  claim_token uuid,
  claimed_until timestamptz,
  lost_claims smallint not null default 0,
  failures smallint not null default 0,
  not_before timestamptz not null default now(),
  unique (org_id, idempotency_key),
  check ((status in ('COMPLETED', 'REJECTED')) = (completed_at is not null)),
  check ((status = 'REJECTED') = (reason is not null)),
  -- No row is stored, and so none is published, of a job that is rejected.
  check (status <> 'REJECTED' or (rows_read = 0 and total_rows is null)),
  check (rows_read = 0 or staged_at is not null)
);
create unique index file_job_object on evidence.file_job (bucket, storage_key, object_version)
  where bucket is not null;
create index file_job_listed on evidence.file_job (org_id, id);
create index file_job_unread on evidence.file_job (created_at)
  where status in ('RECEIVED', 'PROCESSING') and total_rows is null;

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
  primary key (file_outbox_row_id, position),
  check ((attachment_status = 'ATTACHED') = (document_mgmt_id is not null))
);

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

-- Whoever moves a row, these hold: the publisher, the worker, an operator's replay.
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

create function evidence.rows_moved() returns trigger language plpgsql as $$
begin
  insert into evidence.file_job_delta
         (file_job_id, pending, published, failed, success, error,
          first_success, first_failed, first_error, attempts)
  select n.file_job_id,
         sum((n.status = 'PENDING')::int - (o.status = 'PENDING')::int),
         sum((n.status = 'PUBLISHED')::int - (o.status = 'PUBLISHED')::int),
         sum((n.status = 'FAILED')::int - (o.status = 'FAILED')::int),
         sum((n.status = 'SUCCESS')::int - (o.status = 'SUCCESS')::int),
         sum((n.status = 'ERROR')::int - (o.status = 'ERROR')::int),
         count(*) filter (where o.first_outcome is null and n.first_outcome = 'SUCCESS'),
         count(*) filter (where o.first_outcome is null and n.first_outcome = 'FAILED'),
         count(*) filter (where o.first_outcome is null and n.first_outcome = 'ERROR'),
         count(*) filter (where n.status in ('SUCCESS', 'FAILED', 'ERROR'))
    from new_rows as n
    join old_rows as o on o.id = n.id
   where n.status <> o.status
   group by n.file_job_id;
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

create table evidence.consumer_inbox (
  consumer text not null,
  event_id uuid not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
);
-- The ids of attempts carry no time: this is what forgets them.
create index consumer_inbox_others on evidence.consumer_inbox (received_at)
  where not (get_byte(uuid_send(event_id), 6) >> 4 = 7 and get_byte(uuid_send(event_id), 8) >> 6 = 2);
