import { type Queryable, schedule, transaction, uuid } from '@posthorn/engine'
import { idempotencyTableSql } from '@posthorn/engine/inbox'
import { outboxConformance } from '@posthorn/engine/testing'
import { startSaga } from '@posthorn/saga'
import { postgresTransport } from '@posthorn/transports/postgres'
import { afterAll, expect, test } from 'vitest'
import { createGateway } from '@posthorn/gateway'
import { orderSaga } from './order-saga.ts'
import { orderEvents } from './outbox.ts'
import { type OrderListing, listOrders } from './queries.ts'
import { orderKeys } from './routes.ts'
import { expectStockAddsUp, orderDatabase, runOrders, runParticipants } from './testing/running.ts'

const db = await orderDatabase()
const running = await runOrders(db, { GATEWAY_TIMEOUT_MS: '300' })
const stop = await runParticipants(running, {
  db,
  name: 'topics',
  broker: postgresTransport({
    pool: db.connect(),
    retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
  }),
})
afterAll(stop)
const ada = await running.as()
const wait = { timeout: 60_000, interval: 25 }

const ends = (id: string) => expect.poll(() => ada.status(id), wait)

test('an order is placed and goes through', async () => {
  const placed = await ada.post('/orders', {
    items: [{ sku: 'LAMP', quantity: 1 }],
    amount: 4_200,
    currency: 'EUR',
  })
  expect(placed.status).toBe(202)
  const { id, sagaId } = placed.body
  expect(placed.body).toEqual({ id, sagaId, status: 'RUNNING' })
  await ends(id).toBe('COMPLETED')

  const { charges, refunds } = await running.ledger(id)
  expect(charges).toMatchObject([{ status: 'succeeded', amount: 4_200 }])
  expect(refunds).toEqual([])
  const saga = await ada.get(`/sagas/${sagaId}`)
  expect(saga.body).toMatchObject({
    id: sagaId,
    name: 'order',
    status: 'COMPLETED',
    input: { orderId: id },
    compensations: [],
    error: null,
  })
  expect(
    saga.body.steps.map(({ name, status }: { name: string; status: string }) => [name, status]),
  ).toEqual(
    ['reserve', 'reserved', 'pay', 'paid', 'ship', 'shipped'].map((name) => [name, 'COMPLETED']),
  )
  expect(saga.body.events.map(({ type }: { type: string }) => type)).toEqual([
    'stock.reserve',
    'stock.reserved',
    'payment.take',
    'payment.taken',
    'shipment.book',
    'shipment.booked',
  ])
  expect(saga.body.replies).toHaveLength(3)
})

test.each([
  ['there is no stock', { items: [{ sku: 'OUT-OF-STOCK', quantity: 1 }] }, 'OUT_OF_STOCK', []],
  [
    'one of several skus is missing',
    { items: ['LAMP', 'OUT-OF-STOCK'].map((sku) => ({ sku, quantity: 1 })) },
    'OUT_OF_STOCK',
    [],
  ],
  ['the payment is declined', { amount: 1_002 }, 'PAYMENT_DECLINED', ['declined']],
  ['the gateway breaks', { amount: 1_050 }, 'GATEWAY_ERROR', []],
])('an order is undone when %s', async (_why, fields, code, charged) => {
  const { id, sagaId } = await ada.order(fields)
  await ends(id).toBe('COMPENSATED')
  expect((await ada.get(`/orders/${id}`)).body).toMatchObject({ errorCode: code })
  const { charges, refunds } = await running.ledger(id)
  expect(charges.map(({ status }) => status)).toEqual(charged)
  expect(refunds).toEqual([])
  const saga = await ada.get(`/sagas/${sagaId}`)
  expect(saga.body.compensations.at(-1)).toMatchObject({ step: 'reserve', status: 'COMPENSATED' })
  await expectStockAddsUp(db)
})

test('a charge whose answer never came is found by its key', async () => {
  const { id } = await ada.order({ amount: 1_008 })
  await ends(id).toBe('COMPLETED')
  expect((await running.ledger(id)).charges).toHaveLength(1)
})

test('a gateway that is away for a while delays a payment and charges once', async () => {
  await running.fault({ mode: 'drop', times: 6 })
  const { id } = await ada.order({})
  await ends(id).toBe('COMPLETED')
  expect((await running.ledger(id)).charges).toHaveLength(1)
})

test('a charge that took effect before the gateway failed is not made again', async () => {
  await running.fault({ mode: 'error', status: 500, effect: true, times: 1 })
  const { id } = await ada.order({})
  await ends(id).toBe('COMPLETED')
  expect((await running.ledger(id)).charges).toHaveLength(1)
})

