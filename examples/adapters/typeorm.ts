// `node examples/adapters/typeorm.ts`, with DATABASE_URL.
import { enqueue, fromTypeOrm } from '@posthorn/engine'
import { DataSource, EntitySchema } from 'typeorm'
import { deliverOne, shopEvents, url } from './shop.ts'

const Order = new EntitySchema<{ id: string; total_cents: number }>({
  name: 'orders',
  schema: 'shop',
  columns: {
    id: { type: 'bigint', primary: true, generated: true },
    total_cents: { type: Number },
  },
})
const source = new DataSource({ type: 'postgres', url, entities: [Order] })
await source.initialize()

await source.transaction(async (manager) => {
  const { id } = await manager.save(Order, { total_cents: 4990 })
  const payload = { orderId: Number(id) }
  await enqueue(fromTypeOrm(manager), shopEvents, { type: 'order.placed', payload })
})

await source.destroy()
await deliverOne()
