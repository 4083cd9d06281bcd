import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
const patient = { timeout: 60_000 }

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

async function write(to: string): Promise<void> {
  await dashboard.call('/api/v1/outbound/messages', {
    body: {
      ...{ channel: 'whatsapp', to, templateCode: 'otp_code' },
      payloadJson: { language: 'en_US', parameters: ['4711'] },
    },
    headers: { 'idempotency-key': randomUUID() },
  })
}

/** The pictures of the documentation want minutes of traffic; the tests are content with seconds. */
const TRAFFIC_MS = process.env['SCREENSHOTS'] ? 8 * 60_000 : 0

/** The simulator knows nobody there. */
const UNKNOWN = '+16505550047'

/** Orders, payments with their webhooks, and messages: a few a second, more and less by turns. */
async function driveTraffic(ms: number): Promise<void> {
  if (ms === 0) return
  const url = `${dashboard.url}/sim/merchant/hooks`
  await dashboard.call('/api/v1/webhook-endpoints', { body: { url, eventTypes: ['*'] } })
  const began = performance.now()
  for (let second = 0; performance.now() - began < ms; second += 1) {
    const many = 2 + (second % 40 < 20 ? second % 20 : 20 - (second % 20)) / 5
    await Promise.all([
      ...Array.from({ length: many }, placeOrder),
      ...Array.from({ length: many / 2 }, (_, n) => pay(1_000 + n * 100)),
      ...Array.from({ length: many / 2 }, (_, n) => write(`+1650555${1_000 + second * 10 + n}`)),
      ...(second % 60 === 30 ? [write(UNKNOWN)] : []),
    ])
    await sleep(1_000)
  }
}

test('the overview shows what moves', { timeout: 120_000 + 2 * TRAFFIC_MS }, async () => {
  await driveTraffic(TRAFFIC_MS)
  const page = await dashboard.open('/overview?range=15min')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await Promise.all(Array.from({ length: 40 }, placeOrder))
  await Promise.all(Array.from({ length: 20 }, (_, n) => pay(1_000 + n * 100)))
  const row = page.getByRole('row', { name: /^sagas\.events/ })
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

test('an outbox is shown as its state machine', async () => {
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

test('the audit lists what happened, and is searched by its address', async () => {
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
  await drawer.getByText('Three claims of this message alone were lost').waitFor()
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
  await page.getByRole('button', { name: 'Move by 6h' }).click()
  await page.getByText('Clock advanced by 6h').waitFor()
  await page.getByText(/6 h.* ahead of real time/).waitFor()
})

test('members see neither operators’ pages nor what is on them', async () => {
  const page = await dashboard.open('/overview', { role: 'member', org: 'other' })
  await page.getByRole('link', { name: 'Simulators and clock' }).waitFor()
  expect(await page.getByRole('link', { name: 'Outboxes' }).count()).toBe(0)
  expect(await page.getByText('sagas.events').count()).toBe(0)
})
