import { uuid } from '@posthorn/engine'
import { advanceClock, listAlerts, useMovableClock } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { paymentsDatabase, runPayments } from '../testing/running.ts'

const db = await paymentsDatabase()
await useMovableClock(db.pool)
const running = await runPayments(db)
const ada = await running.as({})
await db.pool.query(
  `insert into payments.webhook_endpoints (id, org_id, url, event_types)
   values ($1, 'acme', 'https://merchant.test/', '{*}')`,
  [uuid()],
)

const POLL = { timeout: 10_000 }
const HELD = { amount: 1_000, currency: 'EUR', capture: 'manual' }

async function authorise(order: object = HELD): Promise<string> {
  const { status, body } = await ada.pay(uuid(), order)
  expect([status, body['status'], body['authorisation']]).toEqual([201, 'pending', 'authorised'])
  return String(body['id'])
}
const stateOf = async (id: string) => {
  const { status, authorisation, capturedAmount } = await ada.payment(id)
  return [status, authorisation, capturedAmount]
}
const chargeOf = async (id: string) =>
  (await running.ledger()).charges.find(({ reference }) => reference === id)
const sentOf = async (id: string) => {
  const { rows } = await db.pool.query<{ type: string }>(
    `select event_type as type from payments.webhook_deliveries
      where payload -> 'data' ->> 'paymentId' = $1 order by id`,
    [id],
  )
  return rows.map(({ type }) => type)
}
const alertsOf = async (id: string) =>
  (await listAlerts(db.pool, {})).items.filter(({ subject }) => subject === id)

test('less than what is authorised is captured, and no more than that is refunded', async () => {
  const id = await authorise()
  expect(await chargeOf(id)).toMatchObject({ status: 'authorised', capturedAmount: 0 })
  // Nothing is taken yet.
  expect(await ada.refund(id)).toMatchObject({
    status: 409,
    body: { code: 'PAYMENT_NOT_SUCCEEDED' },
  })
  expect(await ada.decide(id, 'capture', { amount: 1_001 })).toMatchObject({
    status: 409,
    body: { code: 'CAPTURE_EXCEEDS_AUTHORISATION' },
  })
  const first = await ada.decide(id, 'capture', { key: 'c1', amount: 700 })
  expect(first).toMatchObject({
    status: 200,
    body: { id, amount: 1_000, authorisation: 'captured', capturedAmount: 700 },
  })
  const again = await ada.decide(id, 'capture', { key: 'c1', amount: 700 })
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  expect(await ada.decide(id, 'capture', { key: 'c1', amount: 600 })).toMatchObject({
    status: 409,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  })
  for (const verb of ['capture', 'void'] as const) {
    expect(await ada.decide(id, verb)).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_NOT_AUTHORISED', detail: 'The payment is captured.' },
    })
  }
  await expect.poll(() => stateOf(id), POLL).toEqual(['succeeded', 'captured', 700])
  expect(await ada.refund(id, undefined, 701)).toMatchObject({ status: 409 })
  expect((await ada.refund(id, undefined, 300)).status).toBe(201)
  expect(await ada.refund(id)).toMatchObject({ status: 201, body: { amount: 400 } })
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('refunded')
  expect(await ada.payment(id)).toMatchObject({ refundedAmount: 700, netAmount: 0 })
  expect(await sentOf(id)).toEqual([
    ...['payment.authorised', 'payment.succeeded', 'payment.refunded', 'payment.refunded'],
  ])
  expect((await ada.actions(id)).filter((action) => action !== 'webhook.processed')).toEqual([
    ...['payment.created', 'payment.authorised', 'payment.capture_requested', 'payment.captured'],
    ...['payment.refund_requested', 'payment.refund_accepted'],
    ...['payment.refund_requested', 'payment.refund_accepted'],
  ])
  expect(await alertsOf(id)).toEqual([])
})

