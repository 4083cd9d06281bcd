-- Reconciliation: what a bank's file says, beside the payments it should be about.

-- How the files of one bank are read. A change makes a new version; a run remembers the one it used.
create table payments.reconciliation_profiles (
  id uuid primary key,
  org_id text not null,
  name text not null check (length(name) between 1 and 100),
  version integer not null default 1 check (version > 0),
  created_at timestamptz not null default posthorn.now(),
  updated_at timestamptz not null default posthorn.now(),
  -- Its versions stay: runs were read by them.
  deleted_at timestamptz
);
create unique index reconciliation_profiles_name on payments.reconciliation_profiles (org_id, name)
  where deleted_at is null;
create index reconciliation_profiles_listed on payments.reconciliation_profiles (org_id, id)
  where deleted_at is null;

create table payments.reconciliation_profile_versions (
  profile_id uuid not null references payments.reconciliation_profiles (id),
  version integer not null check (version > 0),
  rules jsonb not null,
  created_by text not null,
  created_at timestamptz not null default posthorn.now(),
  primary key (profile_id, version)
);

-- A file and how far its reconciliation is. It is written last, in the transaction of its records:
-- there is no run without all of them.
create table payments.reconciliation_runs (
  id uuid primary key,
  org_id text not null,
  user_id text not null,
  filename text not null check (length(filename) between 1 and 255),
  -- SHA-256 of the bytes as they came.
  file_hash bytea not null check (octet_length(file_hash) = 32),
  file_bytes bigint not null,
  profile_id uuid,
  profile_version integer,
  status text not null default 'loaded' check (status in ('loaded', 'running', 'completed')),
  total integer not null check (total > 0),
  matched integer not null default 0 check (matched >= 0),
  unmatched integer not null check (unmatched >= 0),
  -- As text and back: the only immutable way to JSON.
  summary jsonb not null generated always as (
    ('{"matched": ' || matched::text || ', "unmatched": ' || unmatched::text
      || ', "total": ' || total::text || '}')::jsonb) stored,
  -- Records that say the same as an earlier one of the file.
  duplicates integer not null default 0,
  -- What the file adds up to, in minor units: {"EUR": {"records": 2, "amount": "1050"}}.
  sums jsonb not null,
  -- How often it was reconciled.
  run_no integer not null default 0,
  created_at timestamptz not null default posthorn.now(),
  -- Of the last reconciliation.
  ran_at timestamptz,
  foreign key (profile_id, profile_version)
    references payments.reconciliation_profile_versions (profile_id, version),
  constraint reconciliation_runs_adds_up check (matched + unmatched = total),
  constraint reconciliation_runs_ran check ((run_no = 0) = (ran_at is null)),
  constraint reconciliation_runs_completed check (status <> 'completed' or run_no > 0),
  check ((profile_id is null) = (profile_version is null))
) with (fillfactor = 80);
-- A user uploads a file once, also twice at the same time.
create unique index reconciliation_runs_file on payments.reconciliation_runs
  (org_id, user_id, file_hash);
create index reconciliation_runs_listed on payments.reconciliation_runs (org_id, user_id, id);

-- A record is its line of the file: no other id, and one index less for each of a million rows. And
-- no foreign key to its run: checked row by row it took as long as all the rest of a load (500,000
-- rows: 3 s of 6). Records are written by one statement only, in the transaction of their run.
create table payments.reconciliation_records (
  run_id uuid not null,
  line_number integer not null check (line_number > 0),
  -- Among the records of the file that say the same: the first, the second …
  occurrence_no integer not null default 1 check (occurrence_no > 0),
  -- The line of the first of them.
  duplicate_of integer,
  -- Minor units. Money that goes out is negative; zero may be. Neither ever equals a payment.
  amount bigint not null check (amount between -999999999999 and 999999999999),
  booked_on date not null,
  -- Of the last decision; whoever decides says which one they saw.
  version integer not null default 0,
  currency text not null check (octet_length(currency) = 3),
  external_transaction_id text not null
    check (octet_length(external_transaction_id) between 1 and 1020),
  status text not null default 'unmatched'
    constraint reconciliation_records_status check (status in ('unmatched', 'matched')),
  matched_payment_id uuid references payments.payments (id),
  -- Null: nobody yet. An unmatched record that a person decided on is never matched by itself.
  decided_by text
    constraint reconciliation_records_decided_by check (decided_by in ('auto', 'manual', 'ignored')),
  primary key (run_id, line_number),
  constraint reconciliation_records_matched_has_payment
    check ((status = 'matched') = (matched_payment_id is not null)),
  constraint reconciliation_records_matched_is_decided
    check (case when status = 'matched' then coalesce(decided_by in ('auto', 'manual'), false)
                else decided_by is distinct from 'auto' end),
  check ((occurrence_no > 1) = (duplicate_of is not null))
)
-- Room for the version of a row that its match writes, on the same page.
with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
-- A payment is matched once, by whatever record of whatever run.
create unique index reconciliation_records_payment on payments.reconciliation_records
  (matched_payment_id) where matched_payment_id is not null;

-- What the foreign key would have done.
create function payments.reconciliation_run_deleted() returns trigger language plpgsql as $$
begin
  delete from payments.reconciliation_records where run_id = old.id;
  return old;
end $$;
create trigger reconciliation_runs_deleted before delete on payments.reconciliation_runs
  for each row execute function payments.reconciliation_run_deleted();

-- Why a record is as it is: one for each record that was reconciled, its current one.
create table payments.reconciliation_details (
  run_id uuid not null,
  line_number integer not null,
  -- Of which reconciliation of the file.
  run_no integer not null check (run_no >= 0),
  reason text not null check (length(reason) between 1 and 64),
  -- Matched, or the one that nearly fits.
  payment_id uuid references payments.payments (id),
  note text check (length(note) <= 2000),
  created_at timestamptz not null default posthorn.now(),
  primary key (run_id, line_number),
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade
) with (fillfactor = 85);
