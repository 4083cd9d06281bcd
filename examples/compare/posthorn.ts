// An order and its message in one transaction, ordered by key, five attempts, handled in this process.
import { handlers, outbox, posthorn } from '@posthorn/engine'
import { Pool } from 'pg'

type Events = { 'order.placed': { order: number } }
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const events = outbox<Events>('shop.outbox', { order: 'key', attempts: 5 })
const placed = handlers(events, {
  'order.placed': async ({ payload }) => console.log('handled', payload.order),
})
const horn = posthorn({ pool, handlers: placed })
await horn.setUp()
await horn.start()
await horn.transaction(async (tx) => {
  await tx.query({ text: 'insert into orders (id) values ($1)', values: [7] })
  await events.enqueue(tx, 'order.placed', { order: 7 }, { key: '7' })
})
