import { createHmac, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({ systems: [payments] })
const patient = { timeout: 30_000 }
const PHONE = { width: 390, height: 780 }

async function pay(amount: number, org = 'demo'): Promise<string> {
  const { id } = (await dashboard.call('/api/v1/payments', {
    org,
    body: { amount, currency: 'EUR', description: 'a lamp', metadata: { till: 4 } },
    headers: { 'idempotency-key': randomUUID() },
  })) as { id: string }
  return id
}

async function succeeded(amount: number): Promise<string> {
  const id = await pay(amount)
  const read = () => dashboard.call(`/api/v1/payments/${id}`)
  await expect.poll(read, patient).toMatchObject({ status: 'succeeded' })
  return id
}

/** Speaks for the gateway. */
async function tell(type: string, data: object): Promise<string> {
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ id, type, data })
  const secret = 'a webhook secret for development only'
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const { status } = await fetch(`${dashboard.url}/api/v1/webhooks/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-signature': `sha256=${signature}` },
    body,
  })
  expect(status).toBe(200)
  return id
}

test('without any payment it says how one is made', async () => {
  const page = await dashboard.open('/payments', { org: 'empty' })
  await page.getByText('No payments yet').waitFor()
  await axe(page)
})

test('a payment is made, tells its phases, and is refunded', async () => {
  const page = await dashboard.open('/payments')
  await page.getByRole('button', { name: 'New payment' }).click()
  const form = page.getByRole('dialog', { name: 'New payment' })
  await form.getByRole('textbox', { name: 'Amount' }).fill('25.99')
  await form.getByRole('button', { name: 'Charge €25.99' }).waitFor()
  await form.getByLabel('Description').fill('a lamp')
  await axe(page)
  await screenshot(page, 'payment-form-light')
  await form.getByRole('button', { name: 'Charge €25.99' }).click()
  const drawer = page.getByRole('dialog', { name: 'Payment', exact: true })
  await drawer.getByText('Idempotency key claimed and payment written').waitFor()
  await drawer.getByText('The gateway was asked to charge').waitFor()
  await drawer.getByText(/^The gateway charged it: ch_/).waitFor()
  await drawer.getByText(/webhook said .* the payment is succeeded/).waitFor(patient)
  await axe(page)
  await screenshot(page, 'payment-light')
  await drawer.getByRole('button', { name: 'Refund' }).click()
  await page.getByRole('button', { name: 'Refund €25.99' }).click()
  await page.getByText(/Refund of €25\.99 requested/).waitFor()
  await drawer.getByText(/^The gateway refunds it/).waitFor(patient)
  await drawer.getByText(/the payment is refunded/).waitFor(patient)
  await drawer.getByText('Refunded in full.', { exact: true }).waitFor(patient)
})

test('a webhook that comes while the payment is read is in its story', async () => {
  await dashboard.call('/sim/gateway/webhooks', { body: { delayMs: 3_000 } })
  onTestFinished(async () => {
    await dashboard.call('/sim/gateway/webhooks', { body: {} })
  })
  const id = await pay(1_234)
  const page = await dashboard.open('/payments')
  // Answered when it has succeeded; whatever is asked beside it, before that.
  await page.route(`**/api/v1/payments/${id}`, async (route) => {
    const read = () => dashboard.call(`/api/v1/payments/${id}`)
    await expect.poll(read, patient).toMatchObject({ status: 'succeeded' })
    await route.continue()
  })
  await page.goto(`${dashboard.url}/payments?open=${id}`)
  const drawer = page.getByRole('dialog', { name: 'Payment', exact: true })
  await drawer.getByText(/webhook said .* the payment is succeeded/).waitFor()
})

test('a declined one says so in the form, and in its story', async () => {
  const page = await dashboard.open('/payments', { allowed: [/422/] })
  await page.getByRole('button', { name: 'New payment' }).click()
  const form = page.getByRole('dialog', { name: 'New payment' })
  await form.getByRole('button', { name: /ends in 02/ }).click()
  await form.getByRole('button', { name: 'Charge €10.02' }).click()
  await form.getByRole('alert').getByText('Ask for another way to pay').waitFor()
  await axe(page)
  await screenshot(page, 'payment-declined')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.goto(`${dashboard.url}/payments?status=failed`)
  await page.getByRole('gridcell', { name: 'failed' }).first().click()
  const drawer = page.getByRole('dialog', { name: 'Payment', exact: true })
  await drawer.getByText('The gateway refused').waitFor()
  await drawer.getByText('Nothing was charged: no refund possible.').waitFor()
})

test('payments are listed and filtered by the address', async () => {
  await succeeded(1_999)
  const page = await dashboard.open('/payments')
  const table = page.getByRole('grid', { name: 'Payments' })
  await table.getByRole('gridcell', { name: '€19.99' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'payments-light')
  await page.goto(`${dashboard.url}/payments?status=pending`)
  await page.getByText('Nothing matches the filter').or(table).first().waitFor()
  expect(await table.getByRole('gridcell', { name: 'succeeded' }).count()).toBe(0)
})

test('a part is refunded, a dispute is shown, and both are found by filters', async () => {
  const id = await succeeded(3_100)
  await tell('dispute.opened', {
    ...{ paymentId: id, disputeId: 'dp_lamp', amount: 1_000, currency: 'EUR' },
    ...{ reason: 'fraudulent', evidenceDueAt: '2030-01-02T03:04:05Z' },
  })
  const page = await dashboard.open(`/payments?open=${id}`)
  const drawer = page.getByRole('dialog', { name: 'Payment', exact: true })
  await drawer.getByRole('heading', { name: 'Dispute' }).waitFor()
  await drawer.getByText('fraudulent').waitFor()
  await drawer.getByText('€21.00 of €31.00 left').waitFor()
  await drawer.getByText('€21.00', { exact: true }).waitFor()
  await drawer.getByRole('button', { name: 'Refund' }).click()
  const form = page.getByRole('dialog', { name: 'Refund', exact: true })
  await form.getByText('€21.00 left.').waitFor()
  await form.getByRole('textbox', { name: 'Amount' }).fill('5.00')
  await axe(page)
  await screenshot(page, 'refund-form-light')
  await form.getByRole('button', { name: 'Refund €5.00' }).click()
  await page.getByText(/Refund of €5\.00 requested/).waitFor()
  await drawer.getByText('€16.00 of €31.00 left').waitFor()
  await drawer.getByText('€16.00', { exact: true }).waitFor(patient)
  await drawer.getByRole('heading', { name: 'Refunds' }).waitFor()
  await drawer.getByText('The gateway was asked to refund €5.00').waitFor()
  await axe(page)
  await screenshot(page, 'payment-disputed-light')
  await page.goto(`${dashboard.url}/payments/returns`)
  const disputes = page.getByRole('grid', { name: 'Disputes' })
  await disputes.getByRole('gridcell', { name: 'fraudulent' }).waitFor()
  await axe(page)
  await page.getByRole('tab', { name: 'Refunds' }).click()
  const refunds = page.getByRole('grid', { name: 'Refunds' })
  await refunds.getByRole('gridcell', { name: '€5.00' }).waitFor()
  await axe(page)
  await page.goto(`${dashboard.url}/payments?disputed=true&currency=EUR&least=31.00&most=31`)
  const table = page.getByRole('grid', { name: 'Payments' })
  await table.getByRole('gridcell', { name: '€31.00' }).waitFor()
  await table.getByRole('gridcell', { name: 'opened' }).waitFor()
  await screenshot(page, 'payments-searched-light')
  await page.goto(`${dashboard.url}/alerts?code=PAYMENT_DISPUTED`)
  await page.getByRole('gridcell', { name: 'PAYMENT_DISPUTED' }).click()
  await page.getByRole('link', { name: 'Open', exact: true }).click()
  await drawer.getByRole('heading', { name: 'Dispute' }).waitFor()
})

test('money is held, a part of it is captured, and another hold is voided', async () => {
  const page = await dashboard.open('/payments')
  await page.getByRole('button', { name: 'New payment' }).click()
  const making = page.getByRole('dialog', { name: 'New payment' })
  await making.getByRole('textbox', { name: 'Amount' }).fill('53.00')
  await making.getByRole('switch', { name: 'Authorise now, capture later' }).check()
  await making.getByRole('button', { name: 'Authorise €53.00' }).click()
  const drawer = page.getByRole('dialog', { name: 'Payment', exact: true })
  await drawer.getByText('Waiting for you to capture or void it').waitFor()
  await axe(page)
  await screenshot(page, 'payment-held-light')
  await drawer.getByRole('button', { name: 'Capture' }).click()
  const form = page.getByRole('dialog', { name: 'Capture', exact: true })
  await form.getByRole('textbox', { name: 'Amount' }).fill('40.00')
  await form.getByText('€53.00 authorised.').waitFor()
  await form.getByText('The rest is released and cannot be captured later.').waitFor()
  await axe(page)
  await screenshot(page, 'capture-form-light')
  await form.getByRole('button', { name: 'Capture €40.00' }).click()
  await page.getByText('€40.00 captured.').waitFor()
  await drawer.getByText(/the payment is succeeded/).waitFor(patient)
  await drawer.getByRole('button', { name: 'Refund' }).click()
  await page.getByText('€40.00 left.').waitFor()
  const { id } = (await dashboard.call('/api/v1/payments', {
    body: { amount: 6_100, currency: 'EUR', capture: 'manual' },
    headers: { 'idempotency-key': randomUUID() },
  })) as { id: string }
  await page.goto(`${dashboard.url}/payments?open=${id}`)
  await drawer.getByRole('button', { name: 'Void' }).click()
  await page.getByRole('button', { name: 'Void €61.00' }).click()
  await page.getByText('€61.00 released.').waitFor()
  await drawer.getByText('voided').first().waitFor()
  await screenshot(page, 'payment-voided-light')
})

test('events of the gateway are listed, lead to its payment and back, and is reprocessed', async () => {
  const id = await succeeded(2_760)
  const odd = await tell('payment.refunded', { paymentId: id, amount: 9_999 })
  const page = await dashboard.open(`/payments/events?paymentId=${id}`)
  const table = page.getByRole('grid', { name: 'Gateway events' })
  await table.getByRole('gridcell', { name: 'mismatch' }).waitFor()
  await table.getByRole('gridcell', { name: 'payment.succeeded' }).waitFor()
  await axe(page)
  await screenshot(page, 'payment-events-light')
  await table.getByRole('gridcell', { name: 'mismatch' }).click()
  const event = page.getByRole('dialog', { name: 'Gateway event' })
  await event.getByText(`"id":"${odd}"`).waitFor()
  await event.getByRole('button', { name: 'Reprocess' }).click()
  await page.getByText('Decided again: mismatch.').waitFor()
  await axe(page)
  await screenshot(page, 'payment-event-light')
  await event.getByRole('link', { name: id }).click()
  const payment = page.getByRole('dialog', { name: 'Payment', exact: true })
  await payment
    .getByRole('link', { name: `Event ${odd}` })
    .first()
    .click()
  await event.getByText('Raw event').waitFor()
})

test('payments fit a phone', async () => {
  const id = await succeeded(4_242)
  const page = await dashboard.open('/payments', { size: PHONE })
  await page.getByRole('gridcell', { name: '€42.42' }).waitFor()
  await axe(page)
  await screenshot(page, 'payments-phone')
  await page.goto(`${dashboard.url}/payments?open=${id}`)
  await page.getByRole('button', { name: 'Refund' }).waitFor()
  await screenshot(page, 'payment-phone')
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
  await page.goto(`${dashboard.url}/payments/events?paymentId=${id}`)
  await page.getByRole('gridcell', { name: 'applied' }).click()
  await page.getByRole('heading', { name: 'Raw event' }).waitFor()
  await screenshot(page, 'payment-event-phone')
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
})

test('a member sees the payments of its own organisation only', async () => {
  await pay(7_777, 'acme')
  const foreign = await pay(8_888)
  const page = await dashboard.open('/payments', {
    role: 'member',
    org: 'acme',
    allowed: [/404/],
  })
  await page.getByRole('gridcell', { name: '€77.77' }).waitFor()
  expect(await page.getByRole('gridcell', { name: '€88.88' }).count()).toBe(0)
  await page.goto(`${dashboard.url}/payments?open=${foreign}`)
  await page.getByRole('dialog').getByText(`There is no payment ${foreign}.`).waitFor()
})
