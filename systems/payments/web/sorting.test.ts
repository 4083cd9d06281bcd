import { expect, test } from 'vitest'
import { openDashboard } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({ systems: [payments] })
const { pool } = dashboard.database

/** The largest and the smallest are among the oldest, which the first page does not have. */
await pool.query(`
  insert into payments.payments (id, org_id, user_id, amount, currency, created_at)
  select overlay(gen_random_uuid()::text placing '0189' || lpad(to_hex(n), 4, '0') || '-0000-7' from 1 for 15)::uuid,
         'demo', 'ada', case n when 1 then 999900 when 2 then 100 else 5000 + n end,
         case n when 3 then 'CHF' else 'EUR' end,
         timestamptz '2026-01-01' + n * interval '1 minute'
    from generate_series(1, 150) as n`)

test('a column that the server sorts by is sorted over all rows, not over those that are here', async () => {
  const page = await dashboard.open('/payments')
  const table = page.getByRole('grid', { name: 'Payments' })
  const first = table.getByRole('row').nth(1)
  await first.getByText('51.50').waitFor()
  const asked = page.waitForRequest(/api\/v1\/payments\?.*sort=-amount/)
  await table.getByRole('button', { name: 'Amount' }).click()
  await asked
  await first.getByText('9,999.00').waitFor()
  await page.getByText('sorted by Amount, highest first').waitFor()
  await table.getByRole('button', { name: 'Amount' }).click()
  await first.getByText('1.00').waitFor()
  // A reload asks once, in the order that is kept.
  const orders: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === '/api/v1/payments') orders.push(url.searchParams.get('sort') ?? 'usual')
  })
  await page.reload()
  await first.getByText('1.00').waitFor()
  expect(new Set(orders)).toEqual(new Set(['amount']))
})

test('a column that only this browser could sort by waits until all rows are here', async () => {
  const page = await dashboard.open('/payments')
  const table = page.getByRole('grid', { name: 'Payments' })
  const state = table.getByRole('columnheader', { name: 'State' })
  await state.waitFor()
  expect(await state.getByRole('button').count()).toBe(0)
  expect(await state.getAttribute('title')).toContain('narrow the list')
  await page.goto(`${dashboard.url}/payments?currency=CHF`)
  await state.getByRole('button').click()
  await page.getByText('sorted by State, highest first').waitFor()
})
