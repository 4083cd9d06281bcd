import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { zipOf } from '../src/pages/file-jobs/sample-zip.ts'
import { axe, openDashboard } from './harness/index.ts'

const dashboard = await openDashboard({ env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
const { pool } = dashboard.database
const patient = { timeout: 60_000 }

/** The value of a tile. */
const tile = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.getByText(label, { exact: true }) })

async function greet(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await dashboard.call('/api/v1/greetings', { body: { name: `Ada ${i}` } })
  }
}

/** Stops the outbox, so that its rows stay as a test has them. */
async function pauseGreetings(): Promise<void> {
  await dashboard.call('/api/v1/outboxes/example.greetings/pause', { method: 'POST' })
}

test('in an outage all attempts fail, and the oldest message ages though none is due', async () => {
  await pauseGreetings()
  await greet(3)
  await pool.query(`
    update example.greeting
       set attempts = 2, error = 'connection refused', due_at = posthorn.now() + interval '1 hour',
           created_at = now() - interval '20 minutes'`)
  await pool.query(`
    insert into posthorn.pulse (outbox, relay, at, delivered, failed)
    select 'example.greetings', 'r', date_trunc('minute', now()) - n * interval '1 minute', 0, 600
      from generate_series(0, 1) as n`)
  const page = await dashboard.open('/overview')
  await expect.poll(() => tile(page, 'Failing').textContent(), patient).toContain('100%')
  await expect
    .poll(() => tile(page, 'Oldest undelivered').textContent(), patient)
    .toMatch(/2\d min/)
  expect(await tile(page, 'Waiting').textContent()).toContain('0 due, 3 retrying')
  await page.goto(`${dashboard.url}/outboxes/example.greetings`)
  await expect.poll(() => tile(page, 'Due').textContent(), patient).toContain('3 retrying')
  await pool.query('truncate example.greeting')
  await pool.query("delete from posthorn.pulse where relay = 'r'")
})

test('messages that a worker killed need attention, since when; replayed ones do not', async () => {
  await pauseGreetings()
  await greet(5)
  await pool.query("update example.greeting set status = 'dead', attempts = 5")
  const page = await dashboard.open('/overview')
  const line = page.getByRole('listitem').filter({ hasText: 'example.greetings: 5 given up' })
  await line.getByText(/Since .* ago|Since now/).waitFor(patient)
  await expect.poll(() => tile(page, 'Given up').textContent(), patient).toContain('5')
  await dashboard.call('/api/v1/outboxes/example.greetings/replay', { body: {} })
  await dashboard.call('/api/v1/outboxes/example.greetings/resume', { method: 'POST' })
  await line.waitFor({ state: 'detached', ...patient })
  await expect.poll(() => tile(page, 'Given up').textContent(), patient).toMatch(/Given up0/)
})

test('timers of orders that are over do not wait', async () => {
  await dashboard.call('/api/v1/orders', {
    body: { items: [{ sku: 'LAMP', quantity: 1 }], amount: 1_000, currency: 'EUR' },
  })
  const orders = async () => {
    const { items } = (await dashboard.call('/api/v1/orders')) as { items: { status: string }[] }
    return items.map(({ status }) => status)
  }
  await expect.poll(orders, patient).toEqual(['COMPLETED'])
  const page = await dashboard.open('/overview')
  await page.getByRole('row', { name: /^sagas\.turns/ }).waitFor(patient)
  expect(await tile(page, 'Scheduled').textContent()).toContain('Scheduled0')
})

test('a page that is read anew by the minute does not say that it is live', async () => {
  const page = await dashboard.open('/payments')
  await page
    .getByRole('status')
    .getByText(/^Updated every/)
    .waitFor(patient)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor(patient)
})

