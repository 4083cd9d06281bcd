// An order and its job in one transaction, ordered by key, five attempts, handled in this process.
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const boss = new PgBoss(process.env['DATABASE_URL'] as string)
await boss.start()
await boss.createQueue('order.placed', { policy: 'key_strict_fifo', retryLimit: 4 })
await boss.work('order.placed', async ([job]) => console.log(job?.data))
const client = await pool.connect()
const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
try {
  await client.query('begin')
  await client.query('insert into orders (id) values ($1)', [7])
  await boss.send('order.placed', { order: 7 }, { db, singletonKey: '7' })
  await client.query('commit')
} catch (error) {
  await client.query('rollback')
  throw error
} finally {
  client.release()
}
