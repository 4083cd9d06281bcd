import { schedule } from '@posthorn/engine'
import { advanceClock, listAlerts, useMovableClock } from '@posthorn/engine/operate'
import { postgresTopics } from '@posthorn/transports/postgres'
import { afterAll, expect, test } from 'vitest'
import { SHIPMENTS } from './shipment/shipper.ts'
import { expectStockAddsUp, orderDatabase } from './testing/order-database.ts'
import { runOrders, runParticipants } from './testing/running.ts'

const db = await orderDatabase()
await useMovableClock(db.pool)
const running = await runOrders(db, { GATEWAY_TIMEOUT_MS: '300' })
const { system } = running
// No shipper runs: an order that waits for one has been paid.
const paying = {
  ...running,
  system: {
    ...system,
    consumers: (system.consumers ?? []).filter(({ group }) => group !== SHIPMENTS),
  },
}
const broker = postgresTopics({
  pool: db.connect(),
  retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
})
const stop = await runParticipants(paying, { db, broker, name: 'topics' })
afterAll(stop)
const ada = await running.as()
const wait = { timeout: 20_000, interval: 25 }

async function payOrder() {
  const order = await ada.order()
  const step = async () => String((await ada.get(`/sagas/${order.sagaId}`)).body.step)
  await expect.poll(step, wait).toBe('shipped')
  return order
}

test('a cancelled order gives everything back', async () => {
  const { id, sagaId } = await payOrder()
  expect((await ada.get(`/sagas/${sagaId}`)).body).toMatchObject({
    status: 'RUNNING',
    waitsFor: ['shipment.booked'],
  })
  const cancelled = await ada.post(`/sagas/${sagaId}/cancel`)
  expect(cancelled.status).toBe(202)
  await expect.poll(() => ada.status(id), wait).toBe('COMPENSATED')
  const saga = (await ada.get(`/sagas/${sagaId}`)).body
  expect(saga.cancelledAt).not.toBeNull()
  expect(saga.compensations).toMatchObject(
    ['ship', 'pay', 'reserve'].map((step) => ({ step, status: 'COMPENSATED', attempts: 1 })),
  )
  expect(saga.events.slice(-2).map(({ type }: { type: string }) => type)).toEqual([
    'payment.refunded',
    'stock.released',
  ])
  expect((await running.ledger(id)).refunds).toHaveLength(1)
  await expectStockAddsUp(db)
})

test('an order that is not shipped in a day is undone', async () => {
  const { id } = await payOrder()
  await advanceClock(db.pool, '25h')
  await expect.poll(() => ada.status(id), wait).toBe('COMPENSATED')
  expect((await ada.get(`/orders/${id}`)).body.errorCode).toBe('SAGA_REPLY_TIMEOUT')
  expect((await running.ledger(id)).refunds).toHaveLength(1)
})

test('a refund that is refused for an hour is for a person, who resumes it', async () => {
  const { id, sagaId } = await payOrder()
  await running.fault({ mode: 'error', status: 500 })
  await ada.post(`/sagas/${sagaId}/cancel`)
  const countFailed = async () => {
    await advanceClock(db.pool, '5m')
    return ada.status(id)
  }
  await expect.poll(countFailed, { timeout: 30_000, interval: 50 }).toBe('FAILED')
  const alerts = async () =>
    (await listAlerts(db.pool, { code: 'SAGA_STUCK' })).items.map(({ subject, state }) => [
      subject,
      state,
    ])
  expect(await alerts()).toEqual([[sagaId, 'open']])
  expect((await ada.get(`/sagas/${sagaId}`)).body.compensations).toMatchObject([
    { step: 'ship', status: 'COMPENSATED' },
    { step: 'pay', status: 'UNDOING', attempts: 20 },
  ])
  await running.fault({ mode: 'ok' })
  expect((await ada.post(`/sagas/${sagaId}/resume`)).status).toBe(202)
  await expect.poll(() => ada.status(id), wait).toBe('COMPENSATED')
  expect(await alerts()).toEqual([[sagaId, 'recovered']])
  const { charges, refunds } = await running.ledger(id)
  expect([charges.length, refunds.length]).toEqual([1, 1])
  await expectStockAddsUp(db)
})
