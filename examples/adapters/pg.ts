// `node examples/adapters/pg.ts`, with DATABASE_URL.
import { enqueue, fromPg } from '@posthorn/engine'
import { Pool } from 'pg'
import { deliverOne, shopEvents, url } from './shop.ts'

const pool = new Pool({ connectionString: url })
const client = await pool.connect()

await client.query('begin')
const order = 'insert into shop.orders (total_cents) values ($1) returning id::int'
const { rows } = await client.query<{ id: number }>(order, [4990])
const payload = { orderId: rows[0]?.id }
await enqueue(fromPg(client), shopEvents, { type: 'order.placed', payload })
await client.query('commit')

client.release()
await pool.end()
await deliverOne()
