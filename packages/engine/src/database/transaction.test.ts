import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dyingPostgres, testDatabase } from '../testing/index.ts'
import { sql } from './sql-tag.ts'
import { transaction } from './transaction.ts'

const { pool: real } = await testDatabase()

test('a connection that dies with the bytes that open it fails its transaction, not the process', async () => {
  const { url, close } = await dyingPostgres()
  onTestFinished(close)
  const pool = new Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  await expect(transaction(pool, async () => 'done')).rejects.toThrow(/terminat|connection error/)
  await pool.end()
})

test('a pool that was wrapped may hand out by promises only', async () => {
  const wrapped = new Proxy(real, {
    get: (of, name) =>
      name === 'connect' ? async () => of.connect() : (Reflect.get(of, name) as unknown),
  })
  const { rows } = await transaction(wrapped, (tx) => tx.query(sql`select 1 as one`))
  expect(rows).toEqual([{ one: 1 }])
})
