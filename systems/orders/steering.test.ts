import { schedule, transaction, uuid } from '@posthorn/engine'
import { advanceClock, listAlerts, useMovableClock } from '@posthorn/operate'
import { postgresTransport } from '@posthorn/transports/postgres'
import { afterAll, expect, test } from 'vitest'
import { releaseStock, reserveStock, shipStock } from './stock/reservation.ts'
import { SHIPMENTS } from './shipment/shipper.ts'
import { expectStockAddsUp, orderDatabase, runOrders, runParticipants } from './testing/running.ts'

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
const broker = postgresTransport({
  pool: db.connect(),
  retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
})
const stop = await runParticipants(paying, { db, broker, name: 'topics' })
afterAll(stop)
const ada = await running.as({ role: 'operator' })
const wait = { timeout: 60_000, interval: 25 }

async function payOrder() {
  const order = await ada.order()
  const step = async () => String((await ada.get(`/sagas/${order.sagaId}`)).body.step)
  await expect.poll(step, wait).toBe('shipped')
  return order
}

/** What became of an order's goods, and what the audit says of it. */
async function goodsOf(orderId: string) {
  const { rows } = await db.pool.query<{ status: string; audited: string[] }>(
    `select status,
            array(select operation || ' by ' || actor || ': ' || reason from posthorn.operation
                   where subject = $1::text and tenant = r.org_id) as audited
       from sagas.stock_reservation as r where order_id = $1::uuid`,
    [orderId],
  )
  await expectStockAddsUp(db)
  return rows[0]
}

