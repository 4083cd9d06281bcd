import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({
  systems: [payments],
  env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
})
const OUTBOX = 'payments.webhook-deliveries'
/** Longer than a breaker waits before its probe, on a busy machine. */
const patient = { timeout: 90_000 }
/** As many as a breaker sees before it opens, and some. */
const PINGS = 14

const url = `${dashboard.url}/sim/merchant/hooks`

/** How the customer's server answers. */
const answer = (fault: object) => dashboard.call('/sim/merchant/faults', { body: fault })

test('a breaker that opens is shown by its address, since when, until when and why, and until it closes', async () => {
  await answer({ mode: 'error', status: 503 })
  const { id } = (await dashboard.call('/api/v1/webhook-endpoints', {
    body: { url, eventTypes: ['*'] },
  })) as { id: string }
  const page = await dashboard.open(`/outboxes/${OUTBOX}`)
  await page.getByText('Running.').first().waitFor(patient)
  for (let n = 0; n < PINGS; n += 1) {
    await dashboard.call(`/api/v1/webhook-endpoints/${id}/ping`, { method: 'POST' })
  }

  const relays = page.getByRole('region', { name: 'Relays' })
  await relays.getByText(/Circuit open since \d+:\d\d/).waitFor(patient)
  const said = await relays.textContent()
  expect(said).toContain(url)
  expect(said).toMatch(/next probe in \d+ s/)
  expect(said).toContain('503')
  await page.getByText(`Nothing is delivered: ${url} is down.`).waitFor(patient)
  await axe(page)
  await screenshot(page, 'breaker-open')

  const overview = await dashboard.open('/overview')
  const trouble = overview
    .getByRole('listitem')
    .filter({ hasText: `${url} is down; sending paused` })
  await trouble.getByText(/503/).waitFor(patient)
  const webhooks = await dashboard.open('/webhooks')
  await webhooks.getByText('paused', { exact: true }).first().waitFor(patient)
  await screenshot(overview, 'breaker-overview')
  await screenshot(webhooks, 'breaker-endpoint')

  await answer({ mode: 'ok' })
  // Its probe is due by the clock of the process; what waits behind it, by that of the business.
  const closes = async () => {
    await dashboard.call('/sim/clock/advance', { body: { by: '1m' } })
    return relays.getByText('Circuit open').count()
  }
  await expect.poll(closes, { ...patient, interval: 2_000 }).toBe(0)
  await page.getByText('Running.').first().waitFor(patient)
  await trouble.waitFor({ state: 'detached', ...patient })
})
