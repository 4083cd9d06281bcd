import { test, vi } from 'vitest'
import { openDashboard } from '@posthorn/dashboard/testing'

const dashboard = await openDashboard()
// A whole story beside a browser, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 240_000 })
const patient = { timeout: 180_000 }

test('what the demo leaves is found, fixed and replayed', async () => {
  await dashboard.call('/api/v1/demo', { method: 'POST' })
  const page = await dashboard.open('/demo')
  await page.getByText('Demo finished').waitFor(patient)

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