test('stock is never sold twice', async () => {
  const sku = `RARE-${uuid()}`
  await db.pool.query(`insert into sagas.stock (org_id, sku, available) values ('acme', $1, 5)`, [
    sku,
  ])
  const placed = await Promise.all(
    Array.from({ length: 12 }, () => ada.order({ items: [{ sku, quantity: 1 }] })),
  )
  const statuses = async () => Promise.all(placed.map(({ id }) => ada.status(id)))
  await expect.poll(async () => (await statuses()).includes('RUNNING'), wait).toBe(false)
  expect((await statuses()).filter((status) => status === 'COMPLETED')).toHaveLength(5)
  const { rows } = await db.pool.query(
    'select available, reserved from sagas.stock where sku = $1',
    [sku],
  )
  // They are sold, and no longer reserved.
  expect(rows).toEqual([{ available: '0', reserved: '0' }])
  await db.pool.query('delete from sagas.stock where sku = $1', [sku])
})

test('more of a sku than participants understand is refused, also in two lines', async () => {
  const line = { sku: 'LAMP', quantity: 600_000 }
  const order = { items: [line, line], amount: 500, currency: 'EUR' }
  const { status, body } = await ada.post('/orders', order)
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', errors: [{ field: 'items' }] },
  })
})

test('a command that its participant cannot understand ends the order at once', async () => {
  const tooMany = { sku: 'LAMP', quantity: 2_000_000 }
  const input = { ...{ orderId: uuid(), orgId: 'acme' }, ...{ amount: 500, currency: 'EUR' } }
  const settings = {
    GATEWAY_URL: 'http://127.0.0.1:9',
    GATEWAY_API_KEY: 'k',
    GATEWAY_TIMEOUT_MS: 1,
  }
  const gateway = createGateway({ settings, baseUrl: () => '' })
  const saga = orderSaga({ pool: db.pool, gateway })
  const { id } = await transaction(db.pool, (tx) =>
    startSaga(tx, saga, { input: { ...input, items: [tooMany] }, tenant: 'acme' }),
  )
  const statusOf = async () => (await ada.get(`/sagas/${id}`)).body.status
  await expect.poll(statusOf, wait).toBe('COMPENSATED')
  expect((await ada.get(`/sagas/${id}`)).body.error).toMatchObject({ code: 'COMMAND_INVALID' })
})

test('a sku that is named twice is wanted twice', async () => {
  const line = { sku: 'CHAIR', quantity: 2 }
  const { id } = await ada.order({ items: [line, line] })
  expect((await ada.get(`/orders/${id}`)).body.items).toEqual([{ sku: 'CHAIR', quantity: 4 }])
  await ends(id).toBe('COMPLETED')
})

test('the same Idempotency-Key places one order', async () => {
  const headers = { 'idempotency-key': uuid() }
  const order = { items: [{ sku: 'LAMP', quantity: 1 }], amount: 500, currency: 'EUR' }
  const first = await ada.post('/orders', order, headers)
  const second = await ada.post('/orders', order, headers)
  expect(second.body).toEqual(first.body)
  expect(second.status).toBe(202)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  const other = await ada.post('/orders', { ...order, amount: 600 }, headers)
  expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
  await ends(first.body.id).toBe('COMPLETED')
})

test.each([
  [{ items: [] }, 'items'],
  [{ items: [{ sku: '', quantity: 1 }] }, 'items.0.sku'],
  [{ items: [{ sku: 'a b', quantity: 1 }] }, 'items.0.sku'],
  [{ items: [{ sku: 'A', quantity: 0 }] }, 'items.0.quantity'],
  [{ items: [{ sku: 'A', quantity: 1.5 }] }, 'items.0.quantity'],
  [{ amount: 0 }, 'amount'],
  [{ amount: '12' }, 'amount'],
  [{ currency: 'euro' }, 'currency'],
  [{ currency: 'XXX' }, 'currency'],
  [{ colour: 'red' }, 'colour'],
])('bad input %j is refused and changes nothing', async (fields, field) => {
  const count = async () =>
    (await db.pool.query('select count(*) from sagas.orders, sagas.saga')).rows
  const before = await count()
  const order = { items: [{ sku: 'LAMP', quantity: 1 }], amount: 500, currency: 'EUR' }
  const answer = await ada.post('/orders', { ...order, ...fields })
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field)
  expect(await count()).toEqual(before)
})

test('orders and sagas belong to their organisation', async () => {
  const { id, sagaId } = await ada.order()
  const eve = await running.as({ org: 'other', role: 'operator' })
  for (const path of [`/orders/${id}`, `/sagas/${sagaId}`]) {
    expect((await eve.get(path)).status).toBe(404)
  }
  for (const verb of ['cancel', 'resume']) {
    expect((await eve.post(`/sagas/${sagaId}/${verb}`)).status).toBe(404)
  }
  expect((await eve.get('/orders')).body).toEqual({ items: [], nextCursor: null })
  expect((await eve.get('/sagas')).body).toEqual({ items: [], nextCursor: null })
  await ends(id).toBe('COMPLETED')
})

