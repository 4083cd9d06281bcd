-- Who did what is only added to, and sealed; persons in it can be erased.
select posthorn.register_audit('payments.audit_log', 'seq',
  array['org_id', 'action', 'entity_type', 'entity_id', 'created_at'], array['actor', 'details']);
