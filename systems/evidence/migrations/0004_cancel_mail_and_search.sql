-- A job that is cancelled: its state stays one of the four; what was not published ends as an error.
alter table evidence.file_job
  add column cancelled_at timestamptz,
  add column cancelled_by text,
  add column cancel_reason text,
  -- What was noticed at its arrival; the check of the file adds to them.
  add column arrival_warnings jsonb not null default '[]',
  -- Of an upload: the same bytes again are worth a warning.
  add column content_sha256 text,
  -- Why it is not read yet although it could be; until not_before.
  add column waits_for text,
  add constraint file_job_waits_for_check check (waits_for in ('DAILY_LIMIT', 'SCANNER')) not valid,
  add constraint file_job_cancelled_with_reason
    check ((cancelled_at is null) = (cancel_reason is null)) not valid;

-- What an organisation has chosen.
create table evidence.org_settings (
  org_id text primary key,
  -- Who is written to about results, beside the webhooks; null for no mail.
  notification_email text check (length(notification_email) between 3 and 254),
  updated_by text not null,
  updated_at timestamptz not null default now()
);

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
