import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outbox } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { mountDashboard, type MountedDashboard } from './mount.ts'

const database = await testDatabase()

const events = outbox('shop.outbox', { order: 'key' })

async function serve(app: RequestListener): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function openDashboard(): Promise<MountedDashboard> {
  const dashboard = await mountDashboard({
    pool: database.pool,
    outboxes: [events],
    path: '/ops',
    authenticate: () => ({ name: 'eve', role: 'platform', org: 'shop' }),
  })
  onTestFinished(() => dashboard.close())
  return dashboard
}

const pause = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/ops/api/v1/outboxes/shop.outbox/pause`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ reason: 'the bank is closed' }),
  })

test('Express mounts it before what parses bodies: pages, reads and changes', async () => {
  const dashboard = await openDashboard()
  const app = express()
  app.use('/ops', dashboard.handle)
  app.use(express.json())
  app.post('/orders', (request, response) => void response.json(request.body))
  const url = await serve(app)
  const me = await fetch(`${url}/ops/api/v1/me`)
  expect(await me.json()).toMatchObject({ sub: 'eve', role: 'platform', org: 'shop' })
  const page = await (await fetch(`${url}/ops/outboxes`)).text()
  expect(page).toContain('src="/ops/assets/')
  expect(page).toContain('<meta name="base" content="/ops"')
  const paused = await pause(url)
  expect({ status: paused.status, text: await paused.text() }).toMatchObject({ status: 200 })
  const { rows } = await database.pool.query('select outbox, reason from posthorn.pause')
  expect(rows).toEqual([{ outbox: 'shop.outbox', reason: 'the bank is closed' }])
  // Another site's page has the browser send it, with the cookies of the application.
  expect((await pause(url, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const body = JSON.stringify({ item: 'lamp' })
  const headers = { 'content-type': 'application/json' }
  const order = await fetch(`${url}/orders`, { method: 'POST', headers, body })
  expect(await order.json()).toEqual({ item: 'lamp' })
})

test('behind what parses bodies it says so, and still shows', async () => {
  const dashboard = await openDashboard()
  const app = express()
  app.use(express.json())
  app.use('/ops', dashboard.handle)
  const url = await serve(app)
  const refused = await pause(url)
  expect(refused.status).toBe(500)
  expect(await refused.text()).toContain('mount the dashboard before what parses bodies')
  expect((await fetch(`${url}/ops/api/v1/me`)).status).toBe(200)
})

test('a path that is none is refused at once', async () => {
  const options = { pool: database.pool, outboxes: [], authenticate: () => undefined }
  await expect(mountDashboard({ ...options, path: 'ops/' })).rejects.toThrow(
    'must be as "/posthorn"',
  )
})
