// `node examples/adapters/prisma.ts`, with DATABASE_URL.
import { enqueue, fromPrisma } from '@posthorn/engine'
import { openPrisma } from './prisma-client.ts'
import { deliverOne, shopEvents, url } from './shop.ts'

const prisma = await openPrisma(url)

await prisma.$transaction(async (tx) => {
  const { id } = await tx.order.create({ data: { totalCents: 4990 } })
  const payload = { orderId: Number(id) }
  await enqueue(fromPrisma(tx), shopEvents, { type: 'order.placed', payload })
})

await prisma.$disconnect()
await deliverOne()
