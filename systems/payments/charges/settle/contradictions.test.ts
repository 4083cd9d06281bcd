import { transaction, uuid } from '@posthorn/engine'
import { acknowledgeAlert, listAlerts } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { createGateway, type Gateway } from '@posthorn/gateway'
import { paymentsDatabase, runPayments } from '../../testing/running.ts'
import { drive } from '../drive.ts'
import { receiveEvent } from '../inbound/event.ts'
import { beginMove, beginPayment, paymentKeys, type Begun } from '../work.ts'

const db = await paymentsDatabase()
const { pool } = db
const running = await runPayments(db, { by: 'hand' })
// The tests speak for the gateway themselves.
await running.gateway('webhooks', { copies: 0 })
const ada = await running.as({})
const settings = { GATEWAY_URL: 'simulated', GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS: 5_000 }
const gateway = createGateway({ settings, baseUrl: () => running.url })
const keys = paymentKeys({ expires: '24h', lockMs: 60_000, gatewayTimeoutMs: 5_000 })
const caller = { sub: 'ada', org: 'acme', role: 'member', expiresAt: 0 } as const

async function say(type: string, data: object): Promise<void> {
  const event = { id: `evt_${uuid()}`, type, data }
  await transaction(pool, (tx) => receiveEvent(tx, { event, text: JSON.stringify(event) }))
}

/** The gateway, whose webhook overtakes its answer. */
function overtaken(webhook: () => Promise<void>): Gateway {
  return {
    ...gateway,
    async charge(order) {
      const answer = await gateway.charge(order)
      await webhook()
      return answer
    },
    async refund(order) {
      const answer = await gateway.refund(order)
      await webhook()
      return answer
    },
  }
}

const keyed = () => ({ scope: 'test', key: uuid(), fingerprint: '' })

function workOf(begun: Begun) {
  if (begun.kind !== 'work') throw new Error(`the work was not begun but ${begun.kind}`)
  return begun
}

async function pay(amount: number, webhook: (id: string) => Promise<void>) {
  const payment = { amount, currency: 'EUR' }
  const begun = await transaction(pool, (tx) =>
    beginPayment(tx, keys, { keyed: keyed(), caller, payment }),
  )
  const { claim, work } = workOf(begun)
  const driver = { pool, gateway: overtaken(() => webhook(work.paymentId)), by: 'ada' }
  return { id: work.paymentId, driven: await drive(driver, claim, work) }
}

async function booksOf(id: string) {
  const { body } = await ada.send(`/api/v1/payments/${id}/transactions`)
  const alerts = await listAlerts(pool, { source: 'payments.webhooks' })
  return {
    status: (await ada.payment(id))['status'],
    transactions: (body['items'] as { type: string; status: string }[]).map(
      ({ type, status }) => `${type} ${status}`,
    ),
    alerts: alerts.items.filter(({ subject }) => subject === id).map(({ detail }) => detail),
  }
}

test('a decline after the webhook said succeeded: the client is answered succeeded', async () => {
  const { id, driven } = await pay(1_002, (paymentId) => say('payment.succeeded', { paymentId }))
  expect(driven).toMatchObject({ kind: 'settled', response: { status: 201 } })
  const { status, transactions, alerts } = await booksOf(id)
  expect(status).toBe('succeeded')
  expect(transactions).toEqual(['charge succeeded'])
  expect(alerts).toEqual([
    expect.stringMatching(/webhook said succeeded, but it answered .*card_declined/),
  ])
})

