import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()
const patient = { timeout: 20_000 }

async function placeOrder(): Promise<void> {
  await dashboard.call('/api/v1/orders', {
    body: { items: [{ sku: 'LAMP', quantity: 1 }], amount: 1_000, currency: 'EUR' },
  })
}

async function pay(amount: number): Promise<void> {
  await dashboard.call('/api/v1/payments', {
    body: { amount, currency: 'EUR' },
    headers: { 'idempotency-key': randomUUID() },
  })
}

/** An hour of work as relays write it down, a little more in every outbox than in the one before. */
async function writeHistory(outboxes: readonly string[]): Promise<void> {
  const { pool } = dashboard.database
  await pool.query(
    `insert into posthorn.pulse (outbox, relay, at, delivered, failed, dead)
     select o.name, 'relay-1', date_trunc('minute', now()) - m * interval '1 minute',
            (40 * o.n * (1.2 + sin(m / 9.0 + o.n)))::int, (3 * (1 + sin(m / 7.0)))::int, (m % 19 = 0)::int
       from unnest($1::text[]) with ordinality as o (name, n), generate_series(1, 60) as m
     on conflict do nothing`,
    [outboxes],
  )
  await pool.query(
    `insert into posthorn.sample (outbox, at, waiting, due, oldest_due_seconds)
     select o.name, date_trunc('minute', now()) - m * interval '1 minute',
            (12 * (1.1 + sin(m / 8.0 + o.n)))::int, (4 * (1.1 + sin(m / 8.0 + o.n)))::int,
            3 * (1.1 + sin(m / 8.0 + o.n))
       from unnest($1::text[]) with ordinality as o (name, n), generate_series(1, 60) as m
     on conflict do nothing`,
    [outboxes],
  )
}

test('the overview shows what moves', async () => {
  await writeHistory(['sagas.events', 'messages.outbound', 'payments.webhook-deliveries'])
  const page = await dashboard.open('/overview')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await Promise.all(Array.from({ length: 40 }, placeOrder))
  await Promise.all(Array.from({ length: 20 }, (_, n) => pay(1_000 + n * 100)))
  const row = page.getByRole('row', { name: /sagas\.events/ })
  await expect.poll(() => row.textContent(), patient).toMatch(/[1-9.]+\/s/)
  await axe(page)
  await screenshot(page, 'overview-light')
})

test('a paused outbox is the first notice, and leads to where it is resumed', async () => {
  await dashboard.call('/api/v1/outboxes/example.greetings/pause', {
    body: { reason: 'the shop moves' },
  })
  const page = await dashboard.open('/overview')
  await page.getByRole('link', { name: 'example.greetings is paused by dev' }).click()
  await page.getByRole('heading', { name: 'example.greetings' }).waitFor()
  await page.getByText('the shop moves').first().waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('example.greetings resumed.').waitFor()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
})

test('an outbox is paused from its page, with a reason that the audit keeps', async () => {
  await dashboard.call('/api/v1/outboxes/example.greetings/resume', { method: 'POST' })
  const page = await dashboard.open('/outboxes/example.greetings')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByLabel('Reason').fill('tidying up')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused by dev: tidying up').waitFor()
  await dashboard.call('/api/v1/outboxes/example.greetings/resume', { method: 'POST' })
  await page.goto(`${dashboard.url}/audit?search=tidying`)
  await page.getByRole('gridcell', { name: 'tidying up' }).first().waitFor()
})

test('outboxes are pictures', async () => {
  await placeOrder()
  const page = await dashboard.open('/outboxes')
  const picture = page.getByRole('group', { name: 'States of sagas.events' })
  await expect
    .poll(() => picture.getByRole('link', { name: /^SENT/ }).textContent(), patient)
    .toMatch(/ [1-9]/)
  await axe(page)
  await screenshot(page, 'outboxes-light')
  await page.getByRole('link', { name: 'Open messages.outbound' }).click()
  await page.getByRole('heading', { name: 'Definition' }).waitFor()
  await page.getByText('gives up after 6 attempts').waitFor()
  await axe(page)
  await screenshot(page, 'outbox-light')
})

test('the audit tells what happened, and is searched by its address', async () => {
  await placeOrder()
  const page = await dashboard.open('/audit?outbox=sagas.events')
  await page.getByRole('gridcell', { name: 'CLAIMED → SENT' }).first().click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open message' }).waitFor()
  await axe(page)
  await page.goto(`${dashboard.url}/audit?search=nothing-like-this`)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('gridcell').first().waitFor()
  await screenshot(page, 'audit-light')
})

test('alerts are shown and acknowledged', async () => {
  const subject = 'job-7'
  await dashboard.database.pool.query(
    `insert into posthorn.alert (source, subject, code, detail)
     values ('evidence', $1, 'CLAIM_FATAL', 'three relays were lost')`,
    [subject],
  )
  const page = await dashboard.open('/alerts?status=open')
  await page.getByRole('gridcell', { name: 'three relays were lost' }).first().click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('Three relays in a row were lost').waitFor()
  await axe(page)
  await screenshot(page, 'alerts-light')
  await drawer.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText('1 alert acknowledged.').waitFor()
})

test('a simulator fails by a fault and recovers', async () => {
  const page = await dashboard.open('/simulators')
  await page.getByRole('heading', { name: 'Business clock' }).waitFor()
  await axe(page)
  await screenshot(page, 'simulators-light')
  await page.getByRole('link', { name: 'Open gateway' }).click()
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('answers with an error').first().waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('answers normally').first().waitFor()
  await axe(page)
})

test('the clock is moved', async () => {
  const page = await dashboard.open('/simulators')
  await page.getByRole('button', { name: '+6h' }).click()
  await page.getByText('Clock advanced by 6h').waitFor()
  await page.getByText(/6 h.* ahead of real time/).waitFor()
})

test('members see neither operators’ pages nor what is on them', async () => {
  const page = await dashboard.open('/overview', { role: 'member', org: 'other' })
  await page.getByRole('link', { name: 'Simulators and clock' }).waitFor()
  expect(await page.getByRole('link', { name: 'Outboxes' }).count()).toBe(0)
  expect(await page.getByText('sagas.events').count()).toBe(0)
})
