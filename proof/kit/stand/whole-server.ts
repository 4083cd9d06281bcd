import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, loadSystems, readConfiguration, startServer } from '@posthorn/server'

/** A server in this process with all configured systems and no limit on requests. */
export async function startWholeServer(env: {
  readonly DATABASE_URL: string
  readonly POSTHORN_JWT_SECRET: string
  readonly POSTHORN_ROLES?: string
}): Promise<{ readonly url: string } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-whole-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const systems = await loadSystems({})
  const settings = {
    ...{ PORT: '0', POSTHORN_DATA_DIR: folder, POSTHORN_RATE_LIMIT: '0' },
    // One for all servers of a database, whatever their folders.
    POSTHORN_ENCRYPTION_KEYS: 'a-key-of-the-proofs-with-whole-servers',
    ...env,
  }
  const configuration = readConfiguration(settings, systems)
  const server = await startServer(configuration, { systems, log: createLog('silent') })
  opened.defer(() => server.close())
  const everything = opened.move()
  return { url: server.url ?? '', [Symbol.asyncDispose]: () => everything.disposeAsync() }
}
