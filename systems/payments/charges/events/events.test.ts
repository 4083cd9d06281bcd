import { uuid } from '@posthorn/engine'
import { advanceClock, listAlerts, useMovableClock } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { paymentsDatabase, runPayments } from '../../testing/running.ts'

const db = await paymentsDatabase()
await useMovableClock(db.pool)
const running = await runPayments(db)
// The tests speak for the gateway themselves.
await running.gateway('webhooks', { copies: 0 })
const ada = await running.as({})

async function pending(): Promise<{ id: string; ref: string }> {
  const { body } = await ada.pay(uuid())
  return { id: String(body['id']), ref: String(body['gatewayRef']) }
}

async function tell(type: string, data: object): Promise<string> {
  const id = `evt_${uuid()}`
  const { status } = await running.event({ id, type, data })
  expect(status).toBe(200)
  return id
}

const read = async (id: string) =>
  (await ada.send(`/api/v1/webhook-events/${encodeURIComponent(id)}`)).body
const list = async (query: string) => {
  const { body } = await ada.send(`/api/v1/webhook-events?${query}`)
  return body as { items: { id: string; status: string }[]; nextCursor: string | null }
}
const reprocess = (id: string) =>
  ada.send(`/api/v1/webhook-events/${encodeURIComponent(id)}/reprocess`, { method: 'POST' })
const alertsOf = async (subject: string) =>
  (await listAlerts(db.pool, { limit: 500 })).items
    .filter((alert) => alert.subject === subject)
    .map(({ code, state }) => `${code} ${state}`)

test('events of the gateway are listed, page by page, and shown as they came', async () => {
  const { id, ref } = await pending()
  const text = `{ "id":"evt/ü ${id}", "type":"payment.succeeded","data":{"paymentId":"${id}","n":1.0} }`
  expect((await running.event(text)).status).toBe(200)
  const odd = await tell('payment.succeeded', { paymentId: id, amount: 1 })
  await tell('payment.noticed', { paymentId: id })
  const first = await list(`paymentId=${id}&limit=2`)
  expect(first.items.map(({ status }) => status)).toEqual(['kept', 'mismatch'])
  const rest = await list(`paymentId=${id}&limit=2&cursor=${first.nextCursor}`)
  expect(rest).toMatchObject({ items: [{ status: 'applied' }], nextCursor: null })
  expect((await list(`paymentId=${id}&status=mismatch`)).items).toMatchObject([{ id: odd }])
  expect((await list(`paymentId=${id}&type=payment.noticed`)).items).toHaveLength(1)
  expect((await list(`paymentId=${id}&since=2000-01-01T00:00:00Z`)).items).toHaveLength(3)
  expect((await list(`paymentId=${id}&until=2000-01-01T00:00:00Z`)).items).toEqual([])
  const one = await read(`evt/ü ${id}`)
  expect(one).toMatchObject({
    ...{ type: 'payment.succeeded', status: 'applied', source: 'webhook', paymentId: id },
    ...{ body: text, reason: null },
  })
  expect(one['appliedAt']).toBe(one['decidedAt'])
  expect(await read(odd)).toMatchObject({
    status: 'mismatch',
    reason: expect.stringContaining('amount 1') as string,
    appliedAt: null,
  })
  const other = await running.as({ org: 'other' })
  expect((await other.send(`/api/v1/webhook-events/${odd}`)).status).toBe(404)
  expect((await other.send('/api/v1/webhook-events')).body['items']).toEqual([])
  for (const made of [
    '"x"',
    '["2026-02-30T00:00:00.000000Z","e"]',
    '["9999-99-99T99:99:99Z","e"]',
  ]) {
    const cursor = Buffer.from(`[${made}]`).toString('base64url')
    expect((await ada.send(`/api/v1/webhook-events?cursor=${cursor}`)).status, made).toBe(400)
  }
  expect(await ada.payment(id)).toMatchObject({ status: 'succeeded', gatewayRef: ref })
})

test('an event that names only a reference finds its payment by it', async () => {
  const { id, ref } = await pending()
  const eventId = await tell('payment.succeeded', { gatewayRef: ref, amount: 1_000 })
  expect(await ada.payment(id)).toMatchObject({ status: 'succeeded' })
  expect(await read(eventId)).toMatchObject({ status: 'applied', paymentId: id, gatewayRef: ref })
})

