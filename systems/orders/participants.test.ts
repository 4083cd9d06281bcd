import { type Message, silentLog, sql, toMessage, transaction, uuid } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { type Gateway, createGateway } from '@posthorn/gateway'
import { COMMANDS } from './events.ts'
import { orderEvents } from './outbox.ts'
import { cashier, chargeKey, refundPayment } from './payment/cashier.ts'
import { cancelShipment } from './queries.ts'
import { shipper } from './shipment/shipper.ts'
import { releaseStock, stockKeeper } from './stock/reservation.ts'
import { expectStockAddsUp, orderDatabase, runOrders } from './testing/running.ts'

const db = await orderDatabase()
const { pool } = db
const running = await runOrders(db)
const gateway = createGateway({
  settings: {
    GATEWAY_URL: `${running.url}/sim/gateway`,
    GATEWAY_API_KEY: 'k',
    GATEWAY_TIMEOUT_MS: 300,
  },
  baseUrl: () => running.url,
})
const events = orderEvents('topics', 'orders')
const options = { pool, events, transport: 'topics', log: silentLog }
const stock = stockKeeper(options, 1_000_000)
const payments = (way: Gateway = gateway) => cashier({ ...options, gateway: way, callMs: 1_000 })
const shipments = shipper(options)
const context = { ref: {}, signal: new AbortController().signal }

const orgId = 'acme'
const newOrder = () => ({ orderId: uuid(), orgId, amount: 4_200, currency: 'EUR' })
type Order = ReturnType<typeof newOrder>

function commandOf(type: string, payload: object, sagaId = uuid()): Message {
  return toMessage({ id: uuid(), type, payload, tenant: orgId, headers: { 'saga-id': sagaId } })
}
const takePayment = ({ orderId, amount, currency }: Order) =>
  commandOf(COMMANDS.take, { orderId, amount, currency })
const refund = (order: Order) =>
  transaction(pool, (tx) =>
    refundPayment(tx, { ...order, key: chargeKey(order.orderId) }, { pool, gateway }),
  )
const paymentOf = async ({ orderId }: Order) =>
  (
    await pool.query<{ status: string }>(sql`
    select status from sagas.payment where order_id = ${orderId}`)
  ).rows[0]?.status
const repliesTo = async ({ headers }: Message) =>
  (
    await pool.query<{ type: string }>(sql`
      select event_type as type from sagas.saga_outbox where saga_id = ${headers['saga-id']}`)
  ).rows.map(({ type }) => type)

test('50 copies of one command at once reserve once', async () => {
  const { orderId } = newOrder()
  const message = commandOf(COMMANDS.reserve, { orderId, items: [{ sku: 'DESK', quantity: 3 }] })
  await Promise.all(Array.from({ length: 50 }, () => stock.handle(message, context)))
  expect(await repliesTo(message)).toEqual(['stock.reserved'])
  const { rows } = await pool.query(sql`select reserved from sagas.stock where sku = 'DESK'`)
  expect(rows).toEqual([{ reserved: '3' }])
  const { rows: seen } = await pool.query(sql`
    select consumer from sagas.consumer_inbox where event_id = ${message.id}`)
  expect(seen).toEqual([{ consumer: 'orders.stock' }])
})

test('50 copies of one command at once charge once, and answer once', async () => {
  const order = newOrder()
  const message = takePayment(order)
  const consumer = payments()
  await Promise.all(Array.from({ length: 50 }, () => consumer.handle(message, context)))
  expect(await repliesTo(message)).toEqual(['payment.taken'])
  expect((await running.ledger(order.orderId)).charges).toHaveLength(1)
})

test('50 copies of one command at once book once', async () => {
  const { orderId } = newOrder()
  const message = commandOf(COMMANDS.book, { orderId })
  await Promise.all(Array.from({ length: 50 }, () => shipments.handle(message, context)))
  expect(await repliesTo(message)).toEqual(['shipment.booked'])
})

