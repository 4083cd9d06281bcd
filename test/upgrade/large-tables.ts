/** A table that grows, as the version before has it. */
export interface LargeTable {
  readonly name: string
  /** Tens of millions in a large installation; the others have a tenth of that. */
  readonly isLargest?: true
  /** Inserts rows with the numbers from $1 to $2: what is over long since, and one in a thousand that is not. */
  readonly insert: string
}

const id = (kind: number) => `('00000000-0000-7000-800${kind}-' || lpad(to_hex(n), 12, '0'))::uuid`
const numbers = 'from generate_series($1::bigint, $2::bigint) as n'

/** The indexes of table $1 that are no constraints. */
export const indexesOf = `
  select 'drop index ' || i.indexrelid::regclass as drop, pg_get_indexdef(i.indexrelid) as create
    from pg_index as i
   where i.indrelid = $1::regclass
     and not exists (select from pg_constraint as c where c.conindid = i.indexrelid)`

/** Those of the systems' tables that migrations since the version before change or index. */
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
    insert: `
      insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor)
      select ${id(3)}, 'org-' || n % 50, 'OUTBOUND_MESSAGE', n, 'SENT', '', 'worker' ${numbers}`,
  },
  {
    name: 'payments.payments',
    insert: `
      insert into payments.payments
             (id, org_id, user_id, amount, currency, external_payment_id, status, gateway_ref, settled_at)
      select ${id(4)}, 'org-' || n % 50, 'ada', 100 + n % 1000, 'EUR', 'order-' || n, 'succeeded',
             'gw_' || n, now() ${numbers}`,
  },
  {
    name: 'payments.transactions',
    insert: `
      insert into payments.transactions
             (id, payment_id, type, status, amount, currency, gateway_key, gateway_ref)
      select ${id(5)}, ${id(4)}, 'charge', 'succeeded', 100, 'EUR', 'key_' || n, 'gw_' || n ${numbers}`,
  },
  {
    name: 'payments.webhook_events',
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
    insert: `
      insert into evidence.file_outbox_row
             (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, status)
      select ${id(6)}, '00000000-0000-7000-8000-000000000003', 'org-1', n, n, 'case-' || n, 'a.pdf',
             'SUCCESS' ${numbers}`,
  },
  {
    name: 'evidence.file_outbox_row_audit',
    insert: `
      insert into evidence.file_outbox_row_audit
             (file_outbox_row_id, new_status, retry_count, transitioned_by)
      select ${id(6)}, 'SUCCESS', 0, 'EVIDENCE_WORKER' ${numbers}`,
  },
  {
    name: 'sagas.saga',
    insert: `
      insert into sagas.saga (id, name, version, step_names, tenant, status, input, finished_at)
      select ${id(7)}, 'order', 1, '{a}', 'org-1', 'COMPLETED', '{}', now() ${numbers}`,
  },
  {
    name: 'sagas.saga_step',
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
]
