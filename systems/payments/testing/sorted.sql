-- Seven of each; amounts come twice, so that the id decides too.
insert into payments.payments (id, org_id, user_id, amount, currency, created_at)
select id, org, 'ada', 100 * (3 - n / 2 % 3), 'EUR', now() + n * interval '1 s' from n;
insert into payments.webhook_endpoints (id, org_id, url, event_types)
select id, org, 'https://example.com', '{*}' from n;
insert into payments.webhook_deliveries
       (id, org_id, endpoint_id, event_id, event_type, payload, created_at)
select id, org, id, 'e' || n, 'payment.succeeded', '{}', now() + n * interval '1 s' from n;
insert into payments.webhook_events (event_id, type, payload, outcome, payment_id, org_id, received_at)
select 'e' || n || org, 'charge.succeeded', '{}', 'applied', id, org, now() + n * interval '1 s' from n;
insert into payments.proposals
       (id, org_id, kind, subject, request, proposed_by, expires_at, proposed_at)
select id, org, 'refund', id, '{}', 'ada', now() + interval '1 day', now() + n * interval '1 s' from n;
insert into payments.reconciliation_runs
       (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums, created_at)
select id, org, 'ada', 'a.csv', sha256(convert_to(id::text, 'UTF8')), 1, 1, 1, '{}',
       now() + n * interval '1 s'
  from n;
insert into payments.transactions
       (id, payment_id, org_id, type, status, amount, currency, gateway_key, gateway_ref, created_at)
select overlay(gen_random_uuid()::text placing substr(id::text, 1, 15) from 1 for 15)::uuid,
       id, org, 'refund', 'succeeded', 1, 'EUR', id, id, now() + n * interval '1 s'
  from n;
insert into payments.disputes
       (id, payment_id, org_id, gateway_ref, status, amount, currency, opened_at, evidence_due_at)
select id, id, org, 'dp', 'opened', 1, 'EUR', now() + n * interval '1 s',
       case when n < 6 then now() + (5 - n / 2 % 3) * interval '1 day' end
  from n;
