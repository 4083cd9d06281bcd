import { expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'

const { pool } = await paymentsDatabase()
const ENDPOINT = '00000000-0000-7000-8000-000000000001'
await pool.query(
  `insert into payments.webhook_endpoints (id, org_id, url, event_types)
   values ($1, 'acme', 'https://merchant.test/', '{*}')`,
  [ENDPOINT],
)
await pool.query(
  `insert into payments.webhook_deliveries
          (id, org_id, endpoint_id, event_id, event_type, payload, status, delivered_at)
   select gen_random_uuid(), 'acme', $1, 'evt_' || n, 't', '{}',
          case when n % 5000 = 0 then 'skipped_disabled' else 'delivered' end, now()
     from generate_series(1, 20000) as n`,
  [ENDPOINT],
)
await pool.query('analyze payments.webhook_deliveries')

test.each([
  ["status = 'skipped_disabled'", 'webhook_deliveries_by_status'],
  ["event_id = 'evt_5000'", 'webhook_deliveries_by_event'],
])('deliveries are found by %s through %s', async (condition, index) => {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
    `explain select * from payments.webhook_deliveries
      where org_id = 'acme' and ${condition} order by id desc limit 51`,
  )
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index)
})
