import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outbox } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { mountDashboard } from './mount.ts'

const database = await testDatabase()

test('an application in the manner of Express mounts a handler', async () => {
  const events = outbox('shop.outbox', { order: 'key' })
  const dashboard = await mountDashboard({
    pool: database.pool,
    outboxes: [events],
    path: '/ops',
    authenticate: () => ({ name: 'eve', role: 'operator', org: 'shop' }),
  })
  const server = createServer((request, response) => {
    // What `app.use('/ops', dashboard.handle)` does to a request.
    Object.assign(request, { originalUrl: request.url, url: request.url?.replace(/^\/ops/, '') })
    dashboard.handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await dashboard.close()
  })
  const { port } = server.address() as AddressInfo
  const me = await fetch(`http://127.0.0.1:${port}/ops/api/v1/me`)
  expect(await me.json()).toMatchObject({ sub: 'eve', role: 'operator', org: 'shop' })
  const page = await (await fetch(`http://127.0.0.1:${port}/ops/outboxes`)).text()
  expect(page).toContain('src="/ops/assets/')
  expect(page).toContain('<meta name="base" content="/ops"')
})

test('a path that is none is refused at once', async () => {
  const options = { pool: database.pool, outboxes: [], authenticate: () => undefined }
  await expect(mountDashboard({ ...options, path: 'ops/' })).rejects.toThrow(
    'must be as "/posthorn"',
  )
})
