import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { PostgresServerError } from './errors.ts'
import { withLock } from './lock.ts'
import { openPostgres, settingOf, type Postgres, type PostgresOptions } from './open-postgres.ts'
import { killServer, startServer, stopServer } from './server.ts'
import { serverFolder } from './binaries.ts'
import { countUsers } from './postmaster.ts'

/** A server for tests: it can be made to crash, and leaves nothing behind. */
export interface TemporaryPostgres extends Postgres {
  readonly folder: string
  /** Ends all its processes as a power cut would; returns when they are gone. */
  kill(): Promise<void>
  /** Starts it again, after `kill` or in an orderly way, on the same port and data. */
  restart(): Promise<void>
  /** Stops it, even while in use, and removes its folder. */
  close(): Promise<void>
}

const PREFIX = join(tmpdir(), 'posthorn-postgres-run-')

/** Starts an empty server in the system's folder for temporary files. */
export async function temporaryPostgres(
  options: Omit<PostgresOptions, 'folder'> = {},
): Promise<TemporaryPostgres> {
  await removeLeftovers()
  const path = await mkdtemp(PREFIX)
  // mkdtemp closes it even to the account that runs the server; the data inside stay closed.
  await chmod(path, 0o755)
  const postgres = await openPostgres({ ...options, folder: path }).catch(
    async (error: unknown) => {
      await remove(path)
      throw error
    },
  )
  const { data, lock } = await serverFolder(path)
  return {
    ...postgres,
    folder: path,
    kill: () => killServer(data),
    restart: () =>
      withLock(lock, async () => {
        await stopServer(data)
        const port = await startServer(
          await settingOf(path, options.programs),
          options.settings ?? {},
        )
        if (new URL(postgres.url).port === String(port)) return
        throw new PostgresServerError('POSTGRES_PORT_TAKEN', `It is on ${port} now.`)
      }),
    close: async () => {
      await postgres.close()
      await remove(path)
    },
  }
}

/** A test run that was killed leaves its server running; the next one cleans up after it. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(dirname(PREFIX))) {
    if (!name.startsWith(basename(PREFIX))) continue
    const path = join(dirname(PREFIX), name)
    // Two runs may come upon the same one; the second has nothing left to do.
    if (await isLeftover(path)) await remove(path).catch(() => undefined)
  }
}

async function isLeftover(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.uid !== process.getuid?.()) return false
  const users = await readdir(join(path, 'users')).catch(() => [])
  // No user at all: it is being made at this moment, or removed.
  return users.length > 0 && (await countUsers(join(path, 'users'))) === 0
}

async function remove(path: string): Promise<void> {
  await killServer(join(path, 'data'))
  await rm(path, { recursive: true, force: true })
}
