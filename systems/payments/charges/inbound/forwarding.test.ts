import { createRelay, uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import { Value } from 'typebox/value'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startChild } from '../../testing/child.ts'
import { webhookOutboxes } from '../../testing/serving.ts'
import { findEventType, schemaOf } from '../../webhooks/event-types/catalogue.ts'
import { paymentsDatabase, runPayments, signatureOf, type Client } from '../../testing/running.ts'

const db = await paymentsDatabase()
const running = await runPayments(db)
const relay = createRelay({
  pool: db.pool,
  outboxes: webhookOutboxes(running.system),
  transports: running.system.transports ?? {},
  mode: 'poll',
})
afterAll(() => relay.stop())
const ada = await running.as({})
const eve = await running.as({ org: 'other' })
await running.gateway('webhooks', { copies: 0 })

async function subscribe(client: Client, path: string, eventTypes: string[]): Promise<void> {
  const url = `${running.url}/sim/merchant/hooks/${path}`
  const { status } = await client.send('/api/v1/webhook-endpoints', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, eventTypes }),
  })
  expect(status).toBe(201)
}
await subscribe(ada, 'everything', ['*'])
await subscribe(ada, 'refunds', ['payment.refunded'])
await subscribe(eve, 'elsewhere', ['*'])

interface Hook {
  readonly path: string
  readonly verified: boolean
  readonly headers: Record<string, string>
  readonly body: { id: string; type: string }
}

/** What merchants were sent, oldest first. */
async function listDelivered(): Promise<Hook[]> {
  for (let i = 0; i < 50 && (await relay.runOnce()) > 0; i += 1);
  const response = await fetch(`${running.url}/sim/merchant/requests`)
  return ((await response.json()) as { items: Hook[] }).items.toReversed()
}

beforeEach(async () => {
  await listDelivered()
  await fetch(`${running.url}/sim/merchant`, { method: 'DELETE' })
})

async function eventAbout(client: Client, type: string) {
  const { body } = await client.pay(uuid())
  const data = { paymentId: String(body['id']), status: type.replace('payment.', '') }
  return { id: `evt_${uuid()}`, type, createdAt: '2026-01-02T03:04:05.000Z', data }
}

test('an event goes to the endpoints of its organisation that want it, signed, once', async () => {
  const event = await eventAbout(ada, 'payment.succeeded')
  await Promise.all([running.event(event), running.event(event)])
  const hooks = await listDelivered()
  expect(hooks).toMatchObject([
    { path: '/sim/merchant/hooks/everything', verified: true, body: event },
  ])
  expect(hooks[0]?.body).toEqual(event)
})

test('unknown types are forwarded, and what names no payment is not', async () => {
  const event = await eventAbout(eve, 'payment.disputed')
  await running.event(event)
  await running.event({ ...event, id: `evt_${uuid()}`, data: { paymentId: uuid() } })
  expect(await listDelivered()).toMatchObject([
    { path: '/sim/merchant/hooks/elsewhere', body: { id: event.id, type: 'payment.disputed' } },
  ])
})

test('an event is forwarded as it came: numbers, spaces, fields of any name', async () => {
  const { id, data } = await eventAbout(ada, 'payment.noticed')
  const text = `{ "more" : 1.0,"id":"${id}", "type":"payment.noticed",\n"data":{"paymentId":"${data.paymentId}","n":12345678901234567890.10} }`
  await running.event(text)
  const { rows } = await db.pool.query<{ body: string }>(
    'select body from payments.webhook_deliveries where event_id = $1',
    [id],
  )
  expect(rows).toEqual([{ body: text }])
  const [hook] = await listDelivered()
  expect(hook).toMatchObject({ verified: true, headers: { 'content-length': String(text.length) } })
})

test('a merchant gets one event for each state, and none that contradicts it', async () => {
  const event = await eventAbout(ada, 'payment.succeeded')
  const eventOf = (type: string) => ({ ...event, id: `evt_${uuid()}`, type })
  await running.event(event)
  await running.event(eventOf('payment.succeeded'))
  await running.event(eventOf('payment.failed'))
  await running.event({
    ...eventOf('payment.refunded'),
    data: { ...event.data, amount: 1_000, currency: 'USD' },
  })
  expect(await listDelivered()).toMatchObject([{ body: { id: event.id } }])
})

