// `node examples/adapters/postgres.ts`, with DATABASE_URL.
import { enqueue, fromPostgres } from '@posthorn/engine'
import postgres from 'postgres'
import { deliverOne, shopEvents, url } from './shop.ts'

const sql = postgres(url)

await sql.begin(async (tx) => {
  const [order] = await tx<{ id: number }[]>`
    insert into shop.orders (total_cents) values (4990) returning id::int`
  const payload = { orderId: order?.id }
  await enqueue(fromPostgres(tx), shopEvents, { type: 'order.placed', payload })
})

await sql.end()
await deliverOne()
