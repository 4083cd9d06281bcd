// An order and its job in one transaction, ordered by key, five attempts, handled in this process.
import { run } from 'graphile-worker'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
await run({ pgPool: pool, taskList: { 'order.placed': async (payload) => console.log(payload) } })
const client = await pool.connect()
try {
  await client.query('begin')
  await client.query('insert into orders (id) values ($1)', [7])
  await client.query(
    `select graphile_worker.add_job('order.placed', $1, queue_name => $2, max_attempts => 5)`,
    [{ order: 7 }, '7'],
  )
  await client.query('commit')
} catch (error) {
  await client.query('rollback')
  throw error
} finally {
  client.release()
}
