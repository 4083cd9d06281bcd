import { expect, test, vi } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard()
// A whole story beside a browser, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 240_000 })
const patient = { timeout: 180_000 }

test('the demo is started from the overview, and what it leaves is fixed', async () => {
  const page = await dashboard.open('/overview')
  await page.getByRole('link', { name: 'See it at work' }).click()
  await page.getByRole('heading', { name: 'Three orders' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Play' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.getByText('The lamp is paid and on its way: COMPLETED.').waitFor(patient)
  await page.getByText('Demo finished').waitFor(patient)
  await axe(page)
  await screenshot(page, 'demo-played')

  // Find it, see why.
  await page.getByRole('link', { name: 'The webhook that was given up' }).click()
  await page.getByRole('gridcell', { name: 'payment.refunded' }).first().click()
  const delivery = page.getByRole('dialog', { name: 'Delivery', exact: true })
  await delivery.getByText('answered 503').first().waitFor()
  const place = page.url()

  // Fix it: the merchant answers again.
  await page.goto(`${dashboard.url}/demo`)
  await page.getByRole('region', { name: 'Something is left for you' }).waitFor()
  const last = page.getByRole('region', { name: 'Something is left for you' })
  await last.getByRole('link', { name: 'The merchant' }).click()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('answers normally').first().waitFor()

  // Replay it.
  await page.goto(place.replace('status=abandoned', ''))
  await delivery.getByRole('button', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay 1' }).click()
  await delivery.getByText('answered 200').first().waitFor(patient)
})

test('the demo is stopped by the operator', async () => {
  const page = await dashboard.open('/demo')
  await page.getByRole('button', { name: /^Play/ }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Demo stopped').waitFor(patient)
  await page.getByRole('button', { name: 'Play again' }).waitFor()
  await axe(page)
})

test('members neither see nor start it', async () => {
  const page = await dashboard.open('/demo', { role: 'member', allowed: [/403/] })
  await page.getByText('Demonstration is for operators').waitFor()
  expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(0)
})
