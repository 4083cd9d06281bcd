import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

/** Another site, on an origin of its own, that embeds the portal. */
let portal = ''
const host = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><title>A shop</title><h1>Your shop</h1>
    <script>
      window.heard = []
      addEventListener('message', ({ data, origin }) => window.heard.push({ ...data, origin }))
    </script>
    <iframe title="Webhooks" src="${portal}" width="100%" height="700"></iframe></html>`)
})
host.listen(0, '127.0.0.1')
await once(host, 'listening')
afterAll(() => void host.close())
const hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`

const dashboard = await openDashboard({
  systems: [payments],
  env: { PORTAL_FRAME_ANCESTORS: hostUrl, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
})
const merchant = `${dashboard.url}/sim/merchant/hooks/shop`

async function portalFor(body: object): Promise<void> {
  const made = (await dashboard.call('/api/v1/portal-tokens', { body, org: 'shop' })) as {
    url: string
  }
  portal = made.url
}

test('a merchant manages webhooks in a frame of another site', async () => {
  await portalFor({ user: 'keeper' })
  const page = await dashboard.open('/portal', { login: 'none' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(hostUrl)
  const frame = page.frameLocator('iframe')
  await frame.getByText('No endpoints yet').waitFor()
  await frame.getByRole('button', { name: 'New endpoint' }).click()
  await frame.getByLabel('Address').fill(merchant)
  await frame.getByRole('button', { name: 'Create endpoint' }).click()
  await frame.getByText(/^whsec_/).waitFor()
  await frame.getByRole('button', { name: 'I have saved it' }).click()
  await frame.getByRole('gridcell', { name: /merchant\/hooks\/shop/ }).click()
  await frame.getByRole('button', { name: 'Ping' }).click()
  await frame.getByRole('dialog', { name: 'Delivery' }).getByText('webhook.ping').first().waitFor()
  await screenshot(page, 'portal-light')
  await axe(page)
  // Behind the #, the token went to no server; what the portal says to its host is no secret.
  expect(asked.some((url) => url.includes('portal_'))).toBe(false)
  const heard = (await page.evaluate('window.heard')) as { type: string; origin: string }[]
  expect(heard.find(({ type }) => type === 'height')).toMatchObject({ origin: dashboard.url })
  expect(JSON.stringify(heard)).not.toContain('portal_')
  expect(dashboard.url).not.toBe(hostUrl)
})

test('a customer reads why a delivery failed, in plain words', async () => {
  const body = { url: `${dashboard.url}/nowhere`, eventTypes: ['*'] }
  const made = await dashboard.call('/api/v1/webhook-endpoints', { org: 'shop', body })
  const ping = `/api/v1/webhook-endpoints/${(made as { id: string }).id}/ping`
  await dashboard.call(ping, { org: 'shop', method: 'POST' })
  await portalFor({ user: 'keeper' })
  const page = await dashboard.open('/portal', { login: 'none' })
  await page.goto(hostUrl)
  const frame = page.frameLocator('iframe')
  await frame.getByRole('gridcell', { name: /nowhere/ }).click()
  expect(await (await fetch(`${dashboard.url}/portal`)).text()).toContain('rel="stylesheet"')
  await frame.getByText(/answered with a status other than 2xx/).waitFor()
  await frame.getByRole('link', { name: 'Open delivery' }).click()
  await frame
    .getByText(/answered 40[45]/)
    .first()
    .waitFor()
  expect(await frame.locator('body').innerText()).not.toMatch(/WEBHOOK_|Retry runs/)
  await screenshot(page, 'portal-failed')
})

test('one that may only look sees why no button works, and an old token says so', async () => {
  await portalFor({ readOnly: true })
  const page = await dashboard.open('/portal', {
    login: 'none',
    allowed: [/401/],
    theme: 'dark',
    size: { width: 390, height: 780 },
  })
  await page.goto(hostUrl)
  const frame = page.frameLocator('iframe')
  await frame.getByRole('gridcell', { name: /merchant\/hooks\/shop/ }).click()
  await frame.getByText('Last 7 days').waitFor()
  const buttons = frame.getByRole('button', { name: /^(Ping|Edit|Delete|New endpoint)$/ })
  for (const button of await buttons.all()) {
    expect(await button.getAttribute('aria-description')).toBe('This page is for reading only.')
  }
  await screenshot(page, 'portal-phone-dark')
  portal = `${dashboard.url}/portal#token=portal_s1.rubbish`
  await page.goto(hostUrl)
  await frame.getByText('This view has expired').waitFor()
})
