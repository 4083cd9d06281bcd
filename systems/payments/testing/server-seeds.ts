import { readFileSync } from 'node:fs'
import { uuid } from '@posthorn/engine'
import type { Pool } from 'pg'

/** Seven of each; amounts come twice, so that the id decides too. */
export const SORTED = readFileSync(new URL('sorted.sql', import.meta.url), 'utf8')

/** One row in each table of the payments, their webhooks and their statements. */
export const WORLD = readFileSync(new URL('world.sql', import.meta.url), 'utf8')

/**
 * A payment of a case with a webhook and a line of a statement; the statement has a second line, of
 * another payment.
 */
export async function writeJourney(
  pool: Pool,
  { org, case: external, reference }: { org: string; case: string; reference: string },
) {
  const [payment, endpoint, delivery, bank, other] = [uuid(), uuid(), uuid(), uuid(), uuid()]
  const run = (text: string, values: unknown[]) => pool.query(text, values)
  await run(
    `insert into payments.payments
       (id, org_id, user_id, amount, currency, external_payment_id, gateway_ref)
     values ($1::uuid, $2, 'ada', 1000, 'EUR', $3, $4), ($5::uuid, $2, 'ada', 500, 'EUR', null, null)`,
    [payment, org, external, reference, other],
  )
  await run(
    `insert into payments.webhook_endpoints (id, org_id, url, event_types)
     values ($1::uuid, $2, 'https://shop.test/hook', '{payment.failed}')`,
    [endpoint, org],
  )
  await run(
    `insert into payments.webhook_deliveries
       (id, org_id, endpoint_id, event_id, event_type, payload, status, delivered_at)
     values ($1::uuid, $2, $3, 'evt_failed_' || $4::text, 'payment.failed',
             json_build_object('data', json_build_object('paymentId', $4::text)), 'delivered', now())`,
    [delivery, org, endpoint, payment],
  )
  await run(
    `insert into payments.reconciliation_runs
       (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums)
     select $1::uuid, $2, 'ada', 'bank.csv', sha256($1::text::bytea), 1, 2, 2, '{}'`,
    [bank, org],
  )
  await run(
    `insert into payments.reconciliation_records
       (run_id, line_number, amount, booked_on, currency, external_transaction_id, status,
        matched_payment_id, decided_by, matched_as)
     select $1::uuid, n, 1000, '2026-03-07', 'EUR', 'BANK-' || n, 'matched', payment, 'manual', null
       from (values (1, $2::uuid), (2, $3::uuid)) as line (n, payment)`,
    [bank, payment, other],
  )
  await run(
    `insert into payments.reconciliation_details (run_id, line_number, run_no, reason, payment_id)
     select $1::uuid, n, 0, 'manual_match', null from generate_series(1, 2) as n`,
    [bank],
  )
  return { payment, delivery, bank, other, line: `${bank}/1` }
}
