import { createRelay, delivered, engineMigrations, migrate, enqueueAll, fromPg, uuid } from '@posthorn/engine'
import { temporaryPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import { schema } from '../crash/queries.ts'
import { stormEvents } from '../crash/outbox.ts'
const pg = await temporaryPostgres({ settings: { fsync: 'off' } })
const pool = new Pool({ connectionString: pg.url, max: 10 })
await migrate(pool, [await engineMigrations()])
await pool.query(schema)
// two keys of one bucket
const { rows } = await pool.query(`select array_agg(k) as keys from (select 'k' || n as k from generate_series(1, 1000) n) s group by posthorn.bucket_of(k) limit 1`)
const [k, j] = rows[0].keys
const log: string[] = []
const relay = createRelay({ pool, outboxes: [stormEvents], transports: { broker: {
  async deliver(batch) { for (const { message } of batch) log.push(`${message.key === k ? 'k' : 'j'}${(message.payload as any).n}`); return batch.map(() => delivered()) },
  async close() {} } } })
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms))
const put = async (c: any, key: string, n: number) => { await enqueueAll(fromPg(c), stormEvents, [{ id: uuid(), key, n: String(n) }]) }
const tx = async (key: string, n: number) => { const c = await pool.connect(); await c.query('begin'); await put(c, key, n); await c.query('commit'); c.release() }
let wrong = 0
for (let round = 0; round < 20; round++) {
  log.length = 0
  const a = await pool.connect()
  await a.query('begin')
  await put(a, k, 1)            // low seq, not committed
  await tx(j, 1)                // higher seq, committed
  await relay.tick()            // delivers j1: floor is j1
  await a.query('commit'); a.release()
  await tx(k, 2)                // serialised after k1
  await relay.tick()
  await sleep(round % 2 ? 1100 : 0)
  await relay.tick(); await relay.tick()
  console.log(log.join(' '))
  if (log.indexOf('k2') < log.indexOf('k1')) wrong += 1
}
console.log('out of order:', wrong)
await pool.end()
await pg.close()
