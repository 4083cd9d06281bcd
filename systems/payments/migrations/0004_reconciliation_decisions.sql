-- Reconciling: what was decided about a record, by a run or by a person, and what was before.

-- Checked row by row they cost more than the rows: for a million details the key to records alone took
-- 7 s beside 2.5 s for writing them. They guard against nothing that happens: details are written from
-- records, in their transaction, records and payments are never deleted, and a matched payment is held
-- by the record's own key.
alter table payments.reconciliation_details
  drop constraint reconciliation_details_payment_id_fkey,
  drop constraint reconciliation_details_run_id_line_number_fkey;

alter table payments.reconciliation_details
  -- Who decided it; null where it was a run.
  add column actor text,
  add constraint reconciliation_details_reason check (reason in (
    'exact_match', 'no_match', 'duplicate', 'amount_mismatch', 'currency_mismatch',
    'manual_match', 'manual_unmatch', 'ignored', 'reopened'));

-- What a match leaves over, so that payments and adjustments add up to the record: a fee is negative.
alter table payments.reconciliation_records
  add column adjustment bigint check (adjustment <> 0),
  add column adjustment_kind text check (adjustment_kind in ('fee', 'rounding', 'other')),
  add constraint reconciliation_records_adjusted
    check ((adjustment is null) = (adjustment_kind is null)
           and (adjustment is null or status = 'matched'));

-- What is still open in a file, however few of its million lines.
create index reconciliation_records_open on payments.reconciliation_records (run_id, line_number)
  where status = 'unmatched';

-- What a detail was before it changed. Between two runs of a file it changed if its state after the
-- one, run_no <= n < until_no, differs from that after the other. A decision belongs to the run that
-- follows it.
create table payments.reconciliation_history (
  seq bigint generated always as identity primary key,
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  line_number integer not null,
  run_no integer not null,
  until_no integer not null check (until_no >= run_no),
  reason text not null,
  payment_id uuid,
  note text,
  actor text,
  created_at timestamptz not null
);
create index reconciliation_history_of_record on payments.reconciliation_history
  (run_id, line_number, seq);

create function payments.reconciliation_detail_replaced() returns trigger language plpgsql as $$
begin
  insert into payments.reconciliation_history
         (run_id, line_number, run_no, until_no, reason, payment_id, note, actor, created_at)
  select o.run_id, o.line_number, o.run_no, n.run_no, o.reason, o.payment_id, o.note, o.actor,
         o.created_at
    from replaced as o
    join present as n on n.run_id = o.run_id and n.line_number = o.line_number;
  return null;
end $$;
create trigger reconciliation_details_replaced after update on payments.reconciliation_details
  referencing old table as replaced new table as present
  for each statement execute function payments.reconciliation_detail_replaced();

-- The further payments of a record that settles several; its first is in matched_payment_id.
create table payments.reconciliation_links (
  payment_id uuid primary key references payments.payments (id),
  run_id uuid not null,
  line_number integer not null,
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade
);
create index reconciliation_links_of_record on payments.reconciliation_links (run_id, line_number);

-- A payment is used once, as a record's first or as a further one: no key spans two tables, so the
-- payment's row is the lock between them. Whoever matches it takes its key share by the foreign key
-- and looks here afterwards; whoever links it takes the row and looks there.
create function payments.reconciliation_link_guarded() returns trigger language plpgsql as $$
begin
  perform from payments.payments where id = new.payment_id for update;
  if exists (select from payments.reconciliation_records where matched_payment_id = new.payment_id)
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
create trigger reconciliation_links_guarded before insert or update on payments.reconciliation_links
  for each row execute function payments.reconciliation_link_guarded();

-- Once for a statement, not for each of a million rows.
create function payments.reconciliation_records_guarded() returns trigger language plpgsql as $$
begin
  if exists (select from payments.reconciliation_links) then
    if exists (select
                 from changed as c
                 join payments.reconciliation_links as l on l.payment_id = c.matched_payment_id) then
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
  return null;
end $$;
create trigger reconciliation_records_guarded after update on payments.reconciliation_records
  referencing new table as changed
  for each statement execute function payments.reconciliation_records_guarded();

-- What a run of a file came to, by currency and reason; decisions after it move its last ones.
create table payments.reconciliation_tallies (
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  run_no integer not null check (run_no > 0),
  currency text not null,
  reason text not null,
  records integer not null check (records >= 0),
  amount bigint not null,
  primary key (run_id, run_no, currency, reason)
) with (fillfactor = 70);

-- What might belong together: never a match until somebody accepts it.
create table payments.reconciliation_suggestions (
  id uuid primary key,
  run_id uuid not null,
  line_number integer not null,
  kind text not null check (kind in ('amount_tolerance', 'date_window', 'many_to_one')),
  -- In their order; several only where one line settles them all.
  payment_ids uuid[] not null check (cardinality(payment_ids) between 1 and 1000),
  -- What they leave over: the record's amount less theirs.
  difference bigint not null,
  -- The record or a payment of it is in another suggestion too.
  ambiguous boolean not null,
  status text not null default 'open' check (status in ('open', 'accepted', 'dismissed')),
  created_at timestamptz not null default posthorn.now(),
  foreign key (run_id, line_number)
    references payments.reconciliation_records (run_id, line_number) on delete cascade
) with (fillfactor = 80);
create index reconciliation_suggestions_listed on payments.reconciliation_suggestions
  (run_id, line_number, id);
