import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ env: { GATEWAY_TIMEOUT_MS: '500' } })
const patient = { timeout: 30_000 }

interface Placed {
  readonly id: string
  readonly sagaId: string
}

function placeOrder(order: { sku?: string; amount?: number } = {}): Promise<Placed> {
  const { sku = 'LAMP', amount = 2_500 } = order
  return dashboard.call('/api/v1/orders', {
    body: { items: [{ sku, quantity: 2 }], amount, currency: 'EUR' },
  }) as Promise<Placed>
}

interface Saga {
  readonly status: string
  readonly step: string | null
}

function sagaOf(id: string): Promise<Saga> {
  return dashboard.call(`/api/v1/sagas/${id}`) as Promise<Saga>
}

async function untilState(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await sagaOf(id)).status, patient).toBe(status)
}

const stepOf = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Steps of the saga' })
    .getByRole('listitem')
    .filter({
      has: page.getByText(name, { exact: true }),
    })

test('an empty page says how it is filled', async () => {
  const page = await dashboard.open('/sagas', { org: 'nobody', role: 'member' })
  await page.getByText('No orders yet').waitFor()
  await page.getByText('Sagas', { exact: true }).click()
  await page.getByText('No sagas yet').waitFor()
  await page.goto(`${dashboard.url}/sagas?status=FAILED`)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('button', { name: 'Place the first order' }).waitFor()
  await axe(page)
})

test('orders and sagas are listed', async () => {
  const done = await placeOrder()
  const undone = await placeOrder({ sku: 'OUT-OF-STOCK' })
  await untilState(done.sagaId, 'COMPLETED')
  await untilState(undone.sagaId, 'COMPENSATED')
  const page = await dashboard.open('/sagas')
  await page.getByRole('gridcell', { name: 'OUT_OF_STOCK' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'orders-light')
  await page.goto(`${dashboard.url}/sagas?list=sagas&status=COMPLETED`)
  await page.getByRole('gridcell', { name: 'All steps done.' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'sagas-light')
  await page.getByRole('gridcell', { name: 'All steps done.' }).first().click()
  await page.getByRole('heading', { name: 'Saga order' }).waitFor()
  for (const step of ['reserve', 'pay', 'ship', 'shipped']) {
    await stepOf(page, step).getByText('done').waitFor()
  }
  await axe(page)
  await screenshot(page, 'saga-light')
})

test('a declined order is compensated while the page shows it', async () => {
  const page = await dashboard.open('/sagas')
  await page.getByRole('button', { name: 'Place an order' }).click()
  const form = page.getByRole('dialog', { name: 'Place 1 order' })
  await form.getByLabel('Amount in minor units').fill('1902')
  await axe(page)
  await screenshot(page, 'place-order-light')
  await form.getByRole('button', { name: 'Place 1 order' }).click()
  await page.getByText('Order placed.').waitFor()
  await page.getByText('Did not complete; its steps are undone').waitFor(patient)
  await stepOf(page, 'reserve').getByText('undone').waitFor()
  await stepOf(page, 'paid').getByText('refused').waitFor()
  await stepOf(page, 'shipped').getByText('not begun').waitFor()
  await page.getByText('PAYMENT_DECLINED').first().waitFor()
  await page.getByText('stock.released').waitFor()
  await axe(page)
  await screenshot(page, 'saga-undone-light')
})

test('what runs is cancelled, and everything is given back', async () => {
  await dashboard.call('/api/v1/outboxes/sagas.events/pause', { body: {} })
  const { sagaId } = await placeOrder()
  const page = await dashboard.open(`/sagas/${sagaId}`)
  await page.getByText('Waiting at reserved').waitFor(patient)
  await screenshot(page, 'saga-waiting-light')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel and undo' }).click()
  await page.getByText('its steps are being undone.').waitFor()
  await dashboard.call('/api/v1/outboxes/sagas.events/resume', { method: 'POST' })
  await page.getByText('Did not complete; its steps are undone').waitFor(patient)
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
})

test('what is stuck says so, and is resumed', async () => {
  const gateway = (fault: object) => dashboard.call('/sim/gateway/faults', { body: fault })
  await gateway({ mode: 'error', status: 503 })
  onTestFinished(() => void gateway({ mode: 'ok' }))
  const { sagaId } = await placeOrder()
  await expect.poll(async () => (await sagaOf(sagaId)).step, patient).toBe('paid')
  await dashboard.call(`/api/v1/sagas/${sagaId}/cancel`, { method: 'POST' })
  // A refund is tried for an hour of the business clock.
  const later = async () => {
    await dashboard.call('/sim/clock/advance', { body: { by: '5m' } })
    return (await sagaOf(sagaId)).status
  }
  await expect.poll(later, { timeout: 60_000, interval: 200 }).toBe('FAILED')
  const page = await dashboard.open(`/sagas/${sagaId}`)
  await page.getByText('Stuck: fix the cause').waitFor()
  await stepOf(page, 'pay').getByText('being undone, 20 attempts').waitFor()
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await axe(page)
  await screenshot(page, 'saga-stuck-light')
  await gateway({ mode: 'ok' })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Saga resumed.').waitFor()
  await page.getByText('Did not complete; its steps are undone').waitFor(patient)
})

test('a saga of another organisation is not found', async () => {
  const { sagaId } = await placeOrder()
  const page = await dashboard.open(`/sagas/${sagaId}`, {
    ...{ org: 'other', role: 'member', allowed: [/404/] },
  })
  await page.getByText('NOT_FOUND').waitFor()
})

test('fits a phone', async () => {
  const { sagaId } = await placeOrder({ amount: 1_902 })
  await untilState(sagaId, 'COMPENSATED')
  const page = await dashboard.open('/sagas', { size: { width: 390, height: 844 } })
  await page.getByRole('gridcell', { name: '2 × LAMP' }).first().waitFor()
  await screenshot(page, 'orders-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.goto(`${dashboard.url}/sagas/${sagaId}`)
  await stepOf(page, 'reserve').getByText('undone').waitFor()
  await axe(page)
  await screenshot(page, 'saga-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
})
