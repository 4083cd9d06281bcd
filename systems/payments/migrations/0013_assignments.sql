-- Who looks after an exception, until when, and what they found so far.
create table payments.reconciliation_assignments (
  run_id uuid not null references payments.reconciliation_runs (id) on delete cascade,
  line_number integer not null,
  owner text,
  note text,
  due_on date,
  set_by text not null,
  set_at timestamptz not null default posthorn.now(),
  primary key (run_id, line_number)
);
create index reconciliation_assignments_of_owner on payments.reconciliation_assignments (owner, run_id)
  where owner is not null;
create index reconciliation_assignments_due on payments.reconciliation_assignments (due_on)
  where due_on is not null;
