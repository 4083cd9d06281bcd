import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testDatabase } from '@posthorn/engine/testing'
import { testServer } from '@posthorn/server/testing'
import { afterAll, expect, test } from 'vitest'
import { incidents } from './index.ts'

const database = await testDatabase()
const { pool } = database
const server = await testServer(database, {
  systems: [incidents],
  env: { NOTICES_ALLOW_CIDRS: '127.0.0.0/8' },
})
const soon = { timeout: 40_000 }

/** Plays Slack and PagerDuty. */
const received: { path: string; body: Record<string, unknown> }[] = []
const receiver = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    received.push({
      path: request.url ?? '',
      body: JSON.parse(text) as Record<string, unknown>,
    })
    response.statusCode = 202
    response.end('ok')
  })
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

type Item = Record<string, unknown> & { id: string }
const listOf = async (path: string, token?: string) => {
  const { body } = await server.call(path, { ...(token && { token }) })
  return body['items'] as Item[]
}

async function raise(count: number, { code = 'HTTP_503', tenant = null as string | null } = {}) {
  await pool.query(
    `insert into posthorn.alert (source, subject, tenant, code, detail)
     select 'shop.orders', 'm' || n, $2, $3, 'answered 503: closed <for> lunch' from generate_series(1, $1::int) as n`,
    [count, tenant, code],
  )
}

test('alerts of one cause are one incident, which channels hear of once and until it is over', async () => {
  const slack = { kind: 'slack', name: 'ops', url: `${url}/slack/secret-path` }
  const pager = { kind: 'pagerduty', name: 'duty', url: `${url}/pd`, routingKey: 'rk-secret-1234' }
  const made = await server.call('/api/v1/notice-channels', { body: slack })
  expect(made).toMatchObject({ status: 201, body: { name: 'ops', tenant: null } })
  expect((await server.call('/api/v1/notice-channels', { body: pager })).status).toBe(201)
  expect((await server.call('/api/v1/notice-channels', { body: slack })).status).toBe(409)
  expect(JSON.stringify(await listOf('/api/v1/notice-channels'))).not.toContain('secret')
  const { rows: stored } = await pool.query('select * from incidents.channel')
  expect(JSON.stringify(stored)).not.toMatch(/secret-path|rk-secret/)

  await raise(67)
  await raise(2, { tenant: 'acme', code: 'NO_STOCK' })
  const open = () => listOf('/api/v1/incidents?state=open')
  await expect.poll(async () => (await open()).length, soon).toBe(2)
  const [first] = (await open()).filter(({ code }) => code === 'HTTP_503')
  expect(first).toMatchObject({ standing: 67, lastHour: 67, trend: 'rising', owner: null })
  // An operator of an organisation sees its own alone, and changes no other.
  const acme = await server.tokenFor({ org: 'acme', role: 'operator' })
  expect(await listOf('/api/v1/incidents', acme)).toMatchObject([{ code: 'NO_STOCK' }])
  expect(await listOf('/api/v1/notice-channels', acme)).toEqual([])
  const path = `/api/v1/incidents/${first?.id}`
  expect((await server.call(`${path}/assign`, { body: { owner: 'x' }, token: acme })).status).toBe(
    404,
  )

  await expect
    .poll(
      () => received.filter(({ body }) => JSON.stringify(body).includes('HTTP_503')).length,
      soon,
    )
    .toBe(2)
  const [slacked] = received.filter(({ path: at }) => at === '/slack/secret-path')
  expect(slacked?.body['text']).toContain('&lt;for&gt; lunch')
  const triggered = received.find(
    ({ path: at, body }) => at === '/pd' && JSON.stringify(body).includes('HTTP_503'),
  )
  expect(triggered?.body).toMatchObject({
    routing_key: 'rk-secret-1234',
    event_action: 'trigger',
    dedup_key: `posthorn/${first?.id}`,
    payload: { source: 'shop.orders', severity: 'error' },
  })

  await server.call(`${path}/assign`, { body: { owner: 'ada' } })
  await server.call(`${path}/acknowledge`, { method: 'POST' })
  const snoozed = await server.call(`${path}/snooze`, { body: { minutes: 30 } })
  expect(snoozed.body).toMatchObject({ state: 'snoozed', owner: 'ada', acknowledgedBy: 'root' })
  const { rows: seen } = await pool.query(
    `select count(*)::int as n from posthorn.alert where acknowledged_by = 'root'`,
  )
  expect(seen).toEqual([{ n: 67 }])

  await pool.query(`update posthorn.alert set recovered_at = now() where code = 'HTTP_503'`)
  const resolved = () =>
    received.filter(({ body }) => body['event_action'] === 'resolve').map(({ body }) => body)
  await expect.poll(resolved, soon).toMatchObject([{ dedup_key: `posthorn/${first?.id}` }])
  expect(await listOf('/api/v1/incidents?state=closed')).toMatchObject([{ id: first?.id }])

  // What comes back is not acknowledged, and the channels that heard of its end hear of it.
  const triggers = () =>
    received.filter(
      ({ body }) =>
        body['event_action'] === 'trigger' && body['dedup_key'] === `posthorn/${first?.id}`,
    ).length
  expect(triggers()).toBe(1)
  await raise(1)
  await expect.poll(triggers, soon).toBe(2)
  expect((await open()).find(({ id }) => id === first?.id)).toMatchObject({
    ...{ state: 'open', standing: 1, acknowledgedBy: null, acknowledgedAt: null },
  })
})

test('a channel is tested, and may not lead into the network behind the server', async () => {
  const [channel] = await listOf('/api/v1/notice-channels')
  const tested = await server.call(`/api/v1/notice-channels/${channel?.id}/test`, {
    method: 'POST',
  })
  expect(tested.status).toBe(202)
  const last = async () => {
    const found = (await listOf('/api/v1/notice-channels')).find(({ id }) => id === channel?.id)
    return (found?.['lastNotice'] as { status: string } | null)?.status
  }
  await expect.poll(last, soon).toBe('delivered')
  const inside = { kind: 'slack', name: 'inside', url: 'http://169.254.169.254/latest' }
  expect((await server.call('/api/v1/notice-channels', { body: inside })).status).toBe(400)
  const nowhere = { kind: 'slack', name: 'nowhere', url: 'https://' }
  const refused = await server.call('/api/v1/notice-channels', { body: nowhere })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ reason: 'is not a URL' }] } })
  const gone = await server.call(`/api/v1/notice-channels/${channel?.id}`, { method: 'DELETE' })
  expect(gone.status).toBe(204)
})
