-- What became of each row is only added to, and sealed. No person is named in it.
select posthorn.register_audit('evidence.file_outbox_row_audit', 'id',
  array['file_outbox_row_id', 'old_status', 'new_status', 'retry_count', 'error_code',
        'transitioned_by', 'created_at'], '{}');