test('what is voided is set free: the payment has failed, and the merchant gets one event', async () => {
  const id = await authorise()
  const { status, body } = await ada.decide(id, 'void')
  expect([status, body['status'], body['authorisation']]).toEqual([200, 'failed', 'voided'])
  expect(await chargeOf(id)).toMatchObject({ status: 'voided' })
  expect(await ada.decide(id, 'capture')).toMatchObject({ status: 409 })
  expect(await ada.payment(id)).toMatchObject({ errorCode: 'voided', netAmount: 0 })
  // The webhook says nothing new.
  await expect
    .poll(async () => (await ada.actions(id)).filter((each) => each === 'webhook.processed'), POLL)
    .toHaveLength(2)
  expect(await sentOf(id)).toEqual(['payment.authorised', 'payment.voided'])
  expect(await alertsOf(id)).toEqual([])
})

test('what is not captured expires by the gateway’s word, or by a look where that is lost', async () => {
  const [announced, silent] = [await authorise(), await authorise()]
  const expire = async (id: string) => {
    const chargeId = (await chargeOf(id))?.id
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ chargeId }) }
    expect((await fetch(`${running.url}/sim/gateway/expire`, init)).status).toBe(200)
  }
  await expire(announced)
  await expect.poll(() => stateOf(announced), POLL).toEqual(['failed', 'expired', null])
  await running.gateway('webhooks', { copies: 0 })
  await expire(silent)
  await running.gateway('webhooks', {})
  await advanceClock(db.pool, '9d')
  await expect.poll(async () => (await stateOf(silent))[0], POLL).toBe('failed')
})

test('magic amounts hold, and a decline is a failed payment', async () => {
  expect(await ada.pay(uuid(), { ...HELD, amount: 1_002 })).toMatchObject({
    status: 422,
    body: { code: 'PAYMENT_DECLINED' },
  })
  expect(await ada.pay(uuid(), { ...HELD, amount: 1_050 })).toMatchObject({
    status: 422,
    body: { code: 'GATEWAY_ERROR', retryable: false },
  })
  const lost = await ada.pay('held in silence', { ...HELD, amount: 1_008 })
  expect(lost).toMatchObject({ status: 422, body: { retryable: true } })
  const id = String(lost.body['paymentId'])
  await expect.poll(async () => (await stateOf(id))[1], POLL).toBe('authorised')
  // Captured and never answered: the completer finds out.
  expect(await ada.decide(id, 'capture', { key: 'silent' })).toMatchObject({
    status: 422,
    body: { retryable: true },
  })
  await expect.poll(() => stateOf(id), POLL).toEqual(['succeeded', 'captured', 1_008])
  expect(await chargeOf(id)).toMatchObject({ status: 'succeeded', capturedAmount: 1_008 })
})

test('twenty captures and voids at once: one of them is done', async () => {
  const id = await authorise()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ada.decide(id, n % 2 === 0 ? 'capture' : 'void')),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  const charge = await chargeOf(id)
  const [, authorisation] = await stateOf(id)
  expect(charge?.status).toBe(authorisation === 'captured' ? 'succeeded' : 'voided')
})

test('a capture that the gateway refuses leaves the money held, and may be tried again', async () => {
  const id = await authorise()
  expect(await ada.decide(id, 'capture', { key: 'refused', amount: 502 })).toMatchObject({
    status: 422,
    body: { code: 'GATEWAY_ERROR', retryable: false, gatewayCode: 'card_declined' },
  })
  expect(await ada.decide(id, 'capture', { amount: 450 })).toMatchObject({ status: 422 })
  expect(await stateOf(id)).toEqual(['pending', 'authorised', null])
  expect((await ada.decide(id, 'capture', { amount: 500 })).status).toBe(200)
})

