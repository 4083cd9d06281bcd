-- Who did what is only added to, and sealed; persons in it can be erased.
create unique index audit_event_in_order on messages.audit_event (seq);
create index audit_event_of_org on messages.audit_event (org_id, seq);
select posthorn.register_audit('messages.audit_event', 'seq',
  array['id', 'org_id', 'action', 'entity_type', 'entity_id', 'created_at'],
  array['actor', 'details']);
