import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { outbox, posthorn, silentLog, sql } from '@posthorn/engine'
import { createTestDatabase } from '@posthorn/engine/testing/database'

// node --test, with DATABASE_URL; with Jest it is afterAll and expect. Without a server:
// pgliteDatabase of @posthorn/engine/testing/pglite.

const database = await createTestDatabase({
  sql: 'create schema shop; create table shop.parcel (order_id int primary key)',
})
after(() => database.drop())

const events = outbox<{ placed: { order: number } }>('shop.outbox', { order: 'key' })
const placed = events.handle({
  placed: async ({ payload, tx }) =>
    tx.query(sql`insert into shop.parcel values (${payload.order})`),
})
const app = posthorn({ pool: database.pool, handlers: placed, log: silentLog })

void test('an order is packed once', async () => {
  await app.setUp()
  await app.transaction((tx) => events.enqueue(tx, 'placed', { order: 7 }, { key: '7' }))
  await app.runOnce()
  await app.runOnce()
  const { rows } = await database.pool.query('select order_id from shop.parcel')
  assert.deepEqual(rows, [{ order_id: 7 }])
})
