import { createHmac } from 'node:crypto'
import { uuid } from '@posthorn/engine'
import { listAlerts } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { DEVELOPMENT_WEBHOOK_SECRET as SECRET, webhookSecrets } from '../../settings.ts'
import { paymentsDatabase, runPayments, signatureOf, type Client } from '../../testing/running.ts'

const db = await paymentsDatabase()
const running = await runPayments(db)
// The tests speak for the gateway themselves.
await running.gateway('webhooks', { copies: 0 })
const ada = await running.as({})

async function pending(client: Client = ada): Promise<string> {
  const { body } = await client.pay(uuid())
  return String(body['id'])
}

function eventOf(type: string, paymentId: string, id = `evt_${uuid()}`) {
  const status = type.replace('payment.', '')
  const data = { paymentId, status, amount: 1_000, currency: 'EUR' }
  return { id, type, createdAt: '2026-01-01T00:00:00Z', data }
}

async function storedEvents(paymentId: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ outcome: string }>(
    'select outcome from payments.webhook_events where payment_id = $1 order by received_at',
    [paymentId],
  )
  return rows.map(({ outcome }) => outcome)
}

const statusOf = async (id: string) => (await ada.payment(id))['status']

test('an event moves its payment once, however often it comes', async () => {
  const id = await pending()
  const event = eventOf('payment.succeeded', id)
  const answers = await Promise.all(Array.from({ length: 10 }, () => running.event(event)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(answers.filter(({ body }) => body['duplicate'] === false)).toHaveLength(1)
  expect(await statusOf(id)).toBe('succeeded')
  expect(await storedEvents(id)).toEqual(['applied'])
  const actions = await ada.actions(id)
  expect(actions.filter((action) => action === 'webhook.processed')).toHaveLength(1)
})

const alertsOf = async (id: string) =>
  (await listAlerts(db.pool, { source: 'payments.webhooks' })).items.filter(
    ({ subject }) => subject === id,
  )

test('what the state machine forbids is recorded, changes nothing, and is alerted', async () => {
  const id = await pending()
  await running.event(eventOf('payment.succeeded', id))
  await running.event(eventOf('payment.succeeded', id))
  await running.event(eventOf('payment.failed', id, 'evt_denial'))
  expect(await statusOf(id)).toBe('succeeded')
  await running.event(eventOf('payment.refunded', id))
  await running.event(eventOf('payment.succeeded', id))
  expect(await statusOf(id)).toBe('refunded')
  expect(await storedEvents(id)).toEqual([
    'applied',
    'unchanged',
    'forbidden',
    'applied',
    'unchanged',
  ])
  expect(await alertsOf(id)).toMatchObject([
    {
      code: 'PAYMENT_STATE_CONFLICT',
      tenant: 'acme',
      detail: expect.stringMatching(
        /^Event evt_denial of the gateway says failed, but the payment is succeeded here since 20/,
      ) as string,
    },
  ])
})

test('a refund that comes before its success waits for it', async () => {
  const id = await pending()
  expect((await running.event(eventOf('payment.refunded', id))).status).toBe(200)
  expect(await statusOf(id)).toBe('pending')
  expect(await storedEvents(id)).toEqual(['parked'])
  await running.event(eventOf('payment.succeeded', id))
  expect(await statusOf(id)).toBe('refunded')
  expect(await storedEvents(id)).toEqual(['applied', 'applied'])
  expect(await alertsOf(id)).toEqual([])
})

test.each([
  ['payment.succeeded', { amount: 999 }, 'amount 999'],
  ['payment.succeeded', { amount: '1000' }, 'amount "1000"'],
  ['payment.succeeded', { currency: 'USD' }, 'currency "USD"'],
  ['payment.succeeded', { gatewayRef: 'ch_of_another' }, 'reference "ch_of_another"'],
  ['payment.failed', { currency: 'eur' }, 'currency "eur"'],
  ['payment.refunded', { amount: 1_001 }, 'amount 1001'],
  ['payment.refunded', { amount: 0 }, 'amount 0'],
  ['payment.refunded', { refundId: 7 }, '7 for a name'],
] as const)('%s with %j moves nothing and is alerted', async (type, change, says) => {
  const id = await pending()
  const event = eventOf(type, id)
  expect((await running.event({ ...event, data: { ...event.data, ...change } })).status).toBe(200)
  expect(await statusOf(id)).toBe('pending')
  expect(await storedEvents(id)).toEqual(['mismatch'])
  expect(await alertsOf(id)).toMatchObject([
    { code: 'PAYMENT_EVENT_MISMATCH', detail: expect.stringContaining(says) as string },
  ])
})

test('a charge that the webhook takes back is failed in the ledger too, with an alert', async () => {
  const id = await pending()
  await running.event(eventOf('payment.failed', id, 'evt_taken_back'))
  expect(await statusOf(id)).toBe('failed')
  const { body } = await ada.send(`/api/v1/payments/${id}/transactions`)
  expect(body['items']).toMatchObject([
    { type: 'charge', status: 'failed', errorCode: 'state_conflict' },
  ])
  expect(await alertsOf(id)).toMatchObject([
    {
      detail: expect.stringMatching(/took the money \(ch_.* evt_taken_back says failed/) as string,
    },
  ])
})

test('any order of two events that exclude each other keeps the first', async () => {
  for (const [first, second] of [
    ['payment.succeeded', 'payment.failed'],
    ['payment.failed', 'payment.succeeded'],
  ] as const) {
    const id = await pending()
    await running.event(eventOf(first, id))
    await running.event(eventOf(second, id))
    expect(await statusOf(id)).toBe(first.replace('payment.', ''))
  }
})

test('unknown types are kept', async () => {
  const id = await pending()
  const event = { ...eventOf('payment.disputed', id), extra: { deep: [1] } }
  expect((await running.event(event)).status).toBe(200)
  expect(await storedEvents(id)).toEqual(['kept'])
  expect(await statusOf(id)).toBe('pending')
  const { rows } = await db.pool.query<{ payload: unknown }>(
    'select payload from payments.webhook_events where event_id = $1',
    [event.id],
  )
  expect(rows[0]?.payload).toEqual(event)
})

test('an event is kept as it came: numbers, spaces, fields of any name', async () => {
  const id = await pending()
  const text = `{ "more" : 1.0,"id":"evt_${id}", "type":"payment.noticed",\n"data":{"paymentId":"${id}","n":12345678901234567890.10,"e":1e2} }`
  expect((await running.event(text)).status).toBe(200)
  const { rows } = await db.pool.query<{ text: string }>(
    'select payload::text as text from payments.webhook_events where event_id = $1',
    [`evt_${id}`],
  )
  expect(rows).toEqual([{ text }])
})

test.each([uuid(), 'order-7', '', "'; drop table payments.payments; --"])(
  'an event about %j, which is no payment, is stored',
  async (paymentId) => {
    const event = eventOf('payment.succeeded', paymentId)
    expect((await running.event(event)).status).toBe(200)
    const { rows } = await db.pool.query(
      'select outcome, org_id from payments.webhook_events where event_id = $1',
      [event.id],
    )
    expect(rows).toEqual([{ outcome: 'unknown_payment', org_id: null }])
    expect((await running.event(event)).body).toEqual({ received: true, duplicate: true })
  },
)

function standardHeaders(body: string, options: { at?: number; secret?: string } = {}) {
  const { at = Math.floor(Date.now() / 1_000), secret = SECRET } = options
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const signed = createHmac('sha256', key).update(`msg_1.${at}.${body}`).digest('base64')
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1a,AAAA v1,${signed}`,
  }
}

test('Standard Webhooks suffice, within five minutes', async () => {
  const id = await pending()
  const body = JSON.stringify(eventOf('payment.succeeded', id))
  const now = Math.floor(Date.now() / 1_000)
  for (const at of [now - 400, now + 400]) {
    const answer = await running.event(body, standardHeaders(body, { at }))
    expect(answer).toMatchObject({ status: 401, body: { code: 'WEBHOOK_SIGNATURE_INVALID' } })
  }
  expect(await statusOf(id)).toBe('pending')
  expect((await running.event(body, standardHeaders(body))).status).toBe(200)
  expect(await statusOf(id)).toBe('succeeded')
})

test('forged and unsigned webhooks are refused and leave nothing', async () => {
  const id = await pending()
  const body = JSON.stringify(eventOf('payment.succeeded', id))
  const right = signatureOf(body)
  const hex = right.slice('sha256='.length)
  const standard = standardHeaders(body)
  const forged: Record<string, string>[] = [
    {},
    { 'x-webhook-signature': '' },
    { 'x-webhook-signature': 'sha256=' },
    { 'x-webhook-signature': hex },
    { 'x-webhook-signature': right.toUpperCase() },
    { 'x-webhook-signature': `${right}00` },
    { 'x-webhook-signature': `sha256=${hex.replace(/^./, hex.startsWith('0') ? '1' : '0')}` },
    { 'x-webhook-signature': signatureOf(body, 'another secret') },
    { 'x-webhook-signature': signatureOf(`${body} `) },
    { 'x-webhook-signature': `${right}, ${right}` },
    { 'x-webhook-signature': 'x'.repeat(8_000) },
    standardHeaders(body, { secret: 'another secret' }),
    { ...standard, 'webhook-id': 'msg_2' },
    { ...standard, 'webhook-timestamp': `${standard['webhook-timestamp']}0` },
    { ...standard, 'webhook-timestamp': 'yesterday' },
    { 'webhook-signature': standard['webhook-signature'] },
    // One that is right does not make up for one that is wrong.
    { ...standard, 'x-webhook-signature': signatureOf(body, 'another secret') },
    { ...standardHeaders(body, { secret: 'another' }), 'x-webhook-signature': right },
  ]
  for (const headers of forged) {
    const answer = await running.event(body, headers)
    expect(answer, JSON.stringify(headers)).toMatchObject({
      status: 401,
      body: { code: 'WEBHOOK_SIGNATURE_INVALID' },
    })
  }
  expect(await statusOf(id)).toBe('pending')
  expect(await storedEvents(id)).toEqual([])
  expect((await running.event(body, { ...standard, 'x-webhook-signature': right })).status).toBe(
    200,
  )
})

test('what is not signed is not read: rubbish is 401, too', async () => {
  expect((await running.event('{', {})).status).toBe(401)
  expect((await running.event('[]', { 'x-webhook-signature': 'sha256=00' })).status).toBe(401)
})

test.each([
  ['a webhook secret for development only', 1],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 1],
  ['sixteen-letters-a sixteen-letters-b', 2],
  ['sixteen-letters-a whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 2],
  ['sixteen-letters-a tooshort', 1],
])('%j is %i', (setting, count) => {
  expect(webhookSecrets(setting)).toHaveLength(count)
})

test('while the secret is changed the old and the new one are good, and a time may be required', async () => {
  const [fresh, old] = ['the-secret-of-tomorrow', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
  const changing = await runPayments(db, {
    by: 'hand',
    env: {
      PAYMENTS_WEBHOOK_SECRET: `${fresh} ${old}`,
      PAYMENTS_WEBHOOK_REQUIRE_TIMESTAMP: 'true',
    },
  })
  const statusBy = async (secret: string, kind: 'plain' | 'both') => {
    const body = JSON.stringify(eventOf('payment.noticed', await pending()))
    const plain = { 'x-webhook-signature': signatureOf(body, secret) }
    const headers = kind === 'plain' ? plain : { ...plain, ...standardHeaders(body, { secret }) }
    return (await changing.event(body, headers)).status
  }
  expect(await statusBy(fresh, 'both')).toBe(200)
  expect(await statusBy(old, 'both')).toBe(200)
  expect(await statusBy(`${fresh} ${old}`, 'both')).toBe(401)
  expect(await statusBy(fresh, 'plain')).toBe(401)
})

test('the signature is over the bytes, not over their meaning', async () => {
  const event = eventOf('payment.succeeded', await pending())
  const spaced = JSON.stringify(event, null, 2)
  const headers = { 'x-webhook-signature': signatureOf(JSON.stringify(event)) }
  expect((await running.event(spaced, headers)).status).toBe(401)
  expect((await running.event(spaced)).status).toBe(200)
})

test.each([
  ['{', 400],
  ['', 400],
  ['[]', 400],
  ['{"id":"e"}', 400],
  ['{"id":"","type":"t","data":{}}', 400],
  [`{"id":"${'e'.repeat(256)}","type":"t","data":{}}`, 400],
  ['{"id":"e\\u0000","type":"t","data":{}}', 400],
  ['{"id":"e","type":"t","data":{"paymentId":7}}', 400],
])('a signed %j is %i', async (body, status) => {
  expect((await running.event(body)).status).toBe(status)
})

test('a payment is moved whosever it is', async () => {
  const eve = await running.as({ org: 'other' })
  const id = await pending(eve)
  await running.event(eventOf('payment.succeeded', id))
  expect((await eve.payment(id))['status']).toBe('succeeded')
  expect((await ada.send(`/api/v1/payments/${id}/audit`)).status).toBe(404)
})
