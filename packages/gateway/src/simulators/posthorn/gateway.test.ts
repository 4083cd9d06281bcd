import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { serve } from '@posthorn/simulators/testing'
import { gateway } from './index.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly event: { id: string; type: string; data: Record<string, unknown> }
}

const received: Received[] = []
let status = 200
const merchant = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const raw = Buffer.concat(chunks).toString()
    received.push({ headers: request.headers, raw, event: JSON.parse(raw) as Received['event'] })
    response.writeHead(status).end()
  })
})
await new Promise<void>((resolve) => merchant.listen(0, '127.0.0.1', resolve))
const webhookUrl = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/hooks`
afterAll(() => {
  merchant.closeAllConnections()
  merchant.close()
})
beforeEach(() => {
  received.length = 0
  status = 200
})

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

async function openGateway() {
  const server = await serve({
    simulators: [gateway({ webhooks: { to: webhookUrl, secret: SECRET } })],
  })
  const post = (path: string, key: string, body: unknown = {}) =>
    server.post(`/sim/gateway${path}`, body, {
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    }) as Promise<{ status: number; body: Record<string, unknown> }>
  const habits = (order: object) => server.post('/sim/gateway/webhooks', order)
  return { ...server, charge: post, habits }
}

const order = { amount: 1_000, currency: 'EUR', reference: 'payment-1' }

test('a charge is reported once, signed by both schemes', async () => {
  const { charge } = await openGateway()
  const { status: answered, body } = await charge('/charges', 'k1', order)
  expect(answered).toBe(201)
  expect((await charge('/charges', 'k1', order)).status).toBe(200)
  await expect.poll(() => received.length).toBe(1)
  const [{ event, headers, raw } = {} as Received] = received
  expect(event).toMatchObject({
    type: 'payment.succeeded',
    data: { paymentId: 'payment-1', gatewayRef: body['id'], status: 'succeeded', amount: 1_000 },
  })
  const hex = createHmac('sha256', SECRET).update(raw).digest('hex')
  expect(headers['x-webhook-signature']).toBe(`sha256=${hex}`)
  const key = Buffer.from(SECRET.slice(6), 'base64')
  const signed = `${event.id}.${String(headers['webhook-timestamp'])}.${raw}`
  const standard = createHmac('sha256', key).update(signed).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${standard}`)
  expect(headers['webhook-id']).toBe(event.id)
})

test('declines and refunds are reported too', async () => {
  const { charge } = await openGateway()
  expect((await charge('/charges', 'k1', { ...order, amount: 1_002 })).status).toBe(402)
  const { body } = await charge('/charges', 'k2', order)
  expect((await charge(`/charges/${String(body['id'])}/refunds`, 'r1')).status).toBe(201)
  await expect.poll(() => received.length).toBe(3)
  expect(new Set(received.map(({ event }) => event.type))).toEqual(
    new Set(['payment.failed', 'payment.succeeded', 'payment.refunded']),
  )
})

test('a charge is refunded in parts, each reported by its own id and amount', async () => {
  const { charge, get } = await openGateway()
  const { body } = await charge('/charges', 'k1', order)
  const path = `/charges/${String(body['id'])}/refunds`
  const first = await charge(path, 'r1', { amount: 300 })
  expect(first).toMatchObject({ status: 201, body: { amount: 300 } })
  expect(await charge(path, 'r1', { amount: 300 })).toMatchObject({ status: 200, body: first.body })
  expect((await charge(path, 'r1', { amount: 301 })).status).toBe(409)
  expect((await charge(path, 'r2', { amount: 701 })).status).toBe(422)
  const rest = await charge(path, 'r3')
  expect(rest).toMatchObject({ status: 201, body: { amount: 700 } })
  expect((await charge(path, 'r4', { amount: 1 })).status).toBe(422)
  await expect.poll(() => received.length).toBe(3)
  const refunds = received.filter(({ event }) => event.type === 'payment.refunded')
  expect(refunds.map(({ event }) => event.data)).toEqual(
    [first, rest].map((refund) => ({
      paymentId: 'payment-1',
      gatewayRef: body['id'],
      refundId: refund.body['id'],
      status: 'refunded',
      amount: refund.body['amount'],
      currency: 'EUR',
    })),
  )
  const ledger = (await get('/sim/gateway/ledger')).body as { refunds: { amount: number }[] }
  expect(ledger.refunds.reduce((sum, { amount }) => sum + amount, 0)).toBe(1_000)
})

