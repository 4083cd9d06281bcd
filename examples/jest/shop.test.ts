import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outbox, posthorn, silentLog, sql, type Posthorn } from '@posthorn/engine'
import { createTestDatabase, type DroppableDatabase } from '@posthorn/engine/testing/database'

// npm test in this folder, with DATABASE_URL. package.json has what Jest needs for modules and types.

const events = outbox<{ placed: { order: number } }>('shop.outbox', { order: 'key' })
const placed = events.handle({
  placed: async ({ payload, tx }) =>
    tx.query(sql`insert into shop.parcel values (${payload.order})`),
})

let database: DroppableDatabase
let app: Posthorn

beforeAll(async () => {
  database = await createTestDatabase({
    sql: 'create schema shop; create table shop.parcel (order_id int primary key)',
  })
  app = posthorn({ pool: database.pool, handlers: placed, log: silentLog })
  await app.setUp()
})

afterAll(() => database.drop())

test('an order is packed once', async () => {
  await app.transaction((tx) => events.enqueue(tx, 'placed', { order: 7 }, { key: '7' }))
  await app.runOnce()
  await app.runOnce()
  const { rows } = await database.pool.query('select order_id from shop.parcel')
  expect(rows).toEqual([{ order_id: 7 }])
})
