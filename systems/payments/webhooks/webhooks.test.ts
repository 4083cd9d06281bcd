import { createHmac } from 'node:crypto'
import { advanceClock, listAlerts } from '@posthorn/operate'
import { verifyWebhook } from '@posthorn/transports/webhook'
import { expect, test } from 'vitest'
import { openReceiver } from '../testing/webhook-receiver.ts'
import { runWebhooks, webhookDatabase } from '../testing/running-webhooks.ts'

const db = await webhookDatabase()
const running = await runWebhooks(db, {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_TIMEOUT_MS: '1200',
})
const { announce, settle } = running

const statuses = new Map<string, number>()
const receiver = await openReceiver((response, { path }) => {
  const status = statuses.get(path) ?? 200
  const headers = status === 429 ? { 'retry-after': '60' } : {}
  if (status === 0) return
  response.writeHead(status, headers).end(`answer of ${path}`)
})

let paths = 0
const newPath = (status = 200) => {
  paths += 1
  statuses.set(`/${paths}`, status)
  return `/${paths}`
}

/** A merchant of its own for each test. */
const merchantWith = async (path: string, more: object = {}) => {
  const org = `org${path}`
  const client = await running.as({ org })
  const endpoint = await client.endpoint(receiver.url + path, more)
  const tell = async (event = {}) => (await announce({ org, ...event }))[0] ?? ''
  return { org, client, endpoint, tell }
}

test('delivers an event, signed both ways, and keeps the exchange', async () => {
  const path = newPath()
  const { client, endpoint, tell } = await merchantWith(path)
  const id = await tell({ id: 'evt_first', data: { b: 1, a: [2] } })
  await settle()
  expect(await client.delivery(id)).toMatchObject({
    status: 'delivered',
    attempts: 0,
    eventId: 'evt_first',
    eventType: 'payment.succeeded',
    endpointId: endpoint.id,
    nextAttemptAt: null,
    error: null,
    deliveredAt: expect.any(String),
  })
  const [hook] = receiver.hooks.filter((each) => each.path === path)
  expect(hook?.text).toMatch(
    /^\{"id":"evt_first","type":"payment.succeeded","createdAt":"[^"]+","data":\{"b":1,"a":\[2\]\}\}$/,
  )
  const plain = createHmac('sha256', endpoint.secret)
    .update(hook?.text ?? '')
    .digest('hex')
  expect(hook?.headers['x-webhook-signature']).toBe(`sha256=${plain}`)
  expect(hook?.headers['webhook-id']).toBe(id)
  const secrets = [endpoint.secret]
  const { headers = {}, text = '' } = hook ?? {}
  expect(verifyWebhook({ headers, body: text, secrets })).toEqual({ ok: true })

  const { body } = await client.get(`/api/v1/webhook-deliveries/${id}/attempts`)
  expect(body.items).toHaveLength(1)
  expect(body.items[0]).toMatchObject({
    attempt: 1,
    request: { method: 'POST', url: receiver.url + path, body: { id: 'evt_first' } },
    response: { status: 200, body: `answer of ${path}`, truncated: false },
    errorClass: null,
    durationMs: expect.any(Number),
  })
  expect(body.items[0].request.headers['webhook-signature']).toMatch(/^v1,/)
  expect(await client.actions(id)).toEqual(['webhook.delivered'])
})

test('one with hundreds of deliveries does not hold up another', async () => {
  const [giant, corner] = [await merchantWith(newPath()), await merchantWith(newPath())]
  for (let i = 0; i < 150; i += 1) await giant.tell()
  const id = await corner.tell()
  await running.relay.runOnce()
  expect(await corner.client.delivery(id)).toMatchObject({ status: 'delivered' })
  await settle()
})