test('after the clock was moved, what has happened is in no future and begins with its creation', async () => {
  const page = await dashboard.open('/simulators')
  await page.getByRole('button', { name: '+6h' }).click()
  await page.getByRole('button', { name: 'Move by 6h' }).click()
  await page.getByText('Clock advanced by 6h').waitFor()
  const url = `${dashboard.url}/sim/merchant/hooks`
  await dashboard.call('/api/v1/webhook-endpoints', { body: { url, eventTypes: ['*'] } })
  await dashboard.call('/api/v1/payments', {
    body: { amount: 1_999, currency: 'EUR' },
    headers: { 'idempotency-key': randomUUID() },
  })
  const delivered = async () => {
    const { items } = (await dashboard.call('/api/v1/webhook-deliveries')) as {
      items: { id: string; status: string }[]
    }
    return items.find(({ status }) => status === 'delivered')?.id
  }
  await expect.poll(delivered, patient).toBeDefined()
  for (const path of [
    '/webhooks',
    '/webhooks/deliveries',
    '/messages',
    '/payments',
    '/audit/entries',
  ]) {
    await page.goto(`${dashboard.url}${path}`)
    const times = page.getByRole('gridcell').locator('time')
    await times.first().waitFor(patient)
    // Neither to come nor, since it could not be told how long ago it was, a date.
    const texts = await times.allTextContents()
    expect(texts.filter((text) => !/(ago|now)$/.test(text))).toEqual([])
  }
  await page.goto(`${dashboard.url}/payments`)
  await page.getByRole('gridcell').getByText('business').first().waitFor(patient)
  await page.getByRole('heading', { name: 'Gateway over time, by the business clock' }).waitFor()
  const id = await delivered()
  await page.goto(`${dashboard.url}/messages?open=payments.webhook-deliveries:${id}`)
  const story = page.getByRole('tabpanel', { name: 'Timeline' }).getByRole('listitem')
  await story.first().getByText('Written in the producer’s transaction').waitFor(patient)
  await dashboard.call('/api/v1/outbound/messages', {
    body: {
      ...{ channel: 'whatsapp', to: '+16505551234', templateCode: 'otp_code' },
      payloadJson: { language: 'en_US', parameters: ['4711'] },
    },
    headers: { 'idempotency-key': randomUUID() },
  })
  // Payments are dated six hours ahead: what came after them is above them all the same.
  await page.goto(
    `${dashboard.url}/audit/entries?since=${new Date(Date.now() - 3_600_000).toISOString()}`,
  )
  const entries = page.getByRole('grid', { name: 'Who did what' })
  await entries
    .getByRole('row', { name: /MESSAGE/ })
    .first()
    .waitFor(patient)
  const times = await entries
    .locator('time')
    .evaluateAll((all) => all.map((each) => Date.parse(each.getAttribute('datetime') ?? '')))
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  expect(await entries.getByText('business').count()).toBe(0)
  await entries
    .getByRole('row', { name: /payment\.created/ })
    .first()
    .click()
  await page.getByRole('dialog').getByText('Business time').waitFor(patient)
  await page.goto(`${dashboard.url}/audit?search=advance-clock`)
  await page.getByRole('gridcell', { name: 'dev' }).first().waitFor(patient)
})

test('rows stay where they are, those that came are offered, and windows ask once a second', async () => {
  await greet(2)
  const page = await dashboard.open('/messages?outbox=example.greetings')
  const table = page.getByRole('grid', { name: 'Messages' })
  await table
    .getByRole('row', { name: / sent example/ })
    .nth(1)
    .waitFor(patient)
  // Its id: how long ago it was made changes.
  const topId = async () =>
    /…\w+/.exec((await table.getByRole('row').nth(1).textContent()) ?? '')?.[0]
  const first = await topId()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const began = performance.now()
  for (let i = 0; i < 8; i += 1) await greet(5)
  await page.getByRole('button', { name: '40 new' }).waitFor(patient)
  const seconds = (performance.now() - began) / 1_000
  expect(await topId()).toBe(first)
  // One at once, and from then on as the time allows.
  expect(asked.length).toBeLessThanOrEqual(seconds + 2)
  await axe(page, ['color-contrast'])
  await page.getByRole('button', { name: '40 new' }).click()
  await page.getByRole('button', { name: '40 new' }).waitFor({ state: 'detached', ...patient })
  await expect.poll(topId, patient).not.toBe(first)
})

test('pictures of outboxes in which nothing happens are asked for once a minute', async () => {
  const page = await dashboard.open('/home')
  // The clock stays with the context: no other test is to have it.
  onTestFinished(() => page.context().close())
  await page.clock.install()
  const known = page.waitForResponse(`${dashboard.url}/api/v1/outboxes`, patient)
  await page.goto(`${dashboard.url}/outboxes`)
  const { items } = (await (await known).json()) as { items: unknown[] }
  const pictures = page.getByRole('group', { name: /^States of / })
  await expect.poll(() => pictures.count(), patient).toBe(items.length)
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor(patient)
  // Once it hears of changes a page looks at everything again, one picture after the other.
  await page.clock.runFor(18_000)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/graph')) asked += 1
  })
  const listed = page.waitForResponse(`${dashboard.url}/api/v1/outboxes`, patient)
  await page.clock.runFor(25_000)
  await listed
  // That of an outbox in which something did happen.
  expect(asked).toBeLessThanOrEqual(3)
})

