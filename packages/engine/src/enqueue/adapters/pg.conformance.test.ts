import { Pool, type PoolClient } from 'pg'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromPg } from './pg.ts'

async function open(url: string): Promise<OpenClient<PoolClient>> {
  const pool = new Pool({ connectionString: url })
  const idle = await pool.connect()
  return {
    async transaction(work) {
      const client = await pool.connect()
      await client.query('begin')
      try {
        const result = await work(client)
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback')
        throw error
      } finally {
        client.release()
      }
    },
    async nest(client, work) {
      await client.query('savepoint nested')
      try {
        return await work(client)
      } catch (error) {
        await client.query('rollback to savepoint nested')
        throw error
      }
    },
    insert: (client, id) =>
      client.query(`insert into public.thing (consumer, event_id) values ('caller', $1)`, [id]),
    async things(client) {
      const { rows } = await client.query<{ event_id: string }>('select event_id from public.thing')
      return rows.map((row) => row.event_id)
    },
    plain: [pool, idle],
    reusable: true,
    async close() {
      idle.release()
      await pool.end()
    },
  }
}

adapterConformance('pg', fromPg, open)
