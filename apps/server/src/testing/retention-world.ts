import type { Pool } from 'pg'

export interface World {
  readonly org: string
  /** How long ago everything happened and ended. */
  readonly age: string
  /** False: nothing has ended. */
  readonly over: boolean
  /** Stands in every text that can name a person. */
  readonly email?: string
  readonly phone?: string
  /** The person's id with the merchant: of a payment, a bank's line, a case. */
  readonly externalId?: string
}

/** Ids of the things of a world on which a legal hold can be placed, by kind. */
export type Things = Readonly<Record<string, string>>

/**
 * Fills every table that retention or erasure knows with rows of one organisation. Triggers and
 * references do not look: the rows are as old as they say.
 */
export async function makeWorld(pool: Pool, world: World): Promise<Things> {
  const { org, age, over, email = 'x@y.test', phone = '+4400', externalId = 'none' } = world
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    const { rows } = await client.query<{ things: Things }>(
      'select public.make_world($1, posthorn.now() - $2::interval, $3, $4, $5, $6) as things',
      [org, age, over, email, phone, externalId],
    )
    await client.query('commit')
    return rows[0]?.things ?? {}
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** What `makeWorld` needs in the database. */
export const WORLD_SQL = `
create function public.uuid_of(at timestamptz) returns uuid language sql volatile as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
          || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid
$$;

create function public.make_world(org text, at timestamptz, over boolean, email text, phone text, external text)
  returns jsonb language plpgsql as $$
declare
  note text := 'Ada, ' || email || ' or ' || phone;
  person jsonb := jsonb_build_object('email', email, 'deep', jsonb_build_array(phone, replace(phone, '+', '')::bigint), 'name', 'Ada');
  payment uuid := public.uuid_of(at);
  endpoint uuid := public.uuid_of(at);
  delivery uuid := public.uuid_of(at);
  run uuid := public.uuid_of(at);
  message uuid := public.uuid_of(at);
  job uuid := public.uuid_of(at);
  file_row uuid := public.uuid_of(at);
  saga uuid := public.uuid_of(at);
  customer_order uuid := public.uuid_of(at);
  family uuid := public.uuid_of(at);
  dossier text := 'd-' || org;
  conversation uuid := public.uuid_of(at);
begin
  insert into payments.payments (id, org_id, user_id, amount, currency, external_payment_id, description, metadata, status, created_at, settled_at)
  values (payment, org, 'u', 1250, 'EUR', external, note, person, case when over then 'succeeded' else 'pending' end, at, case when over then at end);
  insert into payments.transactions (id, payment_id, type, status, amount, currency, gateway_key, gateway_ref, error_message, created_at)
  values (public.uuid_of(at), payment, 'charge', case when over then 'succeeded' else 'pending' end, 1250, 'EUR', payment::text, 'ref', note, at);
  insert into payments.disputes (id, payment_id, org_id, gateway_ref, status, amount, currency, reason, opened_at, closed_at)
  values (public.uuid_of(at), payment, org, 'dp', case when over then 'won' else 'opened' end, 5, 'EUR', note, at, case when over then at end);
  insert into payments.webhook_events (event_id, type, payment_id, org_id, payload, original, outcome, received_at)
  values ('evt-' || payment, 'payment.succeeded', payment, org, jsonb_build_object('data', person, 'externalPaymentId', external), convert_to(person::text, 'UTF8'), case when over then 'applied' else 'parked' end, at);
  insert into payments.webhook_endpoints (id, org_id, url, event_types, created_at, deleted_at)
  values (endpoint, org, 'https://example.test/' || org, '{*}', at, case when over then at end);
  insert into payments.webhook_deliveries (id, org_id, endpoint_id, event_id, event_type, payload, body, status, created_at, next_attempt_at, delivered_at, error)
  values (delivery, org, endpoint, 'evt-' || payment, 'payment.succeeded', jsonb_build_object('data', person || jsonb_build_object('paymentId', payment, 'externalPaymentId', external)),
          person::text, case when over then 'delivered' else 'pending' end, at, at, case when over then at end, note);
  insert into payments.webhook_attempts (id, delivery_id, attempt_no, state, open_until, request_headers, response_body, started_at)
  values (public.uuid_of(at), delivery, 1, case when over then 'settled' else 'open' end, case when over then null else at end, person, note, at);
  insert into payments.webhook_endpoint_hours (endpoint_id, hour, delivered, failed, abandoned, skipped, filtered, error) values (endpoint, case when over then at else now() end, 1, 1, 0, 0, 0, note);
  insert into payments.webhook_retry_runs (id, org_id, processed, success, failed, ran_at) values (public.uuid_of(at), org, 1, 1, 0, at);
  insert into payments.idempotency_keys (scope, key, fingerprint, lock_token, locked_until, response_status, response_headers, response_body, created_at, completed_at, expires_at)
  values (jsonb_build_array(org, 'u', 'POST', '/x')::text, payment || ':' || email, 'f', case when not over then payment end, case when not over then at end,
          case when over then 201 end, case when over then '{}'::json end,
          case when over then convert_to(jsonb_build_object('description', note, 'externalPaymentId', external)::text, 'UTF8') end,
          at, case when over then at end, now() + interval '1 day');
  insert into payments.reconciliation_runs (id, org_id, user_id, filename, file_hash, file_bytes, status, total, matched, unmatched, sums, run_no, created_at, ran_at)
  values (run, org, 'u', email || '.csv', sha256(run::text::bytea), 1, case when over then 'completed' else 'loaded' end, 2, 1, 1, '{}', case when over then 1 else 0 end, at, case when over then at end);
  insert into payments.reconciliation_records (run_id, line_number, amount, booked_on, currency, external_transaction_id, status, matched_payment_id, decided_by)
  values (run, 1, 1250, at::date, 'EUR', external, 'matched', payment, 'auto'), (run, 2, 7, at::date, 'EUR', 'other', 'unmatched', null, null);
  insert into payments.reconciliation_details (run_id, line_number, run_no, reason, payment_id, note, created_at) values (run, 1, 1, 'exact_match', payment, note, at);
  insert into payments.reconciliation_history (run_id, line_number, run_no, until_no, reason, payment_id, note, created_at) values (run, 1, 1, 1, 'no_match', payment, note, at);


  perform payments.create_audit_log(org, 'u', 'payment.created', 'payment', payment::text, person || jsonb_build_object('externalPaymentId', external));
  update payments.audit_log as a set created_at = case when over then at else now() end where a.entity_id = payment::text;
  insert into payments.proposals (id, org_id, kind, subject, request, reason, status, proposed_by, proposed_at, expires_at, decided_by, decided_at, result)
  values (public.uuid_of(at), org, 'refund', payment::text, person, note, case when over then 'approved' else 'pending' end, 'u', at, at, case when over then 'v' end, case when over then at end, case when over then person end);
  insert into payments.reconciliation_assignments (run_id, line_number, note, set_by) values (run, 2, note, 'u');
  insert into payments.reconciliation_statements (run_id, number, currency, statement_id, account, entries, booked) values (run, 1, 'EUR', 's', note, 1, 1);
  insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor, created_at)
  values (public.uuid_of(at), org, 'DOSSIER', dossier, 'BLOCKED_BY_POLICY', note, 'u', case when over then at else now() end);
  insert into posthorn.operation (operation, subject, tenant, actor, reason, at) values ('replay', org, org, 'u', note, case when over then at else now() end);
  insert into messages.dossier (id, org_id, created_at) values (dossier, org, at);
  insert into messages.outbound_message (id, org_id, dossier_id, channel, to_recipient, template_code, payload_json, status, idempotency_key, request_fingerprint, error_message, created_at, updated_at)
  values (message, org, dossier, 'whatsapp', phone, 'otp_code', jsonb_build_object('language', 'en_US', 'parameters', jsonb_build_array('PIN-4711')), case when over then 'SENT' else 'QUEUED' end, message::text, 'f', note, at, at),
         (public.uuid_of(at), org, dossier, 'email', email, 'mail', jsonb_build_object('subject', 'Hi Ada'), case when over then 'FAILED' else 'QUEUED' end, message || ':' || email, 'f', note, at, at);
  insert into messages.outbound_attempt (id, outbound_message_id, attempt_no, status, provider_response, error_message, created_at)
  values (public.uuid_of(at), message, 1, case when over then 'SUCCESS' else 'TRYING' end, jsonb_build_object('contacts', person), note, at);
  insert into messages.delivery_status (provider_message_id, status, message_id, org_id, report, received_at)
  values ('wamid-' || message, 'sent', case when over then message end, org, jsonb_build_object('recipient', replace(phone, '+', '')), case when over then at else now() end);
  insert into messages.conversation (id, org_id, channel, recipient, number_id, contact_name, dossier_id, last_inbound_at, session_until, active_at, created_at)
  values (conversation, org, 'whatsapp', phone, '1', note, dossier, at, at, case when over then at else now() end, at);
  insert into messages.inbound_message (id, provider_message_id, org_id, channel, conversation_id, number_id, from_number, kind, text, content, dossier_id, sent_at, at, received_at)
  values (public.uuid_of(at), 'wamid-in-' || conversation, org, 'whatsapp', conversation, '1', phone, 'text', note, person, dossier, at, at, case when over then at else now() end);
  insert into messages.outbound_message (id, org_id, dossier_id, channel, to_recipient, conversation_id, payload_json, status, idempotency_key, request_fingerprint, created_at, updated_at)
  values (public.uuid_of(at), org, dossier, 'whatsapp', phone, conversation, jsonb_build_object('text', note), case when over then 'SENT' else 'QUEUED' end, conversation::text, 'f', at, at);
  insert into messages.consent_event (id, org_id, channel, dossier_id, recipient, granted, source, proof, actor, said_at, created_at)
  values (public.uuid_of(at), org, 'whatsapp', dossier, phone, true, 'form', note, 'u', at, case when over then at else now() end);
  insert into messages.activity (id, org_id, dossier_id, type, metadata, created_at) values (public.uuid_of(at), org, dossier, 'MESSAGE_SENT', person, case when over then at else now() end);

  insert into evidence.file_job (id, org_id, filename, status, storage_key, storage_etag, size_bytes, created_at, completed_at, staged_at, rows_read, total_rows, success_count)
  values (job, org, note || '.zip', case when over then 'COMPLETED' else 'PROCESSING' end, 'uploads/' || job || '.zip', 'e', 1, at, case when over then at end, at, 1, 1, 1);
  insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details, created_at)
  values (org, 'u', 'file_job.received', 'file_job', job::text, jsonb_build_object('filename', note || '.zip'), case when over then at else now() end);
  insert into evidence.file_job_tally (file_job_id, success) values (job, 1);
  insert into evidence.file_job_file (file_job_id, name, storage_key, size_bytes, content_type) values (job, email || '.pdf', 'staging/' || job || '/000000', 1, 'application/pdf');
  insert into evidence.file_outbox_row (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, metadata, status, error_message, created_at, updated_at)
  values (file_row, job, org, 1, 1, external, email || '.pdf', person, case when over then 'SUCCESS' else 'PENDING' end, note, at, at);
  insert into evidence.file_job_artifact (file_job_id, file_outbox_row_id, position, filename, storage_key, size_bytes, content_type, attachment_status, document_mgmt_id, created_at)
  values (job, file_row, 0, email || '.pdf', 'staging/' || job || '/000000', 1, 'application/pdf', case when over then 'ATTACHED' else 'PENDING' end, case when over then 'doc' end, at);
  insert into evidence.file_outbox_row_audit (file_outbox_row_id, new_status, retry_count, transitioned_by, created_at) values (file_row, 'PUBLISHED', 0, 'PUBLISHER', at);

  insert into sagas.saga (id, name, version, step_names, tenant, status, input, created_at, finished_at)
  values (saga, 'order', 1, '{a}', org, case when over then 'COMPLETED' else 'RUNNING' end, person, at, case when over then at end);
  insert into sagas.saga_step (saga_id, position, name, status, output, created_at) values (saga, 0, 'a', case when over then 'COMPLETED' else 'WAITING' end, person, at);
  insert into sagas.saga_action (saga_id, action, was, actor, reason, at) values (saga, 'cancel', 'RUNNING', 'u', note, at);
  insert into sagas.saga_reply (saga_id, event_id, event_type, payload, headers, status, received_at) values (saga, public.uuid_of(at), 'x', person, '{}', 'USED', at);
  insert into sagas.saga_outbox (id, saga_id, step, topic, event_type, key, tenant, payload, status, sent_at, created_at)
  values (public.uuid_of(at), saga, 'a', 't', 'x', saga::text, org, person, case when over then 'SENT' else 'PENDING' end, case when over then at end, at);
  insert into posthorn.archive (outbox, message_id, row_data, archived_at)
  select 'sagas.events', public.uuid_of(at)::text, jsonb_build_object('saga_id', saga, 'tenant', org, 'payload', person, 'seq', 1, 'status', 'SENT'), at where over;
  insert into sagas.orders (id, org_id, saga_id, items, amount, currency, created_at) values (customer_order, org, saga, '[{"sku": "a"}]', 5, 'EUR', at);
  insert into sagas.stock_reservation (order_id, org_id, status, items, created_at) values (customer_order, org, 'RESERVED', '[]', at);
  insert into sagas.payment (order_id, org_id, status, amount, currency, gateway_key, gateway_ref, created_at) values (customer_order, org, 'CHARGED', 5, 'EUR', saga::text, saga::text, at);
  insert into sagas.shipment (order_id, org_id, status, tracking_code, created_at) values (customer_order, org, 'BOOKED', 't', at);

  insert into families.families (id, org_id, name, version, created_at) values (family, org, 'Family', 1, at);
  insert into families.family_members (family_id, user_id, role, email, joined_at) values (family, 'u', 'OWNER', email, at);
  insert into families.family_member_invitations (id, family_id, email, role, token_hash, status, expires_at, invited_by, version, created_at)
  values (public.uuid_of(at), family, email, 'MEMBER', sha256(family::text::bytea), case when over then 'REVOKED' else 'PENDING' end, case when over then at else now() + interval '1 day' end, 'u', 1, at);
  insert into families.outbox_events (event_id, event_type, aggregate_type, aggregate_id, payload, status, processed_at, finished_at, created_at, org_id)
  values (public.uuid_of(at), 'FamilyHub.Families.FamilyMemberInvitedEvent', 'Family', family, person, case when over then 1 else 0 end, case when over then at end, case when over then at end, at, org);

  insert into posthorn.alert (source, subject, tenant, code, detail, raised_at, recovered_at) values ('test', org, org, 'X', note, at, case when over then at end);
  insert into payments.alert_notices (id, alert_id, kind, source, subject, hour, payload, status, created_at)
  values (public.uuid_of(at), (select max(id) from posthorn.alert), 'raised', org, org, at, person, case when over then 'delivered' else 'pending' end, at);
  insert into incidents.incident (id, source, code, tenant, opened_at, closed_at, owner)
  values (public.uuid_of(at), 'test ' || org || random(), 'X', org, at, case when over then at end, email);
  insert into incidents.notice (id, channel_id, tenant, kind, payload, status, created_at)
  values (public.uuid_of(at), public.uuid_of(at), org, 'opened', person, case when over then 'delivered' else 'pending' end, at);
  insert into posthorn.consumer_message (topic, group_name, state, message_id, tenant, headers, payload, error, due_at, created_at, died_at)
  values ('t', org, case when over then 'dead' else 'retry' end, message::text, org, '{}', person, note, at, at, case when over then at end);
  insert into posthorn.transition (outbox, message_id, to_state, error, actor, at, tenant) values ('messages.outbound', message::text, 'SENT', note, 'RELAY', at, org);
  insert into posthorn.topic (name, partitions, created_at) values ('t-' || org, 1, at);
  insert into posthorn.topic_message (topic, partition, log_offset, id, type, version, tenant, occurred_at, headers, payload, appended_at)
  values ('t-' || org, 0, 0, message::text, 'x', 1, org, at, '{}', person, case when over then at else now() end);
  if not over then
    insert into posthorn.topic_group_partition (topic, group_name, partition, committed_offset) values ('t-' || org, 'g', 0, 0);
  end if;
  return jsonb_build_object('payment', payment, 'reconciliation', run, 'dossier', dossier, 'file-job', job, 'saga', saga, 'family', family);
end $$;`
