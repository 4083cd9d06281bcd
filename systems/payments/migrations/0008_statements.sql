-- Statements of banks: runs of the whole organisation, further formats with their balances, runs that
-- are discarded, and matches with refunds and with parts of a payment.

-- Runs are the organisation's; user_id says who uploaded.
alter table payments.reconciliation_runs
  add column format text not null default 'csv',
  -- Whether opening balance and entries give the closing one: {"tied": 3, "differing": 0,
  -- "unknown": 0}, by statement and currency. Null where the format has none.
  add column balances jsonb,
  -- Entries that the bank has not booked: they are no records.
  add column pending integer not null default 0,
  add column discarded_at timestamptz,
  add column discarded_by text,
  add column discard_reason text,
  -- Of files that several members uploaded while runs were each user's own: the first run.
  add column copy_of uuid,
  add constraint reconciliation_runs_format
    check (format in ('csv', 'camt.053', 'mt940')) not valid,
  add constraint reconciliation_runs_pending check (pending >= 0) not valid,
  add constraint reconciliation_runs_discard_reason
    check (length(discard_reason) between 1 and 2000) not valid,
  drop constraint reconciliation_runs_status_check,
  add constraint reconciliation_runs_status
    check (status in ('loaded', 'running', 'completed', 'discarded')) not valid,
  add constraint reconciliation_runs_discarded
    check ((status = 'discarded') = (discarded_at is not null)
           and (discarded_at is null) = (discarded_by is null)
           and (discarded_at is null) = (discard_reason is null)
           and (discarded_at is null or matched = 0)) not valid;

-- It said that a user uploads a file once. No version can upload until 0016 says it of organisations, so
-- that 0012 finds every copy.
drop index payments.reconciliation_runs_file;

-- What a file says about its accounts. A statement has a row for each currency.
create table payments.reconciliation_statements (
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  number integer not null check (number > 0),
  currency text not null,
  -- As the bank calls it.
  statement_id text not null,
  account text,
  -- Of its records; null where it has none.
  first_line integer,
  last_line integer,
  entries integer not null check (entries >= 0),
  -- What the entries add up to, in minor units.
  booked bigint not null,
  -- Null where the file does not say.
  opening bigint,
  closing bigint,
  -- By how much the closing balance is more than opening balance and entries.
  difference bigint generated always as (closing - opening - booked) stored,
  primary key (run_id, number, currency)
);

alter table payments.reconciliation_records
  -- What the bank took off before it booked the amount, where the file says so.
  add column fee bigint,
  add constraint reconciliation_records_fee check (fee <> 0) not valid;

-- Why a record has no payment any more: its file was discarded.
alter table payments.reconciliation_details
  drop constraint reconciliation_details_reason,
  add constraint reconciliation_details_reason check (reason in (
    'exact_match', 'no_match', 'duplicate', 'amount_mismatch', 'currency_mismatch',
    'manual_match', 'manual_unmatch', 'ignored', 'reopened', 'discarded')) not valid;

-- A record stands for a whole payment, for a part of one, or for a refund: null, 'part', 'refund'. Its
-- matched_payment_id is that payment, or the one that was refunded.
alter table payments.reconciliation_records
  add column matched_as text,
  add constraint reconciliation_records_matched_as
    check (matched_as is null or (matched_as in ('part', 'refund') and status = 'matched')) not valid;

-- The refunds of a record: of one that stands for them, or of a payout that they were taken from.
create table payments.reconciliation_refunds (
  refund_id uuid primary key references payments.transactions (id),
  run_id uuid not null,
  line_number integer not null,
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade
);
create index reconciliation_refunds_of_record on payments.reconciliation_refunds
  (run_id, line_number);

create function payments.reconciliation_refund_guarded() returns trigger language plpgsql as $$
begin
  if not exists (select from payments.transactions where id = new.refund_id and type = 'refund') then
    raise exception 'transaction % is no refund', new.refund_id
      using errcode = 'check_violation', constraint = 'reconciliation_refunds_are_refunds';
  end if;
  if not exists (select from payments.reconciliation_records
                  where run_id = new.run_id and line_number = new.line_number
                    and status = 'matched') then
    raise exception 'record % of % is not matched', new.line_number, new.run_id
      using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
  end if;
  return new;
end $$;
create trigger reconciliation_refunds_guarded before insert or update
  on payments.reconciliation_refunds
  for each row execute function payments.reconciliation_refund_guarded();