test('attempts start at 0, 2, 6, 14 and 30 s; the fifth failure is the end, with an alert', async () => {
  const path = newPath(500)
  const { org, client, tell } = await merchantWith(path)
  const id = await tell()
  const countHooks = () => receiver.hooks.filter((hook) => hook.path === path).length
  await settle()
  for (const [i, waitMs] of [2_000, 4_000, 8_000, 16_000].entries()) {
    expect(countHooks()).toBe(i + 1)
    expect(await client.delivery(id)).toMatchObject({
      status: 'failed',
      attempts: i + 1,
      errorCode: 'WEBHOOK_STATUS',
      error: 'Endpoint answered 500',
    })
    const { rows } = await db.pool.query<{ ms: string }>(
      `select extract(epoch from next_attempt_at - posthorn.now()) * 1000 as ms
         from payments.webhook_deliveries where id = $1`,
      [id],
    )
    const dueMs = Number(rows[0]?.ms)
    expect(dueMs).toBeLessThanOrEqual(waitMs)
    expect(dueMs).toBeGreaterThan(waitMs - 900)
    await advanceClock(db.pool, `${waitMs - 1_000}ms`)
    await settle()
    expect(countHooks()).toBe(i + 1)
    await advanceClock(db.pool, '1s')
    await settle()
  }
  expect(countHooks()).toBe(5)
  expect(await client.delivery(id)).toMatchObject({ status: 'abandoned', attempts: 5 })
  await advanceClock(db.pool, '1h')
  await settle()
  expect(countHooks()).toBe(5)
  expect(await client.actions(id)).toEqual([
    'webhook.failed',
    ...Array.from({ length: 4 }, () => 'webhook.retry.failed'),
    'webhook.abandoned',
  ])
  const { items: alerts } = await listAlerts(db.pool, { tenant: org })
  expect(alerts).toMatchObject([{ subject: id, code: 'WEBHOOK_STATUS', state: 'open' }])
  const { body: runs } = await client.get('/api/v1/webhook-deliveries/runs')
  expect(runs.items).toHaveLength(4)
  expect(runs.items[0]).toMatchObject({ processed: 1, success: 0, failed: 1 })
  const { body: attempts } = await client.get(`/api/v1/webhook-deliveries/${id}/attempts?limit=2`)
  expect(attempts.items.map((each: { attempt: number }) => each.attempt)).toEqual([5, 4])
  const rest = await client.get(
    `/api/v1/webhook-deliveries/${id}/attempts?cursor=${attempts.nextCursor}`,
  )
  expect(rest.body.items.map((each: { attempt: number }) => each.attempt)).toEqual([3, 2, 1])
  expect(rest.body.nextCursor).toBeNull()

  // Replayed, it begins anew, and its alert is over.
  statuses.set(path, 204)
  expect(await client.send('POST', `/api/v1/webhook-deliveries/${id}/replay`)).toEqual({
    status: 202,
    body: { count: 1 },
  })
  await settle()
  expect(await client.delivery(id)).toMatchObject({ status: 'delivered', attempts: 0 })
  const after = await listAlerts(db.pool, { tenant: org })
  expect(after.items).toMatchObject([{ state: 'recovered' }])
})

test('a retry that goes through says so', async () => {
  const path = newPath(503)
  const { client, tell } = await merchantWith(path)
  const id = await tell()
  await settle()
  statuses.set(path, 200)
  await advanceClock(db.pool, '2s')
  await settle()
  expect(await client.delivery(id)).toMatchObject({ status: 'delivered', attempts: 1, error: null })
  expect(await client.actions(id)).toEqual(['webhook.failed', 'webhook.retry.success'])
  const { body } = await client.get('/api/v1/webhook-deliveries/runs')
  expect(body.items).toMatchObject([{ processed: 1, success: 1, failed: 0 }])
})

test('Retry-After is honoured, and redirects are not', async () => {
  const busy = newPath(429)
  const moved = newPath(301)
  const first = await merchantWith(busy)
  const second = await merchantWith(moved)
  const [slow, gone] = [await first.tell(), await second.tell()]
  await settle()
  const { rows } = await db.pool.query<{ seconds: number }>(
    `select extract(epoch from next_attempt_at - posthorn.now())::int as seconds
       from payments.webhook_deliveries where id = $1`,
    [slow],
  )
  expect(rows[0]?.seconds).toBeGreaterThan(55)
  expect(await second.client.delivery(gone)).toMatchObject({
    status: 'failed',
    errorCode: 'WEBHOOK_REDIRECT',
  })
})

test('410 disables the endpoint; what came after is skipped, and replayed on request', async () => {
  const path = newPath(410)
  const { org, client, endpoint, tell } = await merchantWith(path)
  const id = await tell()
  await settle()
  expect(await client.delivery(id)).toMatchObject({
    status: 'abandoned',
    errorCode: 'WEBHOOK_GONE',
  })
  const address = `/api/v1/webhook-endpoints/${endpoint.id}`
  expect((await client.get(address)).body).toMatchObject({
    status: 'disabled',
    disabledReason: 'Endpoint answered 410',
  })
  const later = await tell()
  expect(await client.delivery(later)).toMatchObject({ status: 'skipped_disabled' })
  await settle()
  expect(receiver.bodies(path)).toHaveLength(1)
  const codes = (await listAlerts(db.pool, { tenant: org })).items.map(({ code }) => code)
  expect(codes).toEqual(['WEBHOOK_GONE', 'WEBHOOK_GONE'])

  const since = new Date(Date.now() - 3_600_000).toISOString()
  const dry = await client.send('POST', `${address}/replay`, { since, dryRun: true })
  expect(dry).toEqual({ status: 200, body: { count: 2, dryRun: true, more: false } })
  expect(await client.send('POST', `${address}/replay`, { since })).toMatchObject({
    status: 409,
    body: { code: 'ENDPOINT_DISABLED' },
  })
  expect((await client.send('POST', `${address}/enable`)).body).toMatchObject({ status: 'enabled' })
  statuses.set(path, 200)
  expect(await client.send('POST', `${address}/replay`, { since })).toEqual({
    status: 202,
    body: { count: 2, dryRun: false, more: false },
  })
  await settle()
  for (const each of [id, later]) {
    expect(await client.delivery(each)).toMatchObject({ status: 'delivered' })
  }
  const open = await listAlerts(db.pool, { tenant: org, state: 'open' })
  expect(open.items).toEqual([])
})