test('a cancelled order gives everything back', async () => {
  const { id, sagaId } = await payOrder()
  expect((await ada.get(`/sagas/${sagaId}`)).body).toMatchObject({
    status: 'RUNNING',
    waitsFor: ['shipment.booked', 'shipment.refused'],
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

test('only operators act on sagas', async () => {
  const { id, sagaId } = await payOrder()
  const before = (await ada.get(`/sagas/${sagaId}`)).body
  expect(before.allows).toEqual(['cancel', 'skip', 'terminate'])
  const body = { reason: 'because', step: 'shipped' }
  for (const role of ['clerk', 'member', 'admin'] as const) {
    const other = await running.as({ role })
    for (const verb of ['cancel', 'resume', 'skip', 'terminate']) {
      expect((await other.post(`/sagas/${sagaId}/${verb}`, body)).status).toBe(403)
    }
  }
  for (const verb of ['skip', 'terminate']) {
    const missing = await ada.post(`/sagas/${sagaId}/${verb}`, { ...body, reason: ' ' })
    expect(missing.status).toBe(400)
    expect(missing.body.errors.map(({ field }: { field: string }) => field)).toContain('reason')
  }
  // Its last command may have gone out meanwhile.
  const { events: _, ...same } = before
  expect((await ada.get(`/sagas/${sagaId}`)).body).toMatchObject(same)
  const why = { reason: 'the parcel was lost', step: 'reserved' }
  expect(await ada.post(`/sagas/${sagaId}/terminate`, why)).toMatchObject({
    status: 409,
    body: { code: 'SAGA_MOVED' },
  })
  const ended = await ada.post(`/sagas/${sagaId}/terminate`, { ...why, step: 'shipped' })
  expect(ended).toMatchObject({
    status: 202,
    body: {
      status: 'TERMINATED',
      actions: [{ action: 'terminate', step: 'shipped', by: 'ada', reason: why.reason }],
      allows: [],
    },
  })
  expect(await ada.status(id)).toBe('FAILED')
  const failed = (await ada.get('/orders?status=FAILED')).body.items
  expect(failed.map((order: { id: string }) => order.id)).toContain(id)
  expect((await running.ledger(id)).refunds).toEqual([])
  expect(await goodsOf(id)).toEqual({
    ...{ status: 'RELEASED', audited: [`order.release-goods by ada: ${why.reason}`] },
  })
  // A late command finds the order closed.
  const { rows } = await db.pool.query('select status from sagas.shipment where order_id = $1', [
    id,
  ])
  expect(rows).toEqual([{ status: 'CANCELLED' }])
})

test('goods that have left come back where an order is cancelled in that moment', async () => {
  const key = { orderId: uuid(), orgId: 'acme' }
  const items = [{ sku: 'LAMP', quantity: 7 }]
  await transaction(db.pool, async (tx) => {
    await reserveStock(tx, { ...key, items }, 1_000_000)
    await shipStock(tx, key)
  })
  await expectStockAddsUp(db)
  expect(await transaction(db.pool, (tx) => releaseStock(tx, key))).toBe(true)
  expect(await transaction(db.pool, (tx) => releaseStock(tx, key))).toBe(false)
  expect(await goodsOf(key.orderId)).toMatchObject({ status: 'RELEASED' })
})

test('a shipment that was booked by hand completes its order', async () => {
  const { id, sagaId } = await payOrder()
  const data = { trackingCode: 'BY-HAND' }
  const body = { step: 'shipped', reason: 'booked by phone', data }
  expect((await ada.post(`/sagas/${sagaId}/skip`, body)).status).toBe(202)
  await expect.poll(() => ada.status(id), wait).toBe('COMPLETED')
  expect((await ada.get(`/sagas/${sagaId}`)).body.steps.at(-1)).toMatchObject({
    ...{ name: 'shipped', status: 'COMPLETED', skipped: 'action', output: data },
  })
  const audited = ['order.ship-goods by ada: booked by phone']
  expect(await goodsOf(id)).toEqual({ status: 'SHIPPED', audited })
})

test('an order that is not shipped in a day is undone', async () => {
  const { id } = await payOrder()
  await advanceClock(db.pool, '25h')
  await expect.poll(() => ada.status(id), wait).toBe('COMPENSATED')
  expect((await ada.get(`/orders/${id}`)).body.errorCode).toBe('SAGA_REPLY_TIMEOUT')
  expect((await running.ledger(id)).refunds).toHaveLength(1)
})

/** An order whose refund was refused for an hour. */
async function stickRefund() {
  const { id, sagaId } = await payOrder()
  await running.fault({ mode: 'error', status: 500 })
  await ada.post(`/sagas/${sagaId}/cancel`)
  const countFailed = async () => {
    await advanceClock(db.pool, '5m')
    return ada.status(id)
  }
  await expect.poll(countFailed, { timeout: 30_000, interval: 50 }).toBe('FAILED')
  return { id, sagaId }
}

test('a refund that is made by hand is skipped, and the rest is undone', async () => {
  const { id, sagaId } = await stickRefund()
  const measured = await system.measures?.[0]?.read()
  expect(measured?.map(({ labels }) => labels.type)).toEqual(['failed', 'held', 'retrying'])
  expect(measured?.[0]?.value).toBeGreaterThan(0)
  expect(measured?.[1]?.value).toBe(0)
  const stuck = (await ada.get(`/sagas/${sagaId}`)).body
  expect(stuck).toMatchObject({ step: 'pay', direction: 'back' })
  expect(stuck.allows).toEqual(['resume', 'skip', 'terminate'])
  const body = { step: 'pay', reason: 'refunded by bank transfer' }
  expect((await ada.post(`/sagas/${sagaId}/skip`, body)).status).toBe(202)
  await running.fault({ mode: 'ok' })
  await expect.poll(() => ada.status(id), wait).toBe('COMPENSATED')
  const saga = (await ada.get(`/sagas/${sagaId}`)).body
  expect(saga).toMatchObject({
    error: { code: 'SAGA_CANCELLED' },
    actions: [{ action: 'cancel' }, { action: 'skip', was: 'FAILED', step: 'pay' }],
  })
  expect(saga.compensations).toMatchObject([
    { step: 'ship', status: 'COMPENSATED', undoneAt: expect.any(String) as string },
    { step: 'pay', status: 'COMPENSATED', undoneAt: null },
    { step: 'reserve', status: 'COMPENSATED' },
  ])
  expect((await running.ledger(id)).refunds).toEqual([])
  await expectStockAddsUp(db)
})

test('a refund that is refused for an hour is for a person, who resumes it', async () => {
  const { id, sagaId } = await stickRefund()
  const alerts = async () =>
    (await listAlerts(db.pool, { code: 'SAGA_STUCK' })).items
      .filter(({ subject }) => subject === sagaId)
      .map(({ state }) => state)
  expect(await alerts()).toEqual(['open'])
  expect((await ada.get(`/sagas/${sagaId}`)).body.compensations).toMatchObject([
    { step: 'ship', status: 'COMPENSATED' },
    { step: 'pay', status: 'UNDOING', attempts: 20 },
  ])
  await running.fault({ mode: 'ok' })
  expect((await ada.post(`/sagas/${sagaId}/resume`)).status).toBe(202)
  await expect.poll(() => ada.status(id), wait).toBe('COMPENSATED')
  expect(await alerts()).toEqual(['recovered'])
  const { charges, refunds } = await running.ledger(id)
  expect([charges.length, refunds.length]).toEqual([1, 1])
  await expectStockAddsUp(db)
})

test('a held order waits for the signal that releases it, and is not begun without', async () => {
  const { id, sagaId } = await ada.order({ hold: true })
  await expect
    .poll(async () => (await ada.get(`/sagas/${sagaId}`)).body.waitsFor, wait)
    .toEqual(['signal:release'])
  const saga = (await ada.get(`/sagas/${sagaId}`)).body
  expect(saga).toMatchObject({ name: 'held-order', step: 'release', atHand: ['release'] })
  expect(saga.steps[0]).toMatchObject({ status: 'WAITING', dueAt: expect.any(String) as string })
  const send = (body: object, headers: Record<string, string> = {}) =>
    ada.post(`/sagas/${sagaId}/events`, body, headers)
  // What a participant answers is no signal.
  expect(await send({ name: 'stock.reserved' })).toMatchObject({
    status: 409,
    body: { code: 'SAGA_SIGNAL_REFUSED' },
  })
  expect((await send({ name: '' })).status).toBe(400)
  expect((await send({ name: 'release', payload: 'x'.repeat(70_000) })).status).toBe(413)
  const other = await running.as({ role: 'operator', org: 'other' })
  expect((await other.post(`/sagas/${sagaId}/events`, { name: 'release' })).status).toBe(404)
  const member = await running.as({ role: 'member' })
  expect((await member.post(`/sagas/${sagaId}/events`, { name: 'release' })).status).toBe(403)
  const key = { 'idempotency-key': `release ${id}` }
  expect(await send({ name: 'release' }, key)).toMatchObject({
    status: 202,
    body: { outcome: 'woke' },
  })
  // The same answer again, and no second signal.
  expect(await send({ name: 'release' }, key)).toMatchObject({
    status: 202,
    body: { outcome: 'woke' },
  })
  await expect.poll(async () => (await ada.get(`/sagas/${sagaId}`)).body.step, wait).toBe('shipped')
  const released = (await ada.get(`/sagas/${sagaId}`)).body
  expect(released.replies.filter(({ kind }: { kind: string }) => kind === 'signal')).toMatchObject([
    { type: 'release', status: 'USED' },
  ])
})
