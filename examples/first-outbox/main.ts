// A shop that takes one order and tells the world: `node examples/first-outbox/main.ts`, against
// DATABASE_URL or a PostgreSQL of its own. A second run takes the next order.
import {
  createRelay,
  delivered,
  engineMigrations,
  enqueue,
  migrate,
  migrationsFrom,
  sql,
  transaction,
  type Transport,
} from '@posthorn/engine'
import { openPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import { shopEvents } from './outbox.ts'

const own = process.env['DATABASE_URL']
  ? undefined
  : await openPostgres({ folder: '.posthorn/first-outbox' })
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] ?? own?.url })
// An idle connection that dies is replaced; unheard, its error would end the process.
pool.on('error', () => undefined)

const shopMigrations = await migrationsFrom('shop', new URL('./migrations/', import.meta.url))
await migrate(pool, [await engineMigrations(), shopMigrations])

// The order and its message commit together, or neither does.
const orderId = await transaction(pool, async (tx) => {
  const order = sql`insert into shop.orders (total_cents) values (${4990}) returning id`
  const { rows } = await tx.query<{ id: string }>(order)
  const id = Number(rows[0]?.id)
  await enqueue(tx, shopEvents, { type: 'order.placed', payload: { orderId: id } })
  return id
})
process.stdout.write(`order ${orderId} is stored\n`)

// A transport delivers a batch of messages; this one prints it and then stops.
const done = new AbortController()
const print: Transport = {
  async deliver(batch) {
    for (const { message } of batch) {
      process.stdout.write(`${message.type} ${JSON.stringify(message.payload)}\n`)
    }
    done.abort()
    return batch.map(() => delivered())
  },
  close: async () => undefined,
}
const relay = createRelay({ pool, outboxes: [shopEvents], transports: { print } })
await relay.run({ signal: done.signal })

const { rows } = await pool.query('select status, count(*)::int from shop.outbox group by status')
process.stdout.write(`${JSON.stringify(rows)}\n`)
await pool.end()
await own?.close()