test('a charge after the webhook said failed: the client is answered failed', async () => {
  const { id, driven } = await pay(1_000, (paymentId) => say('payment.failed', { paymentId }))
  expect(driven).toMatchObject({ kind: 'settled', response: { status: 422 } })
  const { status, transactions, alerts } = await booksOf(id)
  expect(status).toBe('failed')
  expect(transactions).toEqual(['charge failed'])
  expect(alerts).toEqual([
    expect.stringMatching(/webhook said failed, but it answered that it took the money \(ch_/),
  ])
})

test('an answer with another reference than the webhook had is alerted with both', async () => {
  const { id, driven } = await pay(1_000, (paymentId) =>
    say('payment.succeeded', { paymentId, gatewayRef: 'ch_other' }),
  )
  expect(driven).toMatchObject({ kind: 'settled', response: { status: 201 } })
  expect(await ada.payment(id)).toMatchObject({ status: 'succeeded', gatewayRef: 'ch_other' })
  expect((await booksOf(id)).alerts).toEqual([expect.stringMatching(/as ch_.* named ch_other/)])
})

test('a webhook of the reference alone that overtakes the answer is applied with it', async () => {
  const { id, driven } = await pay(1_000, async (paymentId) => {
    const { charges } = await running.ledger()
    const charge = charges.find(({ reference }) => reference === paymentId)
    await say('payment.succeeded', { gatewayRef: charge?.id, amount: 1_000 })
  })
  expect(driven).toMatchObject({ kind: 'settled', response: { status: 201 } })
  expect(await booksOf(id)).toMatchObject({ status: 'succeeded', alerts: [] })
})

test('what both say alike is no contradiction', async () => {
  const charged = await pay(1_000, (paymentId) => say('payment.succeeded', { paymentId }))
  expect(await booksOf(charged.id)).toEqual({
    status: 'succeeded',
    transactions: ['charge succeeded'],
    alerts: [],
  })
  const declined = await pay(1_002, (paymentId) => say('payment.failed', { paymentId }))
  expect(declined.driven).toMatchObject({ response: { status: 422 } })
  expect(await booksOf(declined.id)).toEqual({
    status: 'failed',
    transactions: ['charge failed'],
    alerts: [],
  })
})

test('a refund that is refused after its webhook counts as refunded, with an alert', async () => {
  const { id } = await pay(1_000, (paymentId) => say('payment.succeeded', { paymentId }))
  const asked = { keyed: keyed(), caller, paymentId: id, amount: 400 }
  const { claim, work } = workOf(
    await transaction(pool, (tx) =>
      beginMove(tx, keys, { ...asked, type: 'refund', approval: 'approved' }),
    ),
  )
  await running.gateway('faults', { mode: 'error', status: 422, code: 'too_old', times: 1 })
  const webhook = () => say('payment.refunded', { paymentId: id, amount: 400 })
  const driver = { pool, gateway: overtaken(webhook), by: 'ada' }
  expect(await drive(driver, claim, work)).toMatchObject({ response: { status: 201 } })
  const { status, transactions, alerts } = await booksOf(id)
  expect(status).toBe('succeeded')
  expect(transactions).toEqual(['charge succeeded', 'refund succeeded'])
  expect(alerts).toEqual([
    expect.stringMatching(/webhook said refunded, but it answered .*too_old/),
  ])
})

test('a second contradiction is an alert of its own, and an acknowledgement ends the first', async () => {
  const { id } = await pay(1_000, (paymentId) => say('payment.succeeded', { paymentId }))
  await say('payment.failed', { paymentId: id })
  const alerts = async () => {
    const { items } = await listAlerts(pool, { source: 'payments.webhooks' })
    return items.filter(({ subject }) => subject === id)
  }
  const [first] = await alerts()
  await transaction(pool, (tx) => acknowledgeAlert(tx, { id: String(first?.id), by: 'ada' }))
  await say('payment.failed', { paymentId: id })
  await say('payment.refunded', { paymentId: id, amount: 1_001 })
  expect((await alerts()).map(({ code, state }) => [code, state])).toEqual([
    ['PAYMENT_EVENT_MISMATCH', 'open'],
    ['PAYMENT_STATE_CONFLICT', 'open'],
    ['PAYMENT_STATE_CONFLICT', 'recovered'],
  ])
  const [, second] = await alerts()
  expect(second?.detail).not.toBe(first?.detail)
})

test.each(['constructor', 'toString', '__proto__'])('an event of type %s is kept', async (type) => {
  const { id } = await pay(1_000, (paymentId) => say('payment.succeeded', { paymentId }))
  await say(type, { paymentId: id })
  expect(await booksOf(id)).toMatchObject({ status: 'succeeded', alerts: [] })
  const { body } = await ada.send(`/api/v1/webhook-events?paymentId=${id}`)
  expect(body['items'][0]).toMatchObject({ type, status: 'kept' })
})
