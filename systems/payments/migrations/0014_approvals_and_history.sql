-- Captures and voids above the limit take a second person too.
alter table payments.proposals drop constraint proposals_kind_check;
-- locks: one row for each decision of two persons
alter table payments.proposals add constraint proposals_kind_check
  check (kind in ('refund', 'capture', 'void', 'decision', 'discard', 'limits'));

-- What a line of a statement was before is only added to, and sealed; persons in it can be erased.
select posthorn.register_audit('payments.reconciliation_history', 'seq',
  array['run_id', 'line_number', 'run_no', 'until_no', 'reason', 'payment_id', 'created_at'],
  array['note', 'actor']);