test('one that names what is not here raises an alert, and is applied when that appears', async () => {
  const ref = `ch_${uuid()}`
  const early = await tell('payment.succeeded', { gatewayRef: ref, amount: 1_000 })
  expect(await alertsOf(early)).toEqual(['PAYMENT_UNKNOWN open'])
  expect((await ada.send(`/api/v1/webhook-events/${early}`)).status).toBe(404)
  expect((await list('status=unknown_payment')).items).toEqual([])
  const platform = await running.as({ role: 'platform', org: 'operators' })
  const path = '/api/v1/webhook-events'
  expect((await platform.send(`${path}?status=unknown_payment`)).body['items']).toMatchObject([
    { id: early, status: 'unknown_payment', gatewayRef: ref },
  ])
  expect(await platform.send(`${path}/${early}/reprocess`, { method: 'POST' })).toMatchObject({
    status: 409,
    body: { code: 'PAYMENT_NOT_HERE' },
  })
  const id = uuid()
  const refund = await tell('payment.refunded', { paymentId: id, amount: 1_000 })
  expect(await alertsOf(refund)).toEqual(['PAYMENT_UNKNOWN open'])
  await db.pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency, gateway_ref)
     values ($1, 'acme', 'ada', 1000, 'EUR', $2)`,
    [id, ref],
  )
  await advanceClock(db.pool, '61s')
  await expect.poll(async () => (await ada.payment(id))['status']).toBe('refunded')
  expect((await list(`paymentId=${id}`)).items).toMatchObject([
    { id: refund, status: 'applied' },
    { id: early, status: 'applied' },
  ])
  expect(await alertsOf(early)).toEqual(['PAYMENT_UNKNOWN recovered'])
  expect(await alertsOf(refund)).toEqual(['PAYMENT_UNKNOWN recovered'])
})

test('another system’s names raise nothing', async () => {
  const eventId = await tell('payment.succeeded', { paymentId: 'order-7', gatewayRef: 'ch_order' })
  expect(await alertsOf(eventId)).toEqual([])
})

test('an event is decided about again on demand', async () => {
  const { id } = await pending()
  const parked = await tell('payment.refunded', { paymentId: id, amount: 1_000 })
  expect((await reprocess(parked)).body).toMatchObject({ status: 'parked' })
  await tell('payment.succeeded', { paymentId: id })
  expect(await read(parked)).toMatchObject({ status: 'applied' })
  expect(await reprocess(parked)).toMatchObject({
    status: 409,
    body: { code: 'EVENT_ALREADY_APPLIED' },
  })
  expect(await ada.actions(id)).toContain('webhook.reprocessed')
  expect((await reprocess('evt_none')).status).toBe(404)
})

test('a dispute is seen, alerts while it is open, and leaves the status alone', async () => {
  const { id } = await pending()
  await tell('payment.succeeded', { paymentId: id })
  const dispute = { paymentId: id, disputeId: 'dp_1', amount: 400, currency: 'EUR' }
  const more = { reason: 'fraudulent', evidenceDueAt: '2030-01-02T03:04:05Z' }
  await tell('dispute.opened', { ...dispute, ...more })
  const disputes = async () =>
    (await ada.send(`/api/v1/payments/${id}/disputes`)).body['items'] as { id: string }[]
  const [opened] = await disputes()
  expect(opened).toMatchObject({
    ...{ gatewayRef: 'dp_1', status: 'opened', amount: 400, reason: 'fraudulent' },
    ...{ evidenceDueAt: '2030-01-02T03:04:05.000Z', closedAt: null },
  })
  expect(await alertsOf(`${id}/${opened?.id}`)).toEqual(['PAYMENT_DISPUTED open'])
  expect(await ada.payment(id)).toMatchObject({
    ...{ status: 'succeeded', disputeStatus: 'opened', disputedAmount: 400, netAmount: 600 },
  })
  await tell('dispute.won', dispute)
  expect(await disputes()).toMatchObject([{ status: 'won', reason: 'fraudulent' }])
  expect(await alertsOf(`${id}/${opened?.id}`)).toEqual(['PAYMENT_DISPUTED recovered'])
  expect(await ada.payment(id)).toMatchObject({
    ...{ disputeStatus: 'won', disputedAmount: 0, netAmount: 1_000, refundedAmount: 0 },
  })
})

test.each([
  ["update payments.disputes set amount = 1 where gateway_ref = 'dp_held'", 'dispute_fixed'],
  ["update payments.disputes set status = 'won' where gateway_ref = 'dp_held'", 'dispute_moves'],
  [
    "insert into payments.disputes (id, payment_id, org_id, gateway_ref, status, amount, currency) select gen_random_uuid(), payment_id, 'other', 'more', 'opened', 1, currency from payments.disputes where gateway_ref = 'dp_held'",
    'dispute_of_payment',
  ],
])('the database refuses: %s', async (statement, constraint) => {
  const { id } = await pending()
  await tell('payment.succeeded', { paymentId: id })
  await tell('dispute.lost', { paymentId: id, disputeId: 'dp_held', amount: 10 })
  await expect(db.pool.query(statement)).rejects.toMatchObject({ code: '23514', constraint })
})

test('a refund that fails at the gateway says so at its address, and frees its amount', async () => {
  const { id } = await pending()
  await tell('payment.succeeded', { paymentId: id })
  const { body, text } = await ada.refund(id, 'fails later', 700)
  const path = `/api/v1/payments/${id}/refunds`
  await tell('refund.failed', {
    paymentId: id,
    refundId: body['gatewayRef'],
    reason: 'account closed',
  })
  expect((await ada.send(`${path}/${String(body['id'])}`)).body).toMatchObject({
    ...{ status: 'failed', errorCode: 'refund_failed', errorMessage: 'account closed' },
    ...{ confirmedAt: null, amount: 700 },
  })
  // The key's answer stays what was answered.
  expect((await ada.refund(id, 'fails later', 700)).text).toBe(text)
  // The whole is free again here. The simulated gateway knows better, and refuses.
  expect(await ada.refund(id, 'again', 1_000)).toMatchObject({
    status: 422,
    body: { gatewayCode: 'too_much' },
  })
  expect((await ada.send(path)).body['items']).toMatchObject([
    { amount: 700, status: 'failed' },
    { amount: 1_000, status: 'failed', errorCode: 'too_much' },
  ])
  expect((await ada.send(`${path}/${id}`)).status).toBe(404)
})
