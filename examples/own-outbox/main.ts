// A shop takes an order, and its warehouse hears of it. `npm install`, then `node main.ts`: against
// DATABASE_URL, or a PostgreSQL of its own in a folder. Run it again for the next order.
import {
  createRelay,
  engineMigrations,
  enqueue,
  migrate,
  migrationsFrom,
  silentLog,
  sql,
  transaction,
} from '@posthorn/engine'
import { once } from '@posthorn/engine/inbox'
import { openPostgres } from '@posthorn/postgres'
import { postgresTransport, topicMigrations } from '@posthorn/transports/postgres'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'pg'
import { shopEvents, shopInbox, type ShopEvent } from './outbox.ts'

const given = process.env['DATABASE_URL']
const own = given ? undefined : await openPostgres({ folder: '.posthorn/own-outbox' })
const pool = new Pool({ connectionString: given || own?.url })
// An idle connection that dies is replaced; unheard, its error would end the process.
pool.on('error', () => undefined)

const shopMigrations = await migrationsFrom('shop', new URL('./migrations/', import.meta.url))
await migrate(pool, [await engineMigrations(), await topicMigrations(), shopMigrations])

// The order and its message commit together, or neither does.
const orderId = await transaction(pool, async (tx) => {
  const order = sql`insert into shop.orders (article) values (${'lamp'}) returning id`
  const { rows } = await tx.query<{ id: number }>(order)
  const payload = { orderId: rows[0]?.id ?? 0 }
  await enqueue(tx, shopEvents, { type: 'order.placed', payload })
  return payload.orderId
})
console.log(`order ${orderId} is stored`)

// The relay takes messages from the outbox to the topic, and tries again when that fails.
const log = { ...silentLog, warn: console.warn, error: console.error }
const topics = postgresTransport({ pool, log })
const relay = createRelay({ pool, outboxes: [shopEvents], transports: { topics }, log })
await relay.start()

// The warehouse reads the topic. A message may come twice; `once` has its order packed once.
await topics.subscribe({
  topic: 'orders',
  group: 'warehouse',
  async handle({ id, payload }) {
    const order = (payload as ShopEvent['payload']).orderId
    const { first } = await transaction(pool, (tx) =>
      once(tx, { inbox: shopInbox, consumer: 'warehouse', id }, () =>
        tx.query(sql`update shop.orders set packed_at = now() where id = ${order}`),
      ),
    )
    if (first) console.log(`order ${order} is packed`)
  },
})

// Another copy of this program may be the one that packs it.
const packed = sql`select from shop.orders where id = ${orderId} and packed_at is not null`
while ((await pool.query(packed)).rowCount === 0) await setTimeout(20)
await relay.stop()
await topics.close()
await pool.end()
await own?.close()
