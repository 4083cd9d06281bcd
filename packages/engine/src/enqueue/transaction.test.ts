import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dyingPostgres } from '../testing/index.ts'
import { transaction } from './transaction.ts'

test('a connection that dies with the bytes that open it fails its transaction, not the process', async () => {
  const { url, close } = await dyingPostgres()
  onTestFinished(close)
  const pool = new Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  await expect(transaction(pool, async () => 'done')).rejects.toThrow(/terminat|connection error/)
  await pool.end()
})
