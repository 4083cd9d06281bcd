// `node examples/adapters/kysely.ts`, with DATABASE_URL.
import { enqueue, fromKysely } from '@posthorn/engine'
import { Kysely, PostgresDialect, type Generated } from 'kysely'
import { Pool } from 'pg'
import { deliverOne, shopEvents, url } from './shop.ts'

type Tables = { 'shop.orders': { id: Generated<string>; total_cents: number } }
const dialect = new PostgresDialect({ pool: new Pool({ connectionString: url }) })
const db = new Kysely<Tables>({ dialect })

await db.transaction().execute(async (trx) => {
  const order = trx.insertInto('shop.orders').values({ total_cents: 4990 }).returning('id')
  const { id } = await order.executeTakeFirstOrThrow()
  const payload = { orderId: Number(id) }
  await enqueue(fromKysely(trx), shopEvents, { type: 'order.placed', payload })
})

await db.destroy()
await deliverOne()
