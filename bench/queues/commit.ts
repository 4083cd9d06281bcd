import type { Pool, PoolClient } from 'pg'
import type { Commit } from './contestant.ts'

/** Runs `work` in a transaction and says when its COMMIT was issued and when it was answered. */
export async function commitEach(
  pool: Pool,
  work: (client: PoolClient) => Promise<unknown>,
): Promise<Commit> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    const issued = performance.now()
    await client.query('commit')
    return { issued, answered: performance.now() }
  } finally {
    client.release()
  }
}
