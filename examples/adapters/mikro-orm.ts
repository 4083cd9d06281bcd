// `node examples/adapters/mikro-orm.ts`, with DATABASE_URL.
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
import { enqueue, fromMikroOrm } from '@posthorn/engine'
import { deliverOne, shopEvents, url } from './shop.ts'

const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  schema: 'shop',
  properties: { id: p.bigint('number').primary().autoincrement(), totalCents: p.integer() },
})
const orm = await MikroORM.init({ clientUrl: url, entities: [Order] })

await orm.em.fork().transactional(async (em) => {
  const order = em.create(Order, { totalCents: 4990 })
  await em.flush()
  const payload = { orderId: order.id }
  await enqueue(fromMikroOrm(em), shopEvents, { type: 'order.placed', payload })
})

await orm.close()
await deliverOne()
