import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openDashboard } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({
  systems: [payments],
  env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
})
const patient = { timeout: 60_000 }

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
  const id = await delivered()
  await page.goto(`${dashboard.url}/messages?open=payments.webhook-deliveries:${id}`)
  const story = page.getByRole('tabpanel', { name: 'Timeline' }).getByRole('listitem')
  await story.first().getByText('Written in the producer’s transaction').waitFor(patient)
  const later = { url: `${url}/other`, eventTypes: ['webhook.ping'] }
  await dashboard.call('/api/v1/webhook-endpoints', { body: later })
  // Payments are dated six hours ahead: what came after them is above them all the same.
  await page.goto(
    `${dashboard.url}/audit/entries?since=${new Date(Date.now() - 3_600_000).toISOString()}`,
  )
  const entries = page.getByRole('grid', { name: 'Who did what' })
  await entries
    .getByRole('row', { name: /endpoint/i })
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