test('a refund that was early is forwarded after the success it waited for', async () => {
  const success = await eventAbout(eve, 'payment.succeeded')
  const refund = { ...success, id: `evt_${uuid()}`, type: 'payment.refunded' }
  await running.event(refund)
  expect(await listDelivered()).toEqual([])
  await running.event(success)
  const { rows } = await db.pool.query<{ event_id: string }>(
    'select event_id from payments.webhook_deliveries where event_id = any($1) order by position',
    [[success.id, refund.id]],
  )
  expect(rows).toEqual([{ event_id: success.id }, { event_id: refund.id }])
})

test.each([
  ['declined', { amount: 1_002, currency: 'EUR' }],
  ['refused by a broken gateway, without a charge', { amount: 1_050, currency: 'EUR' }],
])('a payment that is %s tells its merchant, once', async (name, order) => {
  const { status, body } = await ada.pay(name, order)
  expect(status).toBe(422)
  const paymentId = String(body['paymentId'])
  const data = { paymentId, status: 'failed', ...order }
  expect(await listDelivered()).toMatchObject([{ body: { type: 'payment.failed', data } }])
  // What the gateway says of it afterwards is no news.
  await running.event({ id: `evt_${uuid()}`, type: 'payment.failed', data })
  expect(await listDelivered()).toMatchObject([{ body: { type: 'payment.failed', data } }])
})

test('killed after the event was taken, before anything was delivered: it is delivered', async () => {
  const child = await startChild(db.url, { GATEWAY_URL: `${running.url}/sim/gateway` })
  const event = await eventAbout(ada, 'payment.succeeded')
  const body = JSON.stringify(event)
  const response = await fetch(`${child.url}/api/v1/webhooks/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signatureOf(body) },
    body,
  })
  expect(response.status).toBe(200)
  await child.kill()
  expect((await running.event(event)).body).toEqual({ received: true, duplicate: true })
  expect(await listDelivered()).toMatchObject([{ body: { id: event.id } }])
})

test('from the request to the merchant: paid, confirmed by the gateway, forwarded', async () => {
  await running.gateway('webhooks', { delayMs: 0, copies: 2 })
  const { body } = await ada.pay('the whole way')
  await expect
    .poll(listDelivered)
    .toMatchObject([{ verified: true, body: { type: 'payment.succeeded' } }])
  expect((await ada.refund(String(body['id']))).status).toBe(201)
  await expect.poll(async () => (await listDelivered()).length).toBe(3)
  const types = (await listDelivered()).map(
    ({ path, body: hook }) => `${path.slice(20)} ${hook.type}`,
  )
  expect(types.toSorted()).toEqual([
    'everything payment.refunded',
    'everything payment.succeeded',
    'refunds payment.refunded',
  ])
})

test('everything that was announced is as the catalogue says', async () => {
  const { types, mistakes } = await checkEvents(db.pool)
  expect(mistakes).toEqual([])
  expect([...types].toSorted()).toEqual(
    expect.arrayContaining(['payment.failed', 'payment.refunded', 'payment.succeeded']),
  )
})

interface Written {
  readonly event_type: string
  readonly body: unknown
}

/**
 * What merchants were or are to be sent, by types of the catalogue, and every way in which a body is
 * not what its schema says. Types that are not ours are forwarded as they come.
 */
async function checkEvents(
  pool: Pool,
): Promise<{ types: ReadonlySet<string>; mistakes: string[] }> {
  const { rows } = await pool.query<Written>(
    `select event_type, coalesce(body::json, payload) as body from payments.webhook_deliveries`,
  )
  const known = rows.filter(({ event_type: type }) => findEventType(type) !== undefined)
  const mistakes = known.flatMap(({ event_type: type, body }) => {
    const eventType = findEventType(type)
    const errors = eventType ? Value.Errors(schemaOf(eventType), body) : []
    return [...errors].map((error) => `${type}${error.instancePath} ${error.message}`)
  })
  return { types: new Set(known.map(({ event_type: type }) => type)), mistakes }
}
