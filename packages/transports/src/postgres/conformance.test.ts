import { exponential } from '@posthorn/engine'
import { createTcpProxy, testDatabase, transportConformance } from '@posthorn/engine/testing'
import { Pool } from 'pg'
import { afterAll } from 'vitest'
import { postgresTransport, topicMigrations } from './index.ts'

const database = await testDatabase({ migrations: [await topicMigrations()] })
const ends: (() => Promise<void> | void)[] = []
afterAll(async () => {
  for (const end of ends) await end()
})

transportConformance('postgres topics', async () => {
  const address = new URL(database.url)
  const line = await createTcpProxy({ host: address.hostname, port: Number(address.port) })
  address.hostname = line.host
  address.port = String(line.port)
  const pool = new Pool({ connectionString: address.href, max: 10 })
  pool.on('error', () => undefined)
  ends.push(() => pool.end(), line.cut)
  const transport = postgresTransport({
    pool,
    lease: '3s',
    poll: '500ms',
    timeout: '5s',
    drain: '2s',
    deadLetters: database.pool,
    retry: exponential('100ms', { max: '1s', attempts: 20 }),
  })
  return { transport, letters: database.pool, ...line }
})
