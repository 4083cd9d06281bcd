import { createRequire } from 'node:module'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { uuid } from '@posthorn/engine'
import { stripe } from '@posthorn/gateway/simulators'
import { expect, test } from 'vitest'
import { simulate } from '@posthorn/system/testing/simulate'
import { paymentsDatabase, runPayments } from '../../testing/running.ts'

const SECRETS = ['whsec_the_old_one_0123456789', 'whsec_the_new_one_0123456789'] as const
const db = await paymentsDatabase()
const running = await runPayments(db, {
  env: {
    GATEWAY: 'stripe',
    STRIPE_WEBHOOK_SECRET: SECRETS.join(' '),
  },
})
const ada = await running.as({})
await db.pool.query(
  `insert into payments.webhook_endpoints (id, org_id, url, event_types)
   values ($1, 'acme', 'https://merchant.test/', '{*}')`,
  [uuid()],
)

/** The parts of the official package that are used here: its own types are some megabytes. */
interface Official {
  readonly webhooks: {
    constructEvent(body: Buffer, header: string, secret: string): { id: string; type: string }
    generateTestHeaderString(options: object): string
  }
}
const { webhooks: official } = createRequire(import.meta.url)('stripe') as Official

const POLL = { timeout: 10_000 }
const order = { amount: 1_000, currency: 'EUR' }
const status = async (id: unknown) => (await ada.payment(id))['status']

async function pay(body: object = order): Promise<string> {
  const { body: paid, status: answered } = await ada.pay(uuid(), body)
  expect(answered).toBe(201)
  return String(paid['id'])
}

async function control(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  expect((await fetch(`${running.url}/sim/stripe${path}`, init)).ok).toBe(true)
}

