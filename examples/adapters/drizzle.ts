// `node examples/adapters/drizzle.ts`, with DATABASE_URL.
import { enqueue, fromDrizzle } from '@posthorn/engine'
import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, integer, pgSchema } from 'drizzle-orm/pg-core'
import { deliverOne, shopEvents, url } from './shop.ts'

const orders = pgSchema('shop').table('orders', {
  id: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
  totalCents: integer('total_cents').notNull(),
})
const db = drizzle(url)

await db.transaction(async (tx) => {
  const [order] = await tx.insert(orders).values({ totalCents: 4990 }).returning()
  const payload = { orderId: order?.id }
  await enqueue(fromDrizzle(tx), shopEvents, { type: 'order.placed', payload })
})

await db.$client.end()
await deliverOne()
