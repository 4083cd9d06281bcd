// An order and its message in one transaction, ordered by key, five attempts, handled in this process.
import { outbox, posthorn } from '@posthorn/engine'
import { Pool } from 'pg'

type Events = { 'order.placed': { order: number } }
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const events = outbox<Events>('shop.outbox', { order: 'payload.order', attempts: 5 })
const placed = events.handle({ 'order.placed': async ({ payload }) => console.log(payload) })
const app = await posthorn({ pool, handlers: placed }).setUp()
await app.start()
await app.transaction(async (tx) => {
  await tx.query('insert into orders (id) values ($1)', [7])
  await events.enqueue(tx, 'order.placed', { order: 7 })
})