test('an endpoint that hangs does not hold up another, and its timeout counts', async () => {
  const hanging = newPath(0)
  const healthy = newPath()
  const { org, client, endpoint } = await merchantWith(hanging)
  const other = await client.endpoint(receiver.url + healthy)
  const ids = await announce({ org })
  const of = async (endpointId: string) => {
    const all = await Promise.all(ids.map((id) => client.delivery(id)))
    return all.find((each) => each['endpointId'] === endpointId)
  }
  const round = running.relay.runOnce()
  await expect.poll(async () => (await of(other.id))?.['status']).toBe('delivered')
  const pending = await of(endpoint.id)
  expect(pending).toMatchObject({ status: 'pending', attempts: 0, errorCode: null })
  const attempts = `/api/v1/webhook-deliveries/${String(pending?.['id'])}/attempts`
  await round
  expect((await of(endpoint.id))?.['status']).toBe('failed')
  expect(receiver.bodies(hanging)).toHaveLength(1)
  expect(await of(endpoint.id)).toMatchObject({ attempts: 1, errorCode: 'WEBHOOK_TIMEOUT' })
  const { body } = await client.get(attempts)
  expect(body.items).toMatchObject([{ attempt: 1, errorClass: 'timeout', response: null }])
  expect(body.items[0].durationMs).toBeGreaterThanOrEqual(1_200)
  expect(await client.actions(String(pending?.['id']))).toEqual(['webhook.failed'])
})

test('events of one key arrive in order where the endpoint wants it', async () => {
  const path = newPath(500)
  const { client, tell } = await merchantWith(path, { ordered: true })
  const first = await tell({ id: 'o1', key: 'pay_1' })
  const others = [await tell({ id: 'o2', key: 'pay_1' }), await tell({ id: 'o3', key: 'pay_1' })]
  const free = await tell({ id: 'p1', key: 'pay_2' })
  await settle()
  expect(new Set(receiver.bodies(path).map(({ id }) => id))).toEqual(new Set(['o1', 'p1']))
  expect(await client.delivery(first)).toMatchObject({ status: 'failed' })
  expect(await client.delivery(free)).toMatchObject({ status: 'failed' })
  for (const each of others) {
    expect(await client.delivery(each)).toMatchObject({ status: 'pending', attempts: 0 })
  }
  statuses.set(path, 200)
  await advanceClock(db.pool, '10s')
  await settle()
  const arrived = receiver.bodies(path).map(({ id }) => id)
  expect(arrived.filter((id) => id.startsWith('o'))).toEqual(['o1', 'o1', 'o2', 'o3'])
  for (const each of [first, ...others, free]) {
    expect(await client.delivery(each)).toMatchObject({ status: 'delivered' })
  }
})

test('the simulated merchant needs no opened network, and knows the signatures', async () => {
  const client = await running.as({ org: 'sim' })
  await client.endpoint(`${running.url}/sim/merchant/hooks`)
  const [id = ''] = await announce({ org: 'sim' })
  await settle()
  expect(await client.delivery(id)).toMatchObject({ status: 'delivered' })
  const { body } = await client.get('/sim/merchant/requests')
  expect(body.items).toMatchObject([{ verified: true, outcome: 'ok', path: '/sim/merchant/hooks' }])
  await client.send('DELETE', '/sim/merchant')
  await client.send('POST', '/sim/merchant/faults', { mode: 'error', status: 500, times: 1 })
  await announce({ org: 'sim' })
  await settle()
  await advanceClock(db.pool, '2s')
  await settle()
  const again = await client.get('/sim/merchant/requests')
  expect(again.body.items.map((each: { verified: boolean }) => each.verified)).toEqual([true, true])
})