-- Parts of a payment never add up to more than it, and a payment in parts is matched by nothing else.
-- The payment's row is the lock, as it is between records and links.
create function payments.reconciliation_part_guarded() returns trigger language plpgsql as $$
declare
  paid payments.payments;
  taken bigint;
  part bigint := new.amount - coalesce(new.adjustment, 0);
  others bigint;
begin
  select * into paid from payments.payments where id = new.matched_payment_id for update;
  taken := coalesce(paid.captured_amount, paid.amount);
  if exists (select from payments.reconciliation_records
              where matched_payment_id = new.matched_payment_id and matched_as is null
                and (run_id, line_number) <> (new.run_id, new.line_number))
     or exists (select from payments.reconciliation_links where payment_id = new.matched_payment_id)
  then
    raise exception 'payment % is matched as a whole', paid.id
      using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
  end if;
  select coalesce(sum(amount - coalesce(adjustment, 0)), 0) into others
    from payments.reconciliation_records
   where matched_payment_id = new.matched_payment_id and matched_as = 'part'
     and (run_id, line_number) <> (new.run_id, new.line_number);
  if part <= 0 or others + part > taken or new.currency <> paid.currency then
    raise exception 'payment %: % beside % is no part of %', paid.id, part, others, taken
      using errcode = 'check_violation', constraint = 'reconciliation_parts_within_payment';
  end if;
  return new;
end $$;
create trigger reconciliation_records_parts_guarded
  before insert or update on payments.reconciliation_records
  for each row when (new.matched_as = 'part')
  execute function payments.reconciliation_part_guarded();

create or replace function payments.reconciliation_link_guarded() returns trigger
language plpgsql as $$
begin
  perform from payments.payments where id = new.payment_id for update;
  if exists (select from payments.reconciliation_records
              where matched_payment_id = new.payment_id and matched_as is distinct from 'refund')
  then
    raise exception 'payment % is matched by a record', new.payment_id
      using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
  end if;
  if not exists (select from payments.reconciliation_records
                  where run_id = new.run_id and line_number = new.line_number
                    and status = 'matched') then
    raise exception 'record % of % is not matched', new.line_number, new.run_id
      using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
  end if;
  return new;
end $$;

-- Once for a statement, not for each of a million rows.
create or replace function payments.reconciliation_records_guarded() returns trigger
language plpgsql as $$
begin
  if exists (select from payments.reconciliation_links) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l on l.payment_id = c.matched_payment_id
                where c.matched_as is distinct from 'refund') then
      raise exception 'a payment is linked to another record'
        using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
    end if;
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l
                   on l.run_id = c.run_id and l.line_number = c.line_number
                where c.status = 'unmatched') then
      raise exception 'a record that is not matched has no payments'
        using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
    end if;
  end if;
  if exists (select from payments.reconciliation_records where matched_as is not null) then
    if exists (select
                 from changed as c
                 join (select matched_payment_id from payments.reconciliation_records
                        where matched_as = 'part') as p
                   on p.matched_payment_id = c.matched_payment_id
                where c.matched_as is null) then
      raise exception 'a payment is matched in parts'
        using errcode = 'unique_violation', constraint = 'reconciliation_payment_once';
    end if;
  end if;
  if exists (select from payments.reconciliation_refunds) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_refunds as f
                   on f.run_id = c.run_id and f.line_number = c.line_number
                where c.status = 'unmatched') then
      raise exception 'a record that is not matched has no refunds'
        using errcode = 'check_violation', constraint = 'reconciliation_links_matched';
    end if;
  end if;
  return null;
end $$;

-- What may be suggested: also refunds, and the lines that one payment was paid in.
alter table payments.reconciliation_suggestions
  add column refund_ids uuid[] not null default '{}',
  -- Of a payment in parts: all its lines, of which line_number is the first.
  add column line_numbers integer[],
  drop constraint reconciliation_suggestions_kind_check,
  add constraint reconciliation_suggestions_kind
    check (kind in ('amount_tolerance', 'date_window', 'many_to_one', 'one_to_many')) not valid,
  drop constraint reconciliation_suggestions_payment_ids_check,
  add constraint reconciliation_suggestions_of_something
    check (cardinality(payment_ids) + cardinality(refund_ids) between 1 and 1000) not valid,
  add constraint reconciliation_suggestions_parts
    check ((kind = 'one_to_many') = (line_numbers is not null)) not valid;
