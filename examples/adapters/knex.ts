// `node examples/adapters/knex.ts`, with DATABASE_URL.
import { enqueue, fromKnex } from '@posthorn/engine'
import knex from 'knex'
import { deliverOne, shopEvents, url } from './shop.ts'

const db = knex({ client: 'pg', connection: url })

await db.transaction(async (trx) => {
  const orders = trx<{ id: string; total_cents: number }>('shop.orders')
  const [order] = await orders.insert({ total_cents: 4990 }).returning('id')
  const payload = { orderId: Number(order?.id) }
  await enqueue(fromKnex(trx), shopEvents, { type: 'order.placed', payload })
})

await db.destroy()
await deliverOne()