test('two commands for one order reserve and charge once, and both are answered', async () => {
  const order = newOrder()
  const { orderId } = order
  const items = [{ sku: 'SOFA', quantity: 1 }]
  for (const message of [0, 1].map(() => commandOf(COMMANDS.reserve, { orderId, items }))) {
    await stock.handle(message, context)
    expect(await repliesTo(message)).toEqual(['stock.reserved'])
  }
  for (const message of [takePayment(order), takePayment(order)]) {
    await payments().handle(message, context)
    expect(await repliesTo(message)).toEqual(['payment.taken'])
  }
  expect((await running.ledger(orderId)).charges).toHaveLength(1)
  await expectStockAddsUp(db)
})

test('a command that comes after its undoing does nothing, and says so', async () => {
  const order = newOrder()
  const { orderId } = order
  expect(await transaction(pool, (tx) => releaseStock(tx, order))).toBe(false)
  expect(await transaction(pool, (tx) => cancelShipment(tx, order))).toBe(false)
  expect(await refund(order)).toBe(false)
  const late = [
    commandOf(COMMANDS.reserve, { orderId, items: [{ sku: 'BED', quantity: 1 }] }),
    takePayment(order),
    commandOf(COMMANDS.book, { orderId }),
  ]
  for (const [n, consumer] of [stock, payments(), shipments].entries()) {
    const message = late[n] as Message
    await consumer.handle(message, context)
    expect(await repliesTo(message)).toEqual([`${message.type.split('.')[0]}.refused`])
  }
  expect((await running.ledger(orderId)).charges).toEqual([])
  expect(await paymentOf(order)).toBe('CANCELLED')
  const { rows } = await pool.query(sql`select * from sagas.stock where sku = 'BED'`)
  expect(rows).toEqual([])
})

test('undoing twice gives back once', async () => {
  const order = newOrder()
  const { orderId } = order
  const items = [{ sku: 'VASE', quantity: 2 }]
  await stock.handle(commandOf(COMMANDS.reserve, { orderId, items }), context)
  await payments().handle(takePayment(order), context)
  await shipments.handle(commandOf(COMMANDS.book, { orderId }), context)
  const undo = async () => [
    await transaction(pool, (tx) => cancelShipment(tx, order)),
    await refund(order),
    await transaction(pool, (tx) => releaseStock(tx, order)),
  ]
  expect(await undo()).toEqual([true, true, true])
  expect(await undo()).toEqual([false, false, false])
  expect((await running.ledger(orderId)).refunds).toHaveLength(1)
  await expectStockAddsUp(db)
})

