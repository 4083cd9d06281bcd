import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({
  systems: [payments],
  env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
})
const patient = { timeout: 30_000 }
const PHONE = { width: 390, height: 780 }
const merchant = `${dashboard.url}/sim/merchant/hooks`

interface Made {
  readonly id: string
}

/** Organisations of their own, so that tests do not meet. */
const newOrg = () => `org-${randomUUID().slice(0, 8)}`

async function endpoint(org: string, url = merchant): Promise<string> {
  const body = { url, eventTypes: ['*'] }
  const { id } = (await dashboard.call('/api/v1/webhook-endpoints', { org, body })) as Made
  return id
}

async function ping(org: string, id: string): Promise<string> {
  const path = `/api/v1/webhook-endpoints/${id}/ping`
  const { deliveryId } = (await dashboard.call(path, { org, method: 'POST' })) as {
    deliveryId: string
  }
  return deliveryId
}

/** Waits for a state of a delivery; retries are made due at once. */
async function becomes(org: string, id: string, status: string): Promise<void> {
  const read = async () => {
    await dashboard.call('/sim/clock/advance', { body: { by: '1m' } })
    return dashboard.call(`/api/v1/webhook-deliveries/${id}`, { org })
  }
  await expect.poll(read, { ...patient, interval: 300 }).toMatchObject({ status })
}

async function pay(org: string): Promise<void> {
  await dashboard.call('/api/v1/payments', {
    org,
    body: { amount: 1_999, currency: 'EUR' },
    headers: { 'idempotency-key': randomUUID() },
  })
}

const drawerOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

test('an endpoint is made, with its secret shown once', async () => {
  const page = await dashboard.open('/webhooks', { org: newOrg(), allowed: [/400/] })
  await page.getByText('No endpoints yet').waitFor()
  await page.getByRole('button', { name: 'New endpoint' }).click()
  await page.getByLabel('Address').fill('http://10.0.0.1/private')
  await axe(page)
  await screenshot(page, 'endpoint-form-light')
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  await page.getByRole('dialog').getByText('URL_NOT_ALLOWED').waitFor()
  await page.getByLabel('Address').fill(merchant)
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await axe(page)
  await screenshot(page, 'endpoint-secret-light')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('gridcell', { name: /sim\/merchant\/hooks/ }).waitFor()
  expect(await page.getByText(/^whsec_/).count()).toBe(0)
  await page.getByRole('gridcell', { name: /sim\/merchant\/hooks/ }).click()
  await drawerOf(page, 'Endpoint').getByText('Replay missed deliveries').waitFor()
  await axe(page)
  await screenshot(page, 'endpoint-light')
})

test('settings and a filter are set, tried and shown, and a key pair signs', async () => {
  const page = await dashboard.open('/webhooks', { org: newOrg() })
  await page.getByRole('button', { name: 'New endpoint' }).click()
  await page.getByLabel('Address').fill(merchant)
  await page.getByRole('button', { name: 'More settings' }).click()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel('Value', { exact: true }).fill('1000000')
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.getByText('This sample is not sent.').waitFor()
  await page.getByLabel('Rate', { exact: true }).fill('5')
  await page.getByRole('combobox', { name: 'Signature' }).click()
  await page.getByRole('option', { name: /Asymmetric/ }).click()
  await axe(page)
  await screenshot(page, 'endpoint-settings-light')
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  await page.getByText(/^whpk_/).waitFor()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('gridcell', { name: /sim\/merchant\/hooks/ }).click()
  const drawer = drawerOf(page, 'Endpoint')
  await drawer.getByText('/data/amount is at least 1000000').waitFor()
  await drawer.getByText('5 requests a second').waitFor()
  await axe(page)
  await screenshot(page, 'endpoint-settings-shown')
})

