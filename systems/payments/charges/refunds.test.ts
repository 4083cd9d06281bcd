import { expect, test } from 'vitest'
import { paymentsDatabase, runPayments } from '../testing/running.ts'

const db = await paymentsDatabase()
const running = await runPayments(db)
const ada = await running.as({})

const POLL = { timeout: 10_000 }

let made = 0
async function paySuccessfully(): Promise<string> {
  const { body } = await ada.pay(`for a refund ${(made += 1)}`)
  const id = String(body['id'])
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('succeeded')
  return id
}

async function refundsOf(id: string): Promise<number> {
  const { gatewayRef } = await ada.payment(id)
  const { refunds } = await running.ledger()
  return refunds.filter(({ chargeId }) => chargeId === gatewayRef).length
}

test('a refund gives the whole amount back, and the webhook moves the payment', async () => {
  const id = await paySuccessfully()
  const { status, body } = await ada.refund(id, 'whole')
  expect(status).toBe(201)
  expect(body).toMatchObject({
    paymentId: id,
    // The gateway has said yes; its webhook says that the money is back.
    status: 'pending',
    amount: 1_000,
    currency: 'EUR',
    gatewayRef: expect.stringMatching(/^re_/) as string,
  })
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('refunded')
  // Its webhook may be faster than the gateway's answer.
  expect((await ada.actions(id)).toSorted()).toEqual([
    'payment.charged',
    'payment.created',
    'payment.refund_accepted',
    'payment.refund_requested',
    'webhook.processed',
    'webhook.processed',
  ])
  const again = await ada.refund(id, 'whole')
  expect(again).toMatchObject({ status: 200, body })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await ada.refund(id)).toMatchObject({
    status: 409,
    body: { code: 'PAYMENT_NOT_SUCCEEDED' },
  })
  expect(await refundsOf(id)).toBe(1)
})

test('a payment is refunded in parts, and is refunded once all of it is', async () => {
  const id = await paySuccessfully()
  const first = await ada.refund(id, 'part one', 300)
  expect(first).toMatchObject({ status: 201, body: { amount: 300, status: 'pending' } })
  expect(await ada.refund(id, 'part one', 300)).toMatchObject({ status: 200, body: first.body })
  expect(await ada.refund(id, 'part one', 301)).toMatchObject({
    status: 409,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  })
  expect(await ada.refund(id, 'too much', 701)).toMatchObject({
    status: 409,
    body: { code: 'REFUND_EXCEEDS_PAYMENT', detail: '700 of 1000 can still be refunded.' },
  })
  expect((await ada.refund(id, 'nothing', 0)).status).toBe(400)
  const confirmed = async () => {
    const { rows } = await db.pool.query<{ sum: string }>(
      'select sum(amount) from payments.transactions where payment_id = $1 and confirmed_at is not null',
      [id],
    )
    return Number(rows[0]?.sum)
  }
  await expect.poll(confirmed, POLL).toBe(300)
  expect((await ada.payment(id))['status']).toBe('succeeded')
  expect(await ada.refund(id, 'part two', 250)).toMatchObject({ status: 201 })
  expect(await ada.refund(id, 'the rest')).toMatchObject({ status: 201, body: { amount: 450 } })
  await expect.poll(async () => (await ada.payment(id))['status'], POLL).toBe('refunded')
  expect(await confirmed()).toBe(1_000)
  const { gatewayRef } = await ada.payment(id)
  const { refunds } = await running.ledger()
  const given = refunds.filter(({ chargeId }) => chargeId === gatewayRef)
  expect(given.reduce((sum, { amount }) => sum + amount, 0)).toBe(1_000)
})

