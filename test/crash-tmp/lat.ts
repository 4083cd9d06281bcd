import { createRelay, delivered, engineMigrations, migrate, transaction, enqueueAll, uuid } from '@posthorn/engine'
import { temporaryPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import { schema } from '../crash/queries.ts'
import { stormEvents } from '../crash/outbox.ts'
const pg = await temporaryPostgres({ settings: { fsync: 'off' } })
const pool = new Pool({ connectionString: pg.url, max: 10 })
await migrate(pool, [await engineMigrations()])
await pool.query(schema)
const sent = new Map<string, number>()
const lat: number[] = []
const relay = createRelay({ pool, outboxes: [stormEvents], transports: { broker: {
  async deliver(batch) { for (const { message } of batch) lat.push(performance.now() - (sent.get(message.id) ?? 0)); return batch.map(() => delivered()) },
  async close() {} } } })
await relay.start()
await new Promise((r) => setTimeout(r, 1000))
let n = 0
const end = performance.now() + 40_000
while (performance.now() < end) {
  const id = uuid()
  const key = `k${n % 50}`
  await transaction(pool, async (tx) => { await enqueueAll(tx, stormEvents, [{ id, key, n: String(++n) }]) ; sent.set(id, performance.now()) })
  await new Promise((r) => setTimeout(r, 10 + Math.random() * 50))
}
await new Promise((r) => setTimeout(r, 3000))
await relay.stop()
lat.sort((a, b) => a - b)
console.log(n, lat.length, 'p50', lat[lat.length >> 1], 'p99', lat[Math.floor(lat.length * 0.99)], 'max', lat.slice(-8))
await pool.end()
await pg.close()
