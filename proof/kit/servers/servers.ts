import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryPostgres } from '@posthorn/postgres'
import {
  killService,
  restartService,
  startPgbouncer,
  startServices,
  type ServiceName,
} from '../../../scripts/services/index.mjs'
import { startChild } from '../processes/child.ts'
import type { GuardSettings } from './guard-process.ts'
import { endAllIn } from './program.ts'
import { unmountDisk } from './small-disk.ts'

/** A Postgres and other servers that belong to this run alone, so that they may be killed. */
export interface Servers {
  /** For logs and other files of the run. */
  readonly folder: string
  readonly databaseUrl: string
  /** Postgres's own, which its account may read. */
  readonly postgresFolder: string
  /** Where the other servers are, as their clients' variables say it. */
  readonly env: Readonly<Record<string, string>>
  readonly versions: string
  /** `kill -9` of all its processes, and a start with recovery. Resolves when it answers again. */
  crashPostgres(): Promise<void>
  /** In good order: connections are ended, nothing is recovered. */
  restartPostgres(): Promise<void>
  crash(name: ServiceName): Promise<void>
  restart(name: ServiceName): Promise<void>
  /** A PgBouncer in transaction mode in front of Postgres. */
  startPooler(): Promise<Pooler>
  /** Ends all of them; the folder is left to the run. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface Pooler {
  readonly url: string
  /** `kill -9`, and a start. */
  crash(): Promise<void>
  restart(): Promise<void>
}

/** How often a Postgres that does not start is started again, and how far apart. */
const START_TRIES = 60
const START_PAUSE_MS = 1_000

const log = () => undefined

export async function startServers(
  names: readonly ServiceName[],
  folder: string,
): Promise<Servers> {
  // Only processes are killed, never the machine: what the kernel has taken is not lost with them.
  const settings = { fsync: 'off', max_connections: 200 }
  const postgres = await temporaryPostgres({ settings })
  const guarded: GuardSettings = { folder, postgresFolder: postgres.folder }
  // Before the others: of a Postgres that was left behind the next run would take care.
  const guard = startChild(new URL('./guard-process.ts', import.meta.url), {
    ...{ name: 'guard', folder, settings: guarded, isDetached: true },
  })
  const stop = async () => {
    // Their data go with them: none of them needs to end in good order. The guard stays until they are
    // gone, since this process may be killed meanwhile.
    await endAllIn(folder)
    await guard.stop()
    await postgres.kill()
    await unmountDisk(postgres.folder)
    await Promise.allSettled([postgres.close()])
  }
  await guard.ready
  const { env, versions } = await startAll(names, folder).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const restartPostgres = async () => {
    // A disk that is full when it recovers ends it; it is started until there is room.
    for (let tries = 1; ; tries += 1) {
      try {
        return await postgres.restart()
      } catch (error) {
        if (tries === START_TRIES) throw error
        await sleep(START_PAUSE_MS)
      }
    }
  }
  const described = names.map((name) => `${name} ${versions[name]}`)
  return {
    folder,
    databaseUrl: postgres.url,
    postgresFolder: postgres.folder,
    env,
    versions: [`PostgreSQL ${postgres.version}`, ...described].join(', '),
    async crashPostgres() {
      await postgres.kill()
      await restartPostgres()
    },
    restartPostgres,
    async crash(name) {
      await killService(name, { dir: folder })
      await restartService(name, { dir: folder, log })
    },
    async restart(name) {
      await restartService(name, { dir: folder, log })
    },
    async startPooler() {
      const start = () => startPgbouncer(postgres.url, { dir: folder, log })
      const { url, stop: end, kill } = await start()
      const again = (how: () => Promise<void>) => async () => {
        await how()
        await start()
      }
      return { url, crash: again(kill), restart: again(end) }
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** All of them, or an error that says which is missing and why. */
async function startAll(names: readonly ServiceName[], folder: string) {
  const { failures, ...started } = await startServices({ names: [...names], dir: folder, log })
  const missing = Object.values(failures)
  if (missing.length > 0) throw new Error(missing.join('\n'))
  return started
}
