-- Who did what is only added to, and sealed; persons in it can be erased.
select posthorn.register_audit('messages.audit_event', 'seq',
  array['id', 'org_id', 'action', 'entity_type', 'entity_id', 'created_at'],
  array['actor', 'details']);