test('parts at once are never more than the payment', async () => {
  const id = await paySuccessfully()
  const answers = await Promise.all(Array.from({ length: 8 }, () => ada.refund(id, undefined, 300)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(3)
  expect(statuses.filter((status) => status === 409)).toHaveLength(5)
  expect(await refundsOf(id)).toBe(3)
})

test('a key that found a refund under way says later what became of it', async () => {
  const id = await paySuccessfully()
  await running.gateway('faults', { mode: 'timeout', times: 1 })
  const first = ada.refund(id, 'slow')
  await expect
    .poll(async () => (await ada.actions(id)).includes('payment.refund_requested'), POLL)
    .toBe(true)
  expect(await ada.refund(id, 'another')).toMatchObject({
    status: 200,
    body: { status: 'pending' },
  })
  expect((await first).status).toBe(422)
  await expect
    .poll(async () => (await ada.actions(id)).includes('payment.refund_accepted'), POLL)
    .toBe(true)
  await expect
    .poll(() => ada.refund(id, 'another'), POLL)
    .toMatchObject({ body: expect.not.objectContaining({ status: 'pending' }) as object })
})

test('twenty at once, with and without keys, refund once', async () => {
  await running.gateway('webhooks', { delayMs: 2_000 })
  const { body } = await ada.pay('for many')
  const id = String(body['id'])
  await expect.poll(async () => (await ada.payment(id))['status']).toBe('succeeded')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ada.refund(id, n % 2 === 0 ? `many-${n}` : undefined)),
  )
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201])
  expect(new Set(answers.map((answer) => answer.body['id'])).size).toBe(1)
  expect(await refundsOf(id)).toBe(1)
  await running.gateway('webhooks', {})
})

test.each([
  ['a decline', { amount: 1_002, currency: 'EUR' }],
  ['a broken gateway', { amount: 1_050, currency: 'EUR' }],
])('what failed by %s cannot be refunded', async (name, order) => {
  const { body } = await ada.pay(name, order)
  expect(await ada.refund(String(body['paymentId']), name)).toMatchObject({ status: 409 })
})

test('a key of another refund is refused, and a refusal leaves the key free', async () => {
  const [one, two] = [await paySuccessfully(), await paySuccessfully()]
  expect((await ada.refund(one, 'one of two')).status).toBe(201)
  expect(await ada.refund(two, 'one of two')).toMatchObject({
    status: 409,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  })
  expect((await ada.refund('00000000-0000-7000-8000-000000000000', 'free')).status).toBe(404)
  expect((await ada.refund('nonsense', 'free')).status).toBe(400)
  expect((await ada.refund(two, 'free')).status).toBe(201)
})

test('a refund whose answer is lost is finished by the completer, once', async () => {
  const id = await paySuccessfully()
  await running.gateway('faults', { mode: 'drop', times: 1, effect: true })
  const first = await ada.refund(id)
  expect(first).toMatchObject({ status: 422, body: { code: 'GATEWAY_ERROR', retryable: true } })
  await expect
    .poll(() => ada.actions(id))
    .toEqual(expect.arrayContaining(['gateway_error', 'payment.refund_accepted']))
  expect(await refundsOf(id)).toBe(1)
})

test('a refund that the gateway refuses is stored, and another may be tried', async () => {
  const id = await paySuccessfully()
  await running.gateway('faults', { mode: 'error', status: 422, code: 'too_old', times: 1 })
  const first = await ada.refund(id, 'refused')
  expect(first).toMatchObject({
    status: 422,
    body: { code: 'GATEWAY_ERROR', retryable: false, gatewayCode: 'too_old' },
  })
  expect(await ada.refund(id, 'refused')).toMatchObject({ status: 422, text: first.text })
  expect((await ada.refund(id, 'once more')).status).toBe(201)
})

test('requests to the gateway are shown, to their organisation only', async () => {
  const id = await paySuccessfully()
  await ada.refund(id, 'shown')
  const path = `/api/v1/payments/${id}/transactions`
  expect((await ada.send(path)).body).toMatchObject({
    items: [
      { type: 'charge', status: 'succeeded', gatewayKey: `charge-${id}`, errorCode: null },
      { type: 'refund', status: 'succeeded', gatewayRef: expect.stringMatching(/^re_/) as string },
    ],
  })
  const other = await running.as({ org: 'other' })
  expect((await other.send(path)).status).toBe(404)
})