test.each(['/orders', '/sagas'])('%s is read in pages', async (path) => {
  const bob = await running.as({ org: `org-${uuid()}` })
  const placed = []
  for (let n = 0; n < 5; n += 1) placed.push(await bob.order())
  const ids = placed.map((each) => (path === '/orders' ? each.id : each.sagaId)).reverse()
  const seen: string[] = []
  let cursor: string | null = ''
  for (let page = 0; page < 5 && cursor !== null; page += 1) {
    const { body } = await bob.get(`${path}?limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.items.map((item: { id: string }) => item.id))
    cursor = body.nextCursor
  }
  expect(seen).toEqual(ids)
  expect(await bob.get(`${path}?cursor=rubbish`)).toMatchObject({
    status: 400,
    body: { code: 'CURSOR_INVALID' },
  })
  expect((await bob.get(`${path}?status=NONSENSE`)).status).toBe(400)
  const countCompleted = async () => (await bob.get(`${path}?status=COMPLETED`)).body.items.length
  await expect.poll(countCompleted, wait).toBe(5)
  expect((await bob.get(`${path}?status=FAILED`)).body.items).toEqual([])
})

test('a saga that has ended can be neither cancelled nor resumed', async () => {
  const { id, sagaId } = await ada.order()
  await ends(id).toBe('COMPLETED')
  const operator = await running.as({ role: 'operator' })
  for (const verb of ['cancel', 'resume', 'terminate']) {
    expect(await operator.post(`/sagas/${sagaId}/${verb}`, { reason: 'late' })).toMatchObject({
      status: 409,
      body: { code: 'SAGA_NOT_STEERABLE' },
    })
  }
  expect((await operator.post(`/sagas/${uuid()}/cancel`)).status).toBe(404)
})

test('each order of a list is read from its index, and not sorted', async () => {
  const org = 'many'
  await db.pool.query(
    `with made as (
       insert into sagas.saga (id, tenant, name, version, step_names, input, status, finished_at)
       select gen_random_uuid(), $1, 'order', 1, '{pay}', '{}', 'COMPLETED', now()
         from generate_series(1, 5000)
       returning id
     )
     insert into sagas.orders (id, org_id, saga_id, items, amount, currency)
     select id, $1, id, '[{"sku": "LAMP", "quantity": 1}]', 1 + (random() * 1000)::int, 'EUR'
       from made`,
    [org],
  )
  await db.pool.query('analyze sagas.orders, sagas.saga')
  const explaining = {
    query: (statement: { text: string; values: unknown[] }) =>
      db.pool.query({ text: `explain ${statement.text}`, values: statement.values }),
  } as unknown as Queryable
  const planOf = async (page: Pick<OrderListing, 'sort' | 'before'>) => {
    const rows = await listOrders(explaining, { ...page, orgId: org, status: undefined, limit: 50 })
    return rows.map((row) => (row as unknown as Record<string, string>)['QUERY PLAN']).join('\n')
  }
  const middle = '80000000-0000-4000-8000-000000000000'
  for (const [sort, before, index] of [
    ['-createdAt', middle, 'orders_org'],
    ['createdAt', middle, 'orders_org'],
    ['-amount', [500, middle], 'orders_by_amount'],
    ['amount', [500, middle], 'orders_by_amount'],
  ] as const) {
    for (const place of [null, before]) {
      const plan = await planOf({ sort, before: place })
      expect(plan, sort).toContain(index)
      expect(plan, sort).not.toMatch(/Sort|Seq Scan on orders/)
    }
  }
})

test('without a token there is no order', async () => {
  expect((await fetch(`${running.url}/api/v1/orders`)).status).toBe(401)
  expect((await fetch(`${running.url}/api/v1/sagas`)).status).toBe(401)
})

outboxConformance(orderEvents('topics', 'conformance'), {
  pool: () => conformance.pool,
  transports: ['topics'],
  sample: (n) => ({
    saga_id: uuid(),
    step: 'pay',
    topic: 'conformance',
    event_type: 'payment.take',
    key: 'one saga',
    payload: { n },
  }),
})
const conformance = await orderDatabase()

test('what was reserved is what the orders hold', () => expectStockAddsUp(db))

test('the table of keys is the one that its definition makes', async () => {
  const shape = async () => {
    const { rows } = await conformance.pool.query<{ definition: string }>(
      `select attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull as definition
         from pg_attribute where attrelid = 'sagas.idempotency_keys'::regclass and attnum > 0
       union
       select pg_get_indexdef(indexrelid) from pg_index
        where indrelid = 'sagas.idempotency_keys'::regclass
       union
       select pg_get_constraintdef(oid) from pg_constraint
        where conrelid = 'sagas.idempotency_keys'::regclass
        order by definition`,
    )
    return rows.map(({ definition }) => definition)
  }
  const before = await shape()
  await conformance.pool.query('drop table sagas.idempotency_keys')
  await conformance.pool.query(idempotencyTableSql(orderKeys))
  expect(await shape()).toEqual(before)
})