test('a minute that is not over is drawn as none, and said to go on', async () => {
  const page = await dashboard.open('/overview')
  const line = page.getByRole('img', { name: 'What messages.outbound delivered in the last hour' })
  /** How far the line's last point is below its highest, of a steady stream in its first seconds. */
  const drop = async () => {
    await pool.query("delete from posthorn.pulse where relay = 'steady'")
    await pool.query(`
      insert into posthorn.pulse (outbox, relay, at, delivered)
      select 'messages.outbound', 'steady', date_trunc('minute', now()) - n * interval '1 minute',
             case n when 0 then 1 else 600 end
        from generate_series(0, 5) as n`)
    await page.reload()
    await line.waitFor(patient)
    const points = (await line.locator('polyline').getAttribute('points')) ?? ''
    const heights = points.split(' ').map((point) => Number(point.split(',')[1]))
    return (heights.at(-1) ?? 0) - Math.min(...heights)
  }
  // More than once if the minute ends meanwhile.
  await expect.poll(drop, { ...patient, interval: 1_000 }).toBe(0)
  const plot = page.getByRole('slider', { name: /^Throughput/ })
  await plot.focus()
  await page.keyboard.press('End')
  await expect
    .poll(() => plot.getAttribute('aria-valuetext'), patient)
    .toMatch(/^\d\d:\d\d, not over yet/)
})

async function upload(path: string, type: string, body: BodyInit): Promise<string> {
  const headers = { authorization: `Bearer ${dashboard.token()}`, 'content-type': type }
  const response = await fetch(`${dashboard.url}${path}`, { method: 'POST', headers, body })
  expect(response.status).toBeLessThan(300)
  const { id, fileJobId } = (await response.json()) as { id?: string; fileJobId?: string }
  return id ?? fileJobId ?? ''
}

test('a file whose rows all failed has ended in red', async () => {
  const rows = ['CASE-1', 'CASE-2'].map((id) => `${id},missing.pdf\n`).join('')
  const zip = zipOf({ 'cases.csv': `case_id,evidence_files\n${rows}`, 'other.pdf': '%PDF-1.7' })
  await upload('/api/v1/file-jobs?filename=lost.zip', 'application/zip', zip)
  const page = await dashboard.open('/file-jobs')
  const badge = page
    .getByRole('row', { name: /lost\.zip/ })
    .locator('[data-color]')
    .filter({ hasText: 'COMPLETED' })
  await badge.waitFor(patient)
  expect(await badge.getAttribute('data-color')).toBe('red')
})

test('a run that matched nothing does not say so in green', async () => {
  const csv = 'external_transaction_id,amount,currency,date\nunknown-1,9.85,EUR,2026-03-07\n'
  const id = await upload('/api/v1/reconciliations?filename=none.csv', 'text/csv', csv)
  const page = await dashboard.open(`/reconciliation/${id}`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Match 1' }).click()
  const toast = page.getByRole('alert').filter({ hasText: '0 of 1 records are matched' })
  await toast.waitFor(patient)
  const colour = await toast.evaluate((element) =>
    getComputedStyle(element).getPropertyValue('--notification-color'),
  )
  const filled = (name: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-${name}-filled')`,
    )
  expect(colour).toBe(await filled('orange'))
  expect(colour).not.toBe(await filled('green'))
})

test('refunds and endpoints are in the audit, with who made them', async () => {
  const url = `${dashboard.url}/sim/merchant/hooks`
  await dashboard.call('/api/v1/webhook-endpoints', {
    body: { url, eventTypes: ['webhook.ping'] },
    sub: 'grace',
  })
  const headers = { 'idempotency-key': randomUUID() }
  const { id } = (await dashboard.call('/api/v1/payments', {
    body: { amount: 1_999, currency: 'EUR' },
    headers,
  })) as { id: string }
  const status = async () =>
    ((await dashboard.call(`/api/v1/payments/${id}`)) as { status: string }).status
  await expect.poll(status, patient).toBe('succeeded')
  await dashboard.call(`/api/v1/payments/${id}/refunds`, {
    body: { amount: 500 },
    headers: { 'idempotency-key': randomUUID() },
    sub: 'grace',
  })
  const page = await dashboard.open('/audit/entries?actor=grace')
  await page
    .getByRole('gridcell', { name: /refund/i })
    .first()
    .waitFor(patient)
  await page
    .getByRole('gridcell', { name: /endpoint/i })
    .first()
    .waitFor(patient)
})