async function post(body: string, header?: string) {
  const headers = {
    'content-type': 'application/json',
    ...(header !== undefined && { 'stripe-signature': header }),
  }
  const init = { method: 'POST', headers, body }
  const response = await fetch(`${running.url}/api/v1/webhooks/stripe`, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('a payment through Stripe succeeds, is refunded in parts and forwarded to the merchant', async () => {
  const id = await pay({ ...order, paymentMethod: 'pm_card_mastercard' })
  await expect.poll(() => status(id), POLL).toBe('succeeded')
  const { gatewayRef } = await ada.payment(id)
  expect(gatewayRef).toMatch(/^pi_/)
  expect((await ada.refund(id, undefined, 300)).status).toBe(201)
  await expect.poll(async () => (await ada.payment(id))['refundedAmount'], POLL).toBe(300)
  expect(await ada.refund(id)).toMatchObject({ status: 201, body: { amount: 700 } })
  await expect.poll(() => status(id), POLL).toBe('refunded')
  const { rows } = await db.pool.query<{ type: string; body: string }>(
    `select event_type as type, body from payments.webhook_deliveries
      where payload -> 'data' ->> 'gatewayRef' = $1 order by id`,
    [gatewayRef],
  )
  expect(rows.map(({ type }) => type)).toEqual([
    'payment.succeeded',
    'payment.refunded',
    'payment.refunded',
  ])
  // In our words, with Stripe's own bytes kept beside them.
  expect(JSON.parse(rows[0]?.body ?? '')).toMatchObject({
    data: { paymentId: id, gatewayRef, status: 'succeeded', amount: 1_000, currency: 'EUR' },
  })
  const { body } = await ada.send(`/api/v1/webhook-events?paymentId=${id}`)
  const [{ id: eventId }] = body['items'] as [{ id: string }]
  const { body: event } = await ada.send(`/api/v1/webhook-events/${eventId}`)
  expect(JSON.parse(String(event['body']))).toMatchObject({ object: 'event', id: eventId })
})

test('a decline, a bank that takes its time, and one that refuses in the end', async () => {
  const declined = await ada.pay(uuid(), { ...order, paymentMethod: 'pm_card_chargeDeclined' })
  expect(declined).toMatchObject({ status: 422, body: { code: 'PAYMENT_DECLINED' } })
  expect(await status(declined.body['paymentId'])).toBe('failed')
  const slow = await pay({ ...order, paymentMethod: 'pm_usBankAccount_success' })
  const refused = await pay({ ...order, paymentMethod: 'pm_usBankAccount_insufficientFunds' })
  await expect.poll(() => status(slow), POLL).toBe('succeeded')
  await expect.poll(() => status(refused), POLL).toBe('failed')
  const transactions = async (id: string) =>
    (await ada.send(`/api/v1/payments/${id}/transactions`)).body['items']
  expect(await transactions(slow)).toMatchObject([{ type: 'charge', status: 'succeeded' }])
  expect(await transactions(refused)).toMatchObject([{ type: 'charge', status: 'failed' }])
  // Undecided is no contradiction.
  const { rows } = await db.pool.query("select from posthorn.alert where code like 'PAYMENT_%'")
  expect(rows).toHaveLength(0)
})

test('a charge whose answer is lost is found at Stripe, and charged once', async () => {
  const { status: answered, body } = await ada.pay('lost', { ...order, amount: 1_008 })
  expect([answered, body['retryable']]).toEqual([422, true])
  await expect.poll(() => status(body['paymentId']), POLL).toBe('succeeded')
  const books = await (await fetch(`${running.url}/sim/stripe/books`)).json()
  const { paymentIntents } = books as { paymentIntents: { metadata: Record<string, string> }[] }
  const mine = paymentIntents.filter(
    ({ metadata }) => metadata['posthorn_reference'] === body['paymentId'],
  )
  expect(mine).toMatchObject([{ status: 'succeeded', amount_received: 1_008 }])
})

test('money is held at Stripe, captured in part, voided, or expires', async () => {
  const held = { ...order, capture: 'manual' }
  const states = async (id: string) => {
    const { status: word, authorisation, capturedAmount } = await ada.payment(id)
    return [word, authorisation, capturedAmount]
  }
  const [taken, freed, late] = [await pay(held), await pay(held), await pay(held)]
  expect((await ada.decide(taken, 'capture', { amount: 700 })).status).toBe(200)
  expect((await ada.decide(freed, 'void')).status).toBe(200)
  const { gatewayRef: paymentIntent } = await ada.payment(late)
  await control('/expire', { paymentIntent })
  await expect.poll(() => states(taken), POLL).toEqual(['succeeded', 'captured', 700])
  await expect.poll(() => states(freed), POLL).toEqual(['failed', 'voided', null])
  await expect.poll(() => states(late), POLL).toEqual(['failed', 'expired', null])
  expect(await ada.refund(taken)).toMatchObject({ status: 201, body: { amount: 700 } })
  await expect.poll(() => status(taken), POLL).toBe('refunded')
  const { rows } = await db.pool.query('select code from posthorn.alert')
  expect(rows).toEqual([])
})

test('a dispute is opened and won', async () => {
  const id = await pay()
  await expect.poll(() => status(id), POLL).toBe('succeeded')
  const { gatewayRef: paymentIntent } = await ada.payment(id)
  await control('/disputes', { paymentIntent })
  await expect.poll(async () => (await ada.payment(id))['disputeStatus'], POLL).toBe('opened')
  await control('/disputes', { paymentIntent, status: 'won' })
  await expect.poll(async () => (await ada.payment(id))['disputeStatus'], POLL).toBe('won')
})

test('what the official package signs is taken, and nothing else', async () => {
  const object = { object: 'payment_intent', id: 'pi_x', amount_received: 1_000, currency: 'eur' }
  const event = { id: 'evt_x', object: 'event', type: 'payment_intent.succeeded', created: 1 }
  const payload = JSON.stringify({ ...event, data: { object } }, null, 2)
  const now = Math.floor(Date.now() / 1_000)
  const sign = (secret: string, timestamp = now) =>
    official.generateTestHeaderString({ payload, secret, timestamp })
  for (const secret of SECRETS) {
    expect(await post(payload, sign(secret))).toMatchObject({ status: 200 })
  }
  // Two signatures, while the secret is rolled at Stripe; and schemes that are not known.
  const [, wrong] = sign('whsec_of_another_account').split(',')
  const [time, right] = sign(SECRETS[1]).split(',')
  expect(await post(payload, `${time},v0=00,${wrong},${right}`)).toMatchObject({
    status: 200,
    body: { duplicate: true },
  })
  const refused = [
    undefined,
    '',
    'nonsense',
    `${time},v0=${right?.slice(3)}`,
    `${time},${wrong}`,
    sign(SECRETS[1], now - 301),
    // Far ahead: while these are posted, the clock comes closer.
    sign(SECRETS[1], now + 900),
    `t=${now + 1},${right}`,
  ]
  for (const header of refused) expect((await post(payload, header)).status, header).toBe(401)
  // Over the bytes, not over what they mean.
  expect((await post(JSON.stringify(JSON.parse(payload)), sign(SECRETS[1]))).status).toBe(401)
  // Signed, and about nothing here.
  const other = JSON.stringify({ ...event, type: 'customer.created', data: { object: {} } })
  const header = official.generateTestHeaderString({ payload: other, secret: SECRETS[0] })
  expect(await post(other, header)).toMatchObject({ status: 200, body: { ignored: true } })
})

test('the official package verifies what the simulator signs', async () => {
  const received: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const { url } = await simulate(stripe({ webhooks: { to: webhookUrl, secret: SECRETS[1] } }))
  await fetch(`${url}/sim/stripe/v1/payment_intents`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk_test_x',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'amount=1000&currency=eur&payment_method=pm_card_visa&confirm=true',
  })
  await expect.poll(() => received.length, POLL).toBe(3)
  const types = received.map(({ headers, body }) => {
    const header = String(headers['stripe-signature'])
    expect(() => official.constructEvent(body, header, SECRETS[0])).toThrow('signature')
    return official.constructEvent(body, header, SECRETS[1]).type
  })
  expect(types.toSorted()).toEqual([
    'charge.succeeded',
    'payment_intent.created',
    'payment_intent.succeeded',
  ])
  receiver.closeAllConnections()
  receiver.close()
})
