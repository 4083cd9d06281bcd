import { afterAll, expect, test } from 'vitest'
import { openShop } from '../../../examples/mounted/app.ts'
import { axe, openPages, screenshot } from './harness/index.ts'

const { database, open } = await openPages()
const shop = await openShop(database.url)
afterAll(() => shop.close())
const url = await shop.listen({ port: 0, host: '127.0.0.1' })
const BELOW = '/admin/posthorn'

interface Asked {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** As a user whom the shop knows. */
function call(path: string, { headers = {}, ...asked }: Asked = {}): Promise<Response> {
  return fetch(`${url}${BELOW}${path}`, {
    ...asked,
    headers: { cookie: 'shop-user=ada', ...headers },
  })
}

test('the dashboard below a path of another application, for those whom it knows', async () => {
  await fetch(`${url}/orders`, { method: 'POST' })
  const page = await open(`${url}${BELOW}`, [{ name: 'shop-user', value: 'ada', url }])
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  expect(await pages.allTextContents()).toEqual([
    ...['Overview', 'Outboxes', 'Messages', 'Alerts', 'Audit'],
  ])
  await axe(page)
  await screenshot(page, 'mounted-light')
  await page.getByRole('link', { name: 'Outboxes' }).click()
  await page.getByRole('link', { name: 'shop.outbox' }).first().click()
  await expect.poll(() => page.url()).toBe(`${url}${BELOW}/outboxes/shop.outbox`)
  await page.getByRole('heading', { name: 'shop.outbox' }).waitFor()
  // As a bookmark has it.
  await page.goto(`${url}${BELOW}/messages`)
  await page.getByRole('gridcell', { name: 'order.placed' }).first().waitFor()
})

test('strangers are refused, other sites too, and the audit has the application’s own name', async () => {
  expect((await fetch(`${url}${BELOW}/api/v1/overview`)).status).toBe(401)
  expect((await fetch(`${url}${BELOW}`)).status).toBe(401)
  const forged = await fetch(`${url}${BELOW}/api/v1/overview`, {
    headers: { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' },
  })
  expect(forged.status).toBe(401)
  const pause = '/api/v1/outboxes/shop.outbox/pause'
  const reason = JSON.stringify({ reason: 'stocktaking' })
  const type = { 'content-type': 'application/json' }
  const foreign = { ...type, 'sec-fetch-site': 'cross-site' }
  expect((await call(pause, { method: 'POST', body: reason, headers: foreign })).status).toBe(403)
  const other = { ...type, origin: 'https://elsewhere.example' }
  expect((await call(pause, { method: 'POST', body: reason, headers: other })).status).toBe(403)
  const own = { ...type, origin: url }
  expect((await call(pause, { method: 'POST', body: reason, headers: own })).status).toBe(200)
  expect((await call('/api/v1/outboxes/shop.outbox/resume', { method: 'POST' })).status).toBe(200)
  const audit = await call('/api/v1/audit?kind=operation&search=stocktaking')
  expect(await audit.json()).toMatchObject({ items: [{ actor: 'ada', operation: 'pause' }] })
})