test('payments that are charged at once, or another’s, are not captured', async () => {
  const { body } = await ada.pay(uuid())
  const id = String(body['id'])
  expect(await ada.decide(id, 'capture')).toMatchObject({ status: 409 })
  expect(await ada.payment(id)).toMatchObject({
    ...{ capture: 'automatic', authorisation: null, capturedAmount: null },
  })
  expect(body).not.toHaveProperty('authorisation')
  const other = await running.as({ org: 'other' })
  const held = await authorise()
  expect((await other.decide(held, 'capture')).status).toBe(404)
  expect((await other.decide(held, 'void')).status).toBe(404)
})

/** Every order in which the events of one history can arrive. */
function* orders<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield []
  for (const [n, item] of items.entries()) {
    for (const rest of orders(items.toSpliced(n, 1))) yield [item, ...rest]
  }
}

const HISTORIES = [
  {
    says: [
      ['authorised', 1_000],
      ['succeeded', 700],
      ['refunded', 700],
    ],
    end: ['refunded', 'captured', 700],
  },
  {
    says: [
      ['authorised', 1_000],
      ['voided', 1_000],
    ],
    end: ['failed', 'voided', null],
  },
  {
    says: [
      ['authorised', 1_000],
      ['expired', 1_000],
      ['expired', 1_000],
    ],
    end: ['failed', 'expired', null],
  },
] as const

test('every order of arrival gives one state', async () => {
  await running.gateway('webhooks', { copies: 0 })
  for (const { says, end } of HISTORIES) {
    for (const order of orders<readonly [string, number]>(says)) {
      const id = await authorise()
      for (const [word, amount] of order) {
        const data = { paymentId: id, amount, currency: 'EUR' }
        const event = { id: `evt_${uuid()}`, type: `payment.${word}`, data }
        expect((await running.event(event)).status).toBe(200)
      }
      const name = order.map(([word]) => word).join(', ')
      expect(await stateOf(id), name).toEqual(end)
      expect(await alertsOf(id), name).toEqual([])
    }
  }
})

test('an event that contradicts is an alert, and moves nothing', async () => {
  const id = await authorise()
  const say = (type: string, amount: number) =>
    running.event({ id: `evt_${uuid()}`, type, data: { paymentId: id, amount, currency: 'EUR' } })
  await say('payment.succeeded', 1_001)
  expect(await stateOf(id)).toEqual(['pending', 'authorised', null])
  expect(await alertsOf(id)).toMatchObject([{ code: 'PAYMENT_EVENT_MISMATCH' }])
  await say('payment.succeeded', 700)
  await say('payment.voided', 1_000)
  expect(await stateOf(id)).toEqual(['succeeded', 'captured', 700])
  const codes = (await alertsOf(id)).map(({ code }) => code)
  expect(codes).toContain('PAYMENT_STATE_CONFLICT')
})

test('the database holds the moves, also against the code', async () => {
  const id = await authorise()
  const set = (change: string) =>
    db.pool.query(`update payments.payments set ${change} where id = $1`, [id])
  const refused = [
    "status = 'succeeded'",
    "authorisation = 'captured'",
    "authorisation = 'captured', captured_amount = 1001",
    "authorisation = 'voided'",
    'authorisation = null',
    "capture_method = 'automatic'",
    'captured_amount = 500',
  ]
  for (const change of refused) {
    await expect(set(change), change).rejects.toMatchObject({ code: '23514' })
  }
  await set("authorisation = 'captured', captured_amount = 500")
  for (const change of ["authorisation = 'voided', status = 'failed'", 'captured_amount = 501']) {
    await expect(set(change), change).rejects.toMatchObject({ code: '23514' })
  }
  await set("status = 'succeeded'")
  const refund = (amount: number) =>
    db.pool.query(
      `insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
       values ($1, $2, 'refund', $3, 'EUR', $4)`,
      [uuid(), id, amount, uuid()],
    )
  await expect(refund(501)).rejects.toMatchObject({ constraint: 'refunds_within_payment' })
  await refund(500)
})
