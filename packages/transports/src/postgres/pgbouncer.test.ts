import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exponential } from '@posthorn/engine'
import { proxyTo, testDatabase, transportConformance } from '@posthorn/engine/testing'
import { Pool } from 'pg'
import { afterAll } from 'vitest'
import { startPgbouncer } from '../../../../scripts/services/index.mjs'
import { postgresTransport, topicMigrations } from './index.ts'

/*
 * Topics behind a pooler in transaction mode: no NOTIFY comes through, no statement is prepared, and
 * two statements of one client may be two connections of the server.
 */
const database = await testDatabase({ migrations: [await topicMigrations()] })
const folder = await mkdtemp(join(tmpdir(), 'posthorn-pgbouncer-'))
const bouncer = await startPgbouncer(database.url, { dir: folder, log: () => undefined })
const ends: (() => Promise<void> | void)[] = []
// Before the database is dropped: the pooler keeps connections to it.
afterAll(async () => {
  for (const end of ends) await end()
  await bouncer.stop()
  await rm(folder, { recursive: true })
})

transportConformance('postgres topics behind PgBouncer', async () => {
  const line = await proxyTo(bouncer.url)
  const pool = new Pool({ connectionString: line.by(bouncer.url), max: 10 })
  pool.on('error', () => undefined)
  ends.push(
    () => pool.end(),
    () => line.close(),
  )
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