test('webhooks go out twice, in reverse or never, as asked for', async () => {
  const { charge, habits } = await openGateway()
  await habits({ delayMs: 300, copies: 2, order: 'reversed' })
  const { body } = await charge('/charges', 'k1', order)
  await charge(`/charges/${String(body['id'])}/refunds`, 'r1')
  await expect.poll(() => received.length).toBe(4)
  const types = received.map(({ event }) => event.type)
  expect(types).toEqual([
    'payment.refunded',
    'payment.refunded',
    'payment.succeeded',
    'payment.succeeded',
  ])
  await habits({ delayMs: 0, copies: 0 })
  await charge('/charges', 'k2', order)
  await habits({ delayMs: 0 })
  await charge('/charges', 'k3', { ...order, reference: 'payment-3' })
  await expect.poll(() => received.length).toBe(5)
  expect(received.at(-1)?.event.data['paymentId']).toBe('payment-3')
})

test('a webhook that was not taken comes again, with the same id', async () => {
  const { charge, habits } = await openGateway()
  await habits({ delayMs: 0 })
  status = 500
  await charge('/charges', 'k1', order)
  await expect.poll(() => received.length).toBe(1)
  status = 200
  await expect.poll(() => received.length).toBe(2)
  expect(received[1]?.event.id).toBe(received[0]?.event.id)
})

test('bad orders are refused and charge nothing', async () => {
  const { charge, post, get } = await openGateway()
  expect((await charge('/charges', '', order)).status).toBe(400)
  expect((await post('/sim/gateway/charges', order)).status).toBe(400)
  expect((await charge('/charges', 'k1', { ...order, amount: 0 })).status).toBe(400)
  expect((await charge('/charges/ch_none/refunds', 'r1')).status).toBe(404)
  expect((await get('/sim/gateway/ledger')).body).toEqual({ charges: [], refunds: [] })
})

test('a dispute is opened and ended by control, and announced by webhook', async () => {
  const { charge, post, get } = await openGateway()
  const { body } = await charge('/charges', 'k1', order)
  const chargeId = String(body['id'])
  const opened = await post('/sim/gateway/disputes', { chargeId, amount: 400 })
  expect(opened).toMatchObject({ status: 201, body: { status: 'opened', amount: 400 } })
  const { id } = opened.body as { id: string }
  expect((await post(`/sim/gateway/disputes/${id}`, { status: 'lost' })).status).toBe(200)
  expect((await post(`/sim/gateway/disputes/${id}`, { status: 'won' })).status).toBe(422)
  const declined = await charge('/charges', 'k2', { ...order, amount: 1_002 })
  const { id: untaken } = declined.body['charge'] as { id: string }
  expect((await post('/sim/gateway/disputes', { chargeId: untaken })).status).toBe(422)
  expect((await post('/sim/gateway/disputes', { chargeId: 'ch_none' })).status).toBe(404)
  await expect.poll(() => received.length).toBe(4)
  const disputed = received.filter(({ event }) => event.type.startsWith('dispute.'))
  expect(disputed.map(({ event }) => [event.type, event.data['disputeId']])).toEqual([
    ['dispute.opened', id],
    ['dispute.lost', id],
  ])
  expect(disputed[0]?.event.data).toMatchObject({
    ...{ paymentId: 'payment-1', gatewayRef: chargeId, amount: 400, reason: 'fraudulent' },
  })
  expect((await get('/sim/gateway/disputes')).body).toMatchObject({ items: [{ status: 'lost' }] })
})
