/** A table that grows, as the version before has it. */
export interface LargeTable {
  readonly name: string
  /** It grows with every message, payment or row of a file; the others have a tenth of that. */
  readonly isLargest?: true
  /** Inserts rows with the numbers from $1 to $2: what is over long since, and one in a thousand that is not. */
  readonly insert: string
}

const id = (kind: number) =>
  `('00000000-0000-7000-800${kind.toString(16)}-' || lpad(to_hex(n), 12, '0'))::uuid`
const numbers = 'from generate_series($1::bigint, $2::bigint) as n'

/** The indexes of table $1 that are no constraints; of one in partitions they stay. */
export const indexesOf = `
  select 'drop index ' || i.indexrelid::regclass as drop, pg_get_indexdef(i.indexrelid) as create
    from pg_index as i
    join pg_class as t on t.oid = i.indrelid and t.relkind = 'r'
   where i.indrelid = $1::regclass
     and not exists (select from pg_constraint as c where c.conindid = i.indexrelid)`

export const megabytesOfDatabase = `
  select (pg_database_size(current_database()) / 1048576)::int as megabytes`

/** Those of the version before that later migrations name, and that grow. */
export const largeTables: readonly LargeTable[] = [
  {
    name: 'messages.outbound_message',
    isLargest: true,
    insert: `
      insert into messages.outbound_message
             (id, org_id, channel, to_recipient, template_code, payload_json, status,
              provider_message_id, idempotency_key, request_fingerprint)
      select ${id(1)}, 'org-' || n % 50, 'whatsapp', '+49' || n % 1000000, 'reminder', '{}',
             case when n % 1000 = 0 then 'QUEUED' else 'DELIVERED' end,
             case when n % 1000 <> 0 then 'wamid.' || n end, 'key-' || n, 'f' ${numbers}`,
  },
  {
    name: 'payments.webhook_deliveries',
    isLargest: true,
    insert: `
      insert into payments.webhook_deliveries
             (id, org_id, endpoint_id, event_id, event_type, payload, status, delivered_at)
      select ${id(2)}, 'org-' || n % 50, '00000000-0000-7000-8000-000000000001', 'evt_' || n,
             'payment.succeeded', '{}', case when n % 1000 = 0 then 'pending' else 'delivered' end,
             case when n % 1000 <> 0 then now() end ${numbers}`,
  },
  {
    name: 'messages.audit_event',
    isLargest: true,
    insert: `
      insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor)
      select ${id(3)}, 'org-' || n % 50, 'OUTBOUND_MESSAGE', n, 'SENT', '', 'worker' ${numbers}`,
  },
  {
    name: 'payments.payments',
    isLargest: true,
    insert: `
      insert into payments.payments
             (id, org_id, user_id, amount, currency, external_payment_id, status, gateway_ref, settled_at)
      select ${id(4)}, 'org-' || n % 50, 'ada', 100 + n % 1000, 'EUR', 'order-' || n, 'succeeded',
             'gw_' || n, now() ${numbers}`,
  },
  {
    name: 'payments.transactions',
    isLargest: true,
    insert: `
      insert into payments.transactions
             (id, payment_id, type, status, amount, currency, gateway_key, gateway_ref)
      select ${id(5)}, ${id(4)}, 'charge', 'succeeded', 100, 'EUR', 'key_' || n, 'gw_' || n ${numbers}`,
  },
  {
    name: 'payments.webhook_events',
    isLargest: true,
    insert: `
      insert into payments.webhook_events (event_id, type, payment_id, org_id, payload, outcome)
      select 'evt_' || n, 'payment.succeeded', case when n % 1000 <> 0 then ${id(4)} end,
             case when n % 1000 <> 0 then 'org-' || n % 50 end, '{"data": {"gatewayRef": "gw"}}',
             case when n % 1000 = 0 then 'unknown_payment' else 'applied' end ${numbers}`,
  },
  {
    name: 'payments.reconciliation_records',
    insert: `
      insert into payments.reconciliation_records
             (run_id, line_number, amount, booked_on, currency, external_transaction_id, status,
              matched_payment_id, decided_by)
      select '00000000-0000-7000-8000-000000000002', n, 100, '2026-01-01', 'EUR', 'order-' || n,
             'matched', ${id(4)}, 'auto' ${numbers}`,
  },
  {
    name: 'evidence.file_outbox_row',
    isLargest: true,
    insert: `
      insert into evidence.file_outbox_row
             (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, status)
      select ${id(6)}, '00000000-0000-7000-8000-000000000003', 'org-1', n, n, 'case-' || n, 'a.pdf',
             'SUCCESS' ${numbers}`,
  },
  {
    name: 'evidence.file_outbox_row_audit',
    isLargest: true,
    insert: `
      insert into evidence.file_outbox_row_audit
             (file_outbox_row_id, new_status, retry_count, transitioned_by)
      select ${id(6)}, 'SUCCESS', 0, 'EVIDENCE_WORKER' ${numbers}`,
  },
  {
    name: 'sagas.saga',
    isLargest: true,
    insert: `
      insert into sagas.saga (id, name, version, step_names, tenant, status, input, finished_at)
      select ${id(7)}, 'order', 1, '{a}', 'org-1', 'COMPLETED', '{}', now() ${numbers}`,
  },
  {
    name: 'sagas.saga_step',
    isLargest: true,
    insert: `
      insert into sagas.saga_step (saga_id, position, name, status)
      select ${id(7)}, 0, 'a', 'COMPLETED' ${numbers}`,
  },
  {
    name: 'families.family_member_invitations',
    insert: `
      insert into families.family_member_invitations
             (id, family_id, email, role, token_hash, status, expires_at, invited_by, version)
      select ${id(8)}, '00000000-0000-7000-8000-000000000004', n || '@example.com', 'MEMBER',
             sha256(n::text::bytea), 'REVOKED', now(), 'ada', 1 ${numbers}`,
  },
  {
    name: 'payments.audit_log',
    isLargest: true,
    insert: `
      insert into payments.audit_log (org_id, actor, action, entity_type, entity_id, details)
      select 'org-' || n % 50, 'ada', 'payment.created', 'payment', ${id(4)}::text, '{}' ${numbers}`,
  },
  {
    name: 'payments.reconciliation_runs',
    insert: `
      insert into payments.reconciliation_runs
             (id, org_id, user_id, filename, file_hash, file_bytes, status, total, matched, unmatched,
              sums, run_no, ran_at)
      select ${id(2)}, 'org-' || n % 50, 'ada', 'statement.csv', sha256(n::text::bytea), 1000,
             'completed', 1, 1, 0, '{}', 1, now() ${numbers}`,
  },
  {
    name: 'payments.reconciliation_details',
    insert: `
      insert into payments.reconciliation_details (run_id, line_number, run_no, reason, payment_id)
      select '00000000-0000-7000-8000-000000000002', n, 1, 'exact_match', ${id(4)} ${numbers}`,
  },
  {
    name: 'payments.reconciliation_history',
    insert: `
      insert into payments.reconciliation_history
             (run_id, line_number, run_no, until_no, reason, created_at)
      select '00000000-0000-7000-8000-000000000002', n, 1, 2, 'no_match', now() ${numbers}`,
  },
  {
    name: 'payments.reconciliation_links',
    insert: `
      insert into payments.reconciliation_links (payment_id, run_id, line_number)
      select ${id(4)}, '00000000-0000-7000-8000-000000000002', n ${numbers}`,
  },
  {
    name: 'payments.reconciliation_suggestions',
    insert: `
      insert into payments.reconciliation_suggestions
             (id, run_id, line_number, kind, payment_ids, difference, ambiguous)
      select ${id(14)}, '00000000-0000-7000-8000-000000000002', n, 'date_window', array[${id(4)}], 0,
             false ${numbers}`,
  },
  {
    name: 'messages.dossier',
    insert: `
      insert into messages.dossier (id, org_id) select 'dossier-' || n, 'org-' || n % 50 ${numbers}`,
  },
  {
    name: 'messages.consent',
    // Of dossiers that are there: their writer may be behind this one.
    insert: `
      insert into messages.consent (dossier_id, channel, granted)
      select 'dossier-' || (n + 1) / 2, case when n % 2 = 0 then 'whatsapp' else 'mail' end, n % 10 <> 0
             ${numbers}`,
  },
  {
    name: 'messages.activity',
    isLargest: true,
    insert: `
      insert into messages.activity (id, org_id, dossier_id, type, metadata)
      select ${id(9)}, 'org-' || (1 + n % 1000) % 50, 'dossier-' || 1 + n % 1000, 'MESSAGE_SENT', '{}'
             ${numbers}`,
  },
  {
    name: 'messages.outbound_attempt',
    insert: `
      insert into messages.outbound_attempt
             (id, outbound_message_id, attempt_no, status, provider_message_id)
      select ${id(10)}, ${id(1)}, 1, 'SUCCESS', 'wamid.' || n ${numbers}`,
  },
  {
    name: 'evidence.file_job',
    insert: `
      insert into evidence.file_job
             (id, org_id, filename, status, storage_key, storage_etag, size_bytes, staged_at, rows_read,
              total_rows, success_count, completed_at)
      select ${id(11)}, 'org-' || n % 50, 'cases.zip',
             case when n % 1000 = 0 then 'RECEIVED' else 'COMPLETED' end, 'key-' || n, 'etag', 1000, now(),
             1, 1, 1, case when n % 1000 <> 0 then now() end ${numbers}`,
  },
  {
    name: 'evidence.file_job_artifact',
    insert: `
      insert into evidence.file_job_artifact
             (file_job_id, file_outbox_row_id, position, filename, storage_key, size_bytes, content_type,
              attachment_status, document_mgmt_id)
      select '00000000-0000-7000-8000-000000000003', ${id(6)}, 0, 'a.pdf', 'key-' || n, 1000,
             'application/pdf', 'ATTACHED', 'doc-' || n ${numbers}`,
  },
  {
    name: 'evidence.file_job_notification',
    insert: `
      insert into evidence.file_job_notification
             (id, file_job_id, kind, round, success, pending_retries, errors, message)
      select ${id(12)}, ${id(11)}, 'N1', 1, 1, 0, 0, 'done' ${numbers}`,
  },
  {
    name: 'posthorn.alert',
    insert: `
      insert into posthorn.alert
             (source, subject, tenant, code, detail, acknowledged_at, acknowledged_by)
      select 'payments.webhook-deliveries', ${id(2)}::text, 'org-' || n % 50, 'EXHAUSTED', 'gone',
             case when n % 1000 <> 0 then now() end, case when n % 1000 <> 0 then 'ada' end ${numbers}`,
  },
  {
    name: 'posthorn.operation',
    insert: `
      insert into posthorn.operation (operation, outbox, subject, tenant, actor)
      select 'replay', 'payments.webhook-deliveries', ${id(2)}::text, 'org-' || n % 50, 'ada' ${numbers}`,
  },
  {
    name: 'posthorn.archive',
    insert: `
      insert into posthorn.archive (outbox, message_id, row_data)
      select 'families.events', ${id(3)}::text, '{}' ${numbers}`,
  },
  {
    name: 'sagas.saga_reply',
    insert: `
      insert into sagas.saga_reply (saga_id, event_id, event_type, payload, headers, status)
      select ${id(7)}, ${id(7)}, 'Charged', '{}', '{}', 'USED' ${numbers}`,
  },
  {
    name: 'sagas.orders',
    insert: `
      insert into sagas.orders (id, org_id, saga_id, items, amount, currency)
      select ${id(13)}, 'org-1', ${id(7)}, '[{"sku": "lamp", "quantity": 1}]', 100, 'EUR' ${numbers}`,
  },
  {
    name: 'sagas.shipment',
    insert: `
      insert into sagas.shipment (order_id, org_id, status, tracking_code)
      select ${id(13)}, 'org-1', 'BOOKED', 'track-' || n ${numbers}`,
  },
  {
    name: 'sagas.stock_reservation',
    insert: `
      insert into sagas.stock_reservation (order_id, org_id, status, items)
      select ${id(13)}, 'org-1', 'RESERVED', '[{"sku": "lamp", "quantity": 1}]' ${numbers}`,
  },
  {
    name: 'families.families',
    insert: `
      insert into families.families (id, org_id, name, version)
      select ${id(15)}, 'org-' || n % 50, 'family ' || n, 1 ${numbers}`,
  },
  {
    name: 'families.family_members',
    insert: `
      insert into families.family_members (family_id, user_id, role, email)
      select ${id(15)}, 'user-' || n, 'OWNER', n || '@example.com' ${numbers}`,
  },
]

/** Tables of the version before that later migrations name, and why they do not grow large. */
export const smallTables: Readonly<Record<string, string>> = {
  'payments.webhook_endpoints': 'at most 200 of an organisation',
  'payments.webhook_secrets': 'a few of each endpoint',
  'posthorn.bucket': '64 of each outbox',
  'posthorn.held_key': 'keys that wait for a person',
  'posthorn.pulse': 'a few an hour of each relay, pruned',
  'posthorn.relay': 'one of each process',
  'posthorn.sample': 'a few an hour of each outbox, pruned',
  'sagas.stock': 'one of each article',
}
