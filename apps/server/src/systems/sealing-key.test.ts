import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { testServer } from '../testing/index.ts'

const database = await testDatabase()
const [one, two] = ['1'.repeat(32), '2'.repeat(32)]
const start = async (keys: string) => {
  const server = await testServer(database, { env: { POSTHORN_ENCRYPTION_KEYS: keys } })
  await server.close()
}

test('a server with another key than the last one that secrets were sealed with does not start', async () => {
  await start(one)
  await start(one)
  await expect(start(two)).rejects.toThrow(/POSTHORN_ENCRYPTION_KEYS lacks the key/)
  // A new key in front of the old one; then the old one is taken away.
  await start(`${two},${one}`)
  await expect(start(one)).rejects.toThrow(/POSTHORN_ENCRYPTION_KEYS lacks the key/)
  await start(two)
  const { rows } = await database.pool.query(`select name from posthorn.sealing_key`)
  expect(JSON.stringify(rows)).not.toMatch(/1111|2222/)
  await database.pool.query('delete from posthorn.sealing_key')
  await start(one)
})
