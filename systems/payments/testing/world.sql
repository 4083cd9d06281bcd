declare
  payment uuid := public.uuid_of(at);
  endpoint uuid := public.uuid_of(at);
  delivery uuid := public.uuid_of(at);
  run uuid := public.uuid_of(at);
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
  insert into payments.webhook_attempts (id, delivery_id, attempt_no, request_headers, response_body, started_at)
  values (public.uuid_of(at), delivery, 1, person, note, at);
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
  insert into payments.reconciliation_statements (run_id, org_id, number, currency, statement_id, account, entries, booked) values (run, org, 1, 'EUR', 's', note, 1, 1);
  insert into payments.alert_notices (id, alert_id, kind, source, subject, hour, payload, status, created_at)
  values (public.uuid_of(at), (select max(id) from posthorn.alert), 'raised', org, org, at, person, case when over then 'delivered' else 'pending' end, at);
  things := things || jsonb_build_object('payment', payment, 'reconciliation', run);
end;
