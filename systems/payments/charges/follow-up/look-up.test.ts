import { silentLog, uuid } from '@posthorn/engine'
import { advanceClock, listAlerts, useMovableClock } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { createGateway, type Gateway } from '@posthorn/gateway'
import { followUpOnce, paymentsDatabase, runPayments } from '../../testing/running.ts'
import { paymentKeys } from '../work.ts'
import { followUps } from './follow-up.ts'
import { oldestPending } from './queries.ts'

const db = await paymentsDatabase()
await useMovableClock(db.pool)
// The tests look step by step.
const running = await runPayments(db, { by: 'hand' })
const ada = await running.as({})
await running.gateway('webhooks', { copies: 0 })
await db.pool.query(
  `insert into payments.webhook_endpoints (id, org_id, url, event_types)
   values ($1, 'acme', 'https://merchant.test/', '{*}')`,
  [uuid()],
)

const settings = { GATEWAY_URL: 'simulated', GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS: 1_500 }
const gateway = createGateway({ settings, baseUrl: () => running.url })
const keys = paymentKeys({ expires: '24h', lockMs: 60_000, gatewayTimeoutMs: 1_500 })
const look = (asked: Gateway = gateway) =>
  followUpOnce(db.pool, followUps({ pool: db.pool, keys, gateway: asked, log: silentLog }))

async function pay(): Promise<string> {
  const { body } = await ada.pay(uuid())
  return String(body['id'])
}
const statusOf = async (id: string) => (await ada.payment(id))['status']
const alertsOf = async (subject: string) =>
  (await listAlerts(db.pool, { source: 'payments.lookups' })).items
    .filter((alert) => alert.subject === subject)
    .map(({ code, state }) => `${code} ${state}`)

test('a payment whose webhook is lost is asked about, once, and forwarded as its webhook would be', async () => {
  const id = await pay()
  const { updatedAt } = await ada.payment(id)
  expect(await look()).toBe(0)
  await advanceClock(db.pool, '4m')
  expect(await look()).toBe(0)
  expect((await oldestPending(db.pool)).charge).toBeGreaterThan(230)
  await advanceClock(db.pool, '2m')
  const asked = await Promise.all([look(), look(), look()])
  expect(asked.reduce((sum, count) => sum + count, 0)).toBe(1)
  expect(await statusOf(id)).toBe('succeeded')
  expect((await oldestPending(db.pool)).charge).toBe(0)
  const { body } = await ada.send(`/api/v1/webhook-events?paymentId=${id}`)
  expect(body['items']).toMatchObject([
    { type: 'payment.succeeded', status: 'applied', source: 'lookup' },
  ])
  const forwarded = await db.pool.query(
    "select event_type from payments.webhook_deliveries where payload -> 'data' ->> 'paymentId' = $1",
    [id],
  )
  expect(forwarded.rows).toEqual([{ event_type: 'payment.succeeded' }])
  expect(await ada.actions(id)).toEqual(['payment.created', 'payment.charged', 'webhook.processed'])
  expect(updatedAt).not.toBe((await ada.payment(id))['updatedAt'])
  // The webhook comes after all.
  await running.event({ id: `evt_${id}`, type: 'payment.succeeded', data: { paymentId: id } })
  expect((await ada.send(`/api/v1/webhook-events/evt_${id}`)).body['status']).toBe('unchanged')
  await advanceClock(db.pool, '2h')
  expect(await look()).toBe(0)
})

test('a process that dies with what it took leaves it to its lease', async () => {
  const id = await pay()
  await advanceClock(db.pool, '6m')
  // Taken, and then nothing.
  const claimed = `update payments.transactions
       set claim_token = gen_random_uuid(), claimed_until = now() + $2::interval
     where payment_id = $1`
  await db.pool.query(claimed, [id, '1 minute'])
  expect(await look()).toBe(0)
  await db.pool.query(claimed, [id, '-1 ms'])
  expect(await look()).toBe(1)
  expect(await statusOf(id)).toBe('succeeded')
})

test('a gateway that does not say is asked later each time, with an alert that recovers', async () => {
  const id = await pay()
  const { updatedAt } = await ada.payment(id)
  await running.gateway('faults', { mode: 'error', status: 500 })
  await advanceClock(db.pool, '6m')
  const waits = []
  for (let minutes = 0; waits.length < 4; minutes += 1) {
    if ((await look()) === 1) waits.push(minutes)
    if (waits.length === 3) expect(await alertsOf(id)).toEqual(['PAYMENT_OVERDUE open'])
    await advanceClock(db.pool, '1m')
  }
  expect(waits).toEqual([0, 1, 3, 7])
  expect(await statusOf(id)).toBe('pending')
  // To be asked about is no change.
  expect((await ada.payment(id))['updatedAt']).toBe(updatedAt)
  await running.gateway('faults', { mode: 'ok' })
  await advanceClock(db.pool, '10m')
  expect(await look()).toBe(1)
  expect(await statusOf(id)).toBe('succeeded')
  expect(await alertsOf(id)).toEqual(['PAYMENT_OVERDUE recovered'])
})

test('a refund whose webhook is lost is asked about, and one that failed at the bank fails here', async () => {
  const id = await pay()
  await running.event({ id: `evt_${id}`, type: 'payment.succeeded', data: { paymentId: id } })
  const refund = await ada.refund(id, undefined, 400)
  expect(refund.status).toBe(201)
  const path = `/api/v1/payments/${id}/refunds`
  await advanceClock(db.pool, '50m')
  expect(await look()).toBe(0)
  await advanceClock(db.pool, '20m')
  expect((await oldestPending(db.pool)).refund).toBeGreaterThan(3_600)
  expect(await Promise.all([look(), look()])).toEqual(expect.arrayContaining([0, 1]))
  expect(await ada.payment(id)).toMatchObject({ refundedAmount: 400, netAmount: 600 })
  const other = await ada.refund(id, undefined, 600)
  await advanceClock(db.pool, '2h')
  const bank = { kind: 'refused', error: { code: 'no_account', message: 'No account.' } } as const
  const refusing = { ...gateway, findRefund: async () => bank }
  await look(refusing)
  expect((await ada.send(`${path}/${String(other.body['id'])}`)).body).toMatchObject({
    ...{ status: 'failed', errorMessage: 'No account.' },
  })
  expect(await ada.payment(id)).toMatchObject({ status: 'succeeded', refundedAmount: 400 })
  expect((await ada.send(`/api/v1/webhook-events?paymentId=${id}`)).body['items']).toMatchObject([
    { type: 'payment.refund_failed', source: 'lookup', status: 'applied' },
    { type: 'payment.refunded', source: 'lookup', status: 'applied' },
    { type: 'payment.succeeded', source: 'webhook' },
  ])
})

test('a charge that the gateway does not know is left open, with an alert', async () => {
  const id = await pay()
  await fetch(`${running.url}/sim/gateway`, { method: 'DELETE' })
  for (let asked = 0; asked < 3; asked += 1) {
    await advanceClock(db.pool, '10m')
    expect(await look()).toBe(1)
  }
  expect(await statusOf(id)).toBe('pending')
  const [alert] = (await listAlerts(db.pool, { source: 'payments.lookups' })).items
  expect(alert).toMatchObject({
    subject: id,
    detail: expect.stringMatching(/asked 3 times\. It knows nothing of it\.$/) as string,
  })
})
