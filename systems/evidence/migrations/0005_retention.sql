-- Files leave the storage after their job's time, or with the person whose evidence they are.

-- When the ZIP and the staged files, or the ZIP alone, were given up.
alter table evidence.file_job
  add column files_removed_at timestamptz,
  add column upload_removed_at timestamptz;
alter table evidence.file_job_artifact add column removed_at timestamptz;

-- Objects that are to leave the storage: a key, or with a slash at its end all that begins with it.
-- The row is written with the mark and goes once the object is gone, so that a crash forgets nothing.
create table evidence.object_removal (
  key text primary key,
  marked_at timestamptz not null default now()
);

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
