import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryPostgres } from '@posthorn/postgres'
import { createLog, loadSystems, readConfiguration, startServer } from '@posthorn/server'

export type Fuzzed = Awaited<ReturnType<typeof startFuzzed>>

/** A server with all systems and roles on a database of its own, without limits on requests. */
export async function startFuzzed(secret: string) {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-fuzz-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  opened.defer(() => postgres.close())
  const systems = await loadSystems({})
  const env = {
    PORT: '0',
    DATABASE_URL: postgres.url,
    POSTHORN_DATA_DIR: folder,
    POSTHORN_JWT_SECRET: secret,
    POSTHORN_RATE_LIMIT: '0',
  }
  const server = await startServer(readConfiguration(env, systems), {
    systems,
    log: createLog('silent'),
  })
  opened.defer(() => server.close())
  const everything = opened.move()
  return { url: server.url, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}