test('a failed webhook is found, understood, mended and replayed', async () => {
  const org = newOrg()
  await endpoint(org, `${dashboard.url}/nowhere`)
  await pay(org)
  const newest = async () => {
    const list = (await dashboard.call('/api/v1/webhook-deliveries', { org })) as { items: Made[] }
    return list.items[0]?.id
  }
  await expect.poll(newest, patient).toBeTruthy()
  await becomes(org, (await newest()) ?? '', 'abandoned')

  // Found: the endpoint is marked, its last failure leads to the delivery.
  const page = await dashboard.open('/webhooks', { org })
  await page.getByRole('row', { name: /failing .*nowhere/ }).waitFor()
  await axe(page)
  await screenshot(page, 'endpoints-failing')
  await page.getByRole('gridcell', { name: /nowhere/ }).click()
  await drawerOf(page, 'Endpoint').getByText('WEBHOOK_STATUS').waitFor()
  await drawerOf(page, 'Endpoint').getByRole('link', { name: 'Open delivery' }).click()

  // Understood: the answer of the attempt, in plain words.
  const delivery = drawerOf(page, 'Delivery')
  await delivery
    .getByText(/answered with a status other than 2xx/)
    .first()
    .waitFor()
  await delivery
    .getByText(/answered 40[45]/)
    .first()
    .waitFor()
  await axe(page)
  await screenshot(page, 'delivery-failed')

  // Mended: its address is corrected.
  await delivery.getByRole('link', { name: 'edit the endpoint' }).click()
  await drawerOf(page, 'Endpoint').getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit endpoint' })
  await form.getByLabel('Address').fill(merchant)
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Endpoint saved.').waitFor()

  // Replayed: and it arrives.
  await drawerOf(page, 'Endpoint').getByRole('link', { name: 'Open delivery' }).click()
  await delivery.getByRole('button', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByText('1 delivery replayed.').waitFor()
  await delivery.getByText('answered 200').first().waitFor(patient)
  await delivery.getByText('delivered', { exact: true }).first().waitFor()
  await screenshot(page, 'delivery-replayed')
})

test('deliveries are listed, filtered and replayed together', async () => {
  const org = newOrg()
  const id = await endpoint(org)
  for (const each of [await ping(org, id), await ping(org, id)])
    await becomes(org, each, 'delivered')
  const page = await dashboard.open(`/webhooks/deliveries?endpointId=${id}`, { org })
  const table = page.getByRole('grid', { name: 'Deliveries' })
  await table
    .getByRole('row', { name: /delivered webhook\.ping/ })
    .nth(1)
    .waitFor()
  await axe(page)
  await screenshot(page, 'deliveries-light')
  await table.getByRole('checkbox', { name: 'Select all rows shown' }).check()
  await page.getByRole('button', { name: 'Replay 2 selected' }).click()
  await page.getByRole('button', { name: 'Replay 2', exact: true }).click()
  await page.getByText('2 deliveries replayed.').waitFor()
  await page.getByRole('button', { name: 'Only abandoned' }).click()
  await page.getByText('Nothing matches the filter').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByLabel('Event type').fill('payment.succeeded')
  await page.getByText('Nothing matches the filter').waitFor()
})

test('a browser that believes itself offline asks the server all the same', async () => {
  const org = newOrg()
  const id = await endpoint(org)
  const page = await dashboard.open(`/webhooks?open=${id}`, { org })
  const newSecret = drawerOf(page, 'Endpoint').getByRole('button', { name: 'New secret' })
  await newSecret.waitFor()
  await page.evaluate('window.dispatchEvent(new Event("offline"))')
  await newSecret.click()
  await page.getByRole('button', { name: 'Create secret' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('button', { name: 'I have saved it' }).click()
})

test('an endpoint is pinged, stopped, let go on and renewed', async () => {
  const org = newOrg()
  const id = await endpoint(org)
  const page = await dashboard.open(`/webhooks?open=${id}`, { org })
  const drawer = drawerOf(page, 'Endpoint')
  await drawer.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('button', { name: 'Create secret' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await drawer.getByRole('button', { name: 'Disable' }).click()
  await page.getByLabel('Reason').fill('they move')
  await page.getByRole('button', { name: 'Disable endpoint' }).click()
  await drawer.getByText(/disabled by dev: they move/).waitFor()
  await screenshot(page, 'endpoint-disabled')
  // What happens meanwhile is missed.
  await pay(org)
  const skipped = async () => {
    const path = '/api/v1/webhook-deliveries?status=skipped_disabled'
    return ((await dashboard.call(path, { org })) as { items: Made[] }).items.length
  }
  await expect.poll(skipped, patient).toBeGreaterThan(0)
  await drawer.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Enable endpoint' }).click()
  await page.getByText('Endpoint enabled.').waitFor()
  await drawer.getByRole('button', { name: 'Count' }).click()
  await page.getByRole('button', { name: /^Replay \d+$/ }).click()
  await page.getByText(/missed deliver(y|ies) replayed/).waitFor()
  await drawer.getByRole('button', { name: 'Ping' }).click()
  const delivery = drawerOf(page, 'Delivery')
  await delivery.getByText('webhook.ping').first().waitFor()
  await delivery.getByText('answered 200').first().waitFor(patient)
})

test('an endpoint is forgotten, and its deliveries stay', async () => {
  const org = newOrg()
  const id = await endpoint(org)
  await becomes(org, await ping(org, id), 'delivered')
  const page = await dashboard.open(`/webhooks?open=${id}`, { org })
  await drawerOf(page, 'Endpoint').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete endpoint' }).click()
  await page.getByText('No endpoints yet').waitFor()
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await page.getByRole('row', { name: /delivered webhook\.ping deleted/ }).waitFor()
})

test('runs of retries are listed', async () => {
  const org = newOrg()
  const id = await endpoint(org, `${dashboard.url}/nowhere`)
  await becomes(org, await ping(org, id), 'abandoned')
  const page = await dashboard.open('/webhooks/runs', { org })
  await page.getByRole('grid', { name: 'Retries' }).getByRole('row').nth(1).waitFor()
  await axe(page)
  await screenshot(page, 'webhook-runs')
})

test('webhooks fit a phone', async () => {
  const org = newOrg()
  const id = await endpoint(org)
  const delivery = await ping(org, id)
  await becomes(org, delivery, 'delivered')
  const page = await dashboard.open('/webhooks', { org, size: PHONE })
  await page.getByRole('gridcell', { name: /sim\/merchant/ }).waitFor()
  await axe(page)
  await screenshot(page, 'webhooks-phone')
  await page.goto(`${dashboard.url}/webhooks/deliveries?open=${delivery}`)
  await drawerOf(page, 'Delivery').getByText('answered 200').first().waitFor()
  await axe(page)
  await screenshot(page, 'delivery-phone')
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
})

test('a member sees its own endpoints only', async () => {
  const [mine, theirs] = [newOrg(), newOrg()]
  await endpoint(mine)
  const foreign = await endpoint(theirs, `${merchant}/theirs`)
  const page = await dashboard.open('/webhooks', { role: 'member', org: mine, allowed: [/404/] })
  await page.getByRole('gridcell', { name: /sim\/merchant\/hooks$/ }).waitFor()
  expect(await page.getByRole('gridcell', { name: /theirs/ }).count()).toBe(0)
  await page.goto(`${dashboard.url}/webhooks?open=${foreign}`)
  await page.getByRole('dialog').getByText('there is no such endpoint').waitFor()
})
