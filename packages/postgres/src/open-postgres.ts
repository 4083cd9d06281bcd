import { serverAccount } from './account.ts'
import { postgresBinaries, serverFolder, unreachable, type ServerFolder } from './binaries.ts'
import { clusterVersion, ensureCluster, SUPERUSER, type Setting } from './cluster.ts'
import { PostgresServerError } from './errors.ts'
import { withLock } from './lock.ts'
import { LOOPBACK, awaitServer, startServer, stopServer, type ServerSettings } from './server.ts'
import { findPostmaster, countUsers, registerUser } from './postmaster.ts'
import { serverVersion } from './queries.ts'

export interface PostgresOptions {
  /** Holds the database, the port, the password and the log; made if it is not there. */
  readonly folder: string
  /** Hears one sentence about each step that takes time; silent by default. */
  readonly log?: (sentence: string) => void
  /** Used by the process that starts the server; one that joins gets what the server has. */
  readonly settings?: ServerSettings
  /** The folder with `bin`, `lib` and `share` of another PostgreSQL than the installed package's. */
  readonly programs?: string
}

export interface Postgres {
  /** A connection string with the password, on the loopback address. */
  readonly url: string
  readonly version: string
  /** `adopted`: the server ran, but no process used it any more. */
  readonly owner: 'started' | 'joined' | 'adopted'
  /** Starts the server again, on the same port, if its process has ended; whether it had. */
  revive(): Promise<boolean>
  /** Leaves the server; the last one out stops it. */
  close(): Promise<void>
}

/**
 * Opens the PostgreSQL server of a folder: starts it, or joins the one that runs there. Processes
 * that crash are noticed by the next one that opens or closes. Call `close` before the process
 * ends; a server that was left running is adopted by the next `openPostgres`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const folder = await serverFolder(options.folder)
  try {
    return await withLock(folder.lock, () => startOrJoin(folder, options))
  } catch (error) {
    throw error instanceof PostgresServerError ? error : unreachable(folder.path, error)
  }
}

async function startOrJoin(
  folder: ServerFolder,
  { settings = {}, log, programs }: PostgresOptions,
): Promise<Postgres> {
  const others = await countUsers(folder.users)
  const unregister = await registerUser(folder.users)
  const leave = async () => {
    await unregister()
    if ((await countUsers(folder.users)) === 0) await stopServer(folder.data)
  }
  try {
    const setting = await settingOf(folder.path, programs)
    if ((await clusterVersion(folder)) === undefined) log?.(`Creating a database in ${folder.path}`)
    const password = await ensureCluster(setting)
    const running = await awaitServer(folder.data)
    const port = running ?? (await startServer(setting, settings))
    const url = `postgresql://${SUPERUSER}:${password}@${LOOPBACK}:${port}/postgres`
    const version = await askVersion(url)
    const owner = running === undefined ? 'started' : others > 0 ? 'joined' : 'adopted'
    log?.(`PostgreSQL ${version} on port ${port} (${owner})`)
    const revive = async () => {
      if ((await awaitServer(folder.data)) !== undefined) return false
      const now = await startServer(setting, settings)
      if (now === port) return true
      // Every connection string in use names the old port.
      await stopServer(folder.data)
      const reason = `Port ${port} is taken by another process.`
      throw new PostgresServerError('POSTGRES_START_FAILED', reason)
    }
    return {
      url,
      version,
      owner,
      revive: async () => {
        if (await findPostmaster(folder.data)) return false
        return withLock(folder.lock, revive)
      },
      close: once(() => withLock(folder.lock, leave)),
    }
  } catch (error) {
    await leave()
    throw error
  }
}

/** Finds out who runs what for a folder; looks, and changes nothing but a copy of the programs. */
export async function settingOf(path: string, programs?: string): Promise<Setting> {
  const folder = await serverFolder(path)
  const account = await serverAccount(folder.data)
  return { folder, account, binaries: await postgresBinaries(account, programs) }
}

async function askVersion(url: string): Promise<string> {
  try {
    return await serverVersion(url)
  } catch (error) {
    throw new PostgresServerError('POSTGRES_CONNECT_FAILED', String(error), { cause: error })
  }
}

/** May be called twice; the second call waits for the first. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}