test('a payment under way is waited for, and then given back', async () => {
  const order = newOrder()
  const there = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const slow: Gateway = {
    ...gateway,
    async charge(charge) {
      there.resolve()
      await go.promise
      return gateway.charge(charge)
    },
  }
  const taking = payments(slow).handle(takePayment(order), context)
  await there.promise
  await expect(refund(order)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
  go.resolve()
  await taking
  expect(await paymentOf(order)).toBe('CHARGED')
  expect(await refund(order)).toBe(true)
  expect(await paymentOf(order)).toBe('REFUNDED')
})

test('a charge without a record is found and refunded', async () => {
  const order = newOrder()
  const lost: Gateway = {
    ...gateway,
    async charge(charge) {
      await gateway.charge(charge)
      throw new Error('the process is gone')
    },
  }
  await expect(payments(lost).handle(takePayment(order), context)).rejects.toThrow('gone')
  await pool.query(sql`
    update sagas.payment set calling_until = now() where order_id = ${order.orderId}`)
  expect(await refund(order)).toBe(true)
  const { charges, refunds } = await running.ledger(order.orderId)
  expect([charges.length, refunds.length]).toEqual([1, 1])
})

test('a charge of yesterday, whose key the gateway has forgotten, is found and not made again', async () => {
  const order = newOrder()
  const lost: Gateway = {
    ...gateway,
    async charge(charge) {
      await gateway.charge(charge)
      throw new Error('the process is gone')
    },
  }
  const message = takePayment(order)
  await expect(payments(lost).handle(message, context)).rejects.toThrow('gone')
  await pool.query(sql`
    update sagas.payment set created_at = now() - interval '25 hours'
     where order_id = ${order.orderId}`)
  const forgetful: Gateway = {
    ...gateway,
    charge: (charge) => gateway.charge({ ...charge, key: `anew/${charge.key}` }),
  }
  await payments(forgetful).handle(message, context)
  expect(await paymentOf(order)).toBe('CHARGED')
  expect((await running.ledger(order.orderId)).charges).toHaveLength(1)
})

test('a caller that wakes up after its payment was cancelled refunds its charge', async () => {
  const order = newOrder()
  const there = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const asleep: Gateway = {
    ...gateway,
    async charge(charge) {
      there.resolve()
      await go.promise
      return gateway.charge(charge)
    },
  }
  const message = takePayment(order)
  const consumer = payments(asleep)
  const taking = consumer.handle(message, context)
  await there.promise
  await pool.query(sql`
    update sagas.payment set calling_until = now() where order_id = ${order.orderId}`)
  expect(await refund(order)).toBe(false)
  expect(await paymentOf(order)).toBe('CANCELLED')
  go.resolve()
  await expect(taking).rejects.toMatchObject({ code: 'PAYMENT_CANCELLED' })
  await consumer.handle(message, context)
  expect(await paymentOf(order)).toBe('REFUNDED')
  const { charges, refunds } = await running.ledger(order.orderId)
  expect([charges.length, refunds.length]).toEqual([1, 1])
  expect(await repliesTo(message)).toEqual(['payment.refused'])
})

test('of two that set out, one that fails does not hide the charge of the other', async () => {
  const order = newOrder()
  const go = Promise.withResolvers<void>()
  const slow: Gateway = {
    ...gateway,
    async charge(charge) {
      await go.promise
      return gateway.charge(charge)
    },
  }
  const error = { code: 'broken', message: 'It broke.' }
  const broken: Gateway = { ...gateway, charge: async () => ({ kind: 'failed', error }) }
  const message = takePayment(order)
  const first = payments(slow).handle(message, context)
  await expect.poll(() => paymentOf(order)).toBe('CHARGING')
  await payments(broken).handle(message, context)
  expect(await paymentOf(order)).toBe('FAILED')
  await expect(refund(order)).rejects.toMatchObject({ code: 'PAYMENT_UNDER_WAY' })
  go.resolve()
  await first
  await pool.query(sql`
    update sagas.payment set calling_until = now() where order_id = ${order.orderId}`)
  expect(await refund(order)).toBe(true)
  const { charges, refunds } = await running.ledger(order.orderId)
  expect([charges.length, refunds.length]).toEqual([1, 1])
})

test.each([
  ['no saga', {}],
  ['something that is none', { 'saga-id': 'x' }],
])('a command of %s is skipped, not retried', async (_what, headers) => {
  const message = { ...takePayment(newOrder()), headers } as Message
  await payments().handle(message, context)
  const { rows } = await pool.query(sql`
    select consumer from sagas.consumer_inbox where event_id = ${message.id}`)
  expect(rows).toEqual([])
})

test.each([
  ['payment.take', { tenant: undefined }, payments(), 'no organisation'],
  ['payment.take', { payload: { orderId: 'x' } }, payments(), 'orders.payments cannot read'],
  ['stock.reserve', { payload: { orderId: uuid(), items: [{}] } }, stock, 'items/0'],
  ['shipment.book', { payload: null }, shipments, 'orders.shipments cannot read'],
])('%s that it cannot understand is refused, once', async (type, fields, consumer, why) => {
  const whole = { orderId: uuid(), amount: 1, currency: 'EUR' }
  const message = { ...commandOf(type, whole), ...fields } as Message
  await consumer.handle(message, context)
  await consumer.handle(message, context)
  const { rows } = await pool.query(sql`
    select event_type, payload from sagas.saga_outbox where saga_id = ${message.headers['saga-id']}`)
  expect(rows).toEqual([
    {
      event_type: `${type.split('.')[0]}.refused`,
      payload: { code: 'COMMAND_INVALID', message: expect.stringContaining(why) as string },
    },
  ])
})

test('the database holds what must not be', async () => {
  const bad = [
    `update sagas.stock set available = -1`,
    `update sagas.stock set reserved = -1`,
    `update sagas.payment set status = 'REFUNDED' where status = 'CHARGED'`,
    `update sagas.payment set gateway_ref = null where status = 'CHARGED'`,
    `update sagas.shipment set status = 'LOST'`,
  ]
  for (const statement of bad) await expect(pool.query(statement)).rejects.toThrow('violates check')
})
