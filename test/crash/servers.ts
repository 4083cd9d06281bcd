import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryPostgres } from '@posthorn/postgres'
import {
  killService,
  restartService,
  startServices,
  stopServices,
} from '../../scripts/services/index.mjs'
import type { BrokerAddress, BrokerKind } from './broker.ts'
import { startChild } from './child.ts'

/** A Postgres and a broker that belong to this run alone, so that both may be killed. */
export interface Servers {
  /** For logs and other files of the run. */
  readonly folder: string
  readonly databaseUrl: string
  readonly broker: BrokerAddress
  readonly versions: string
  /** `kill -9` of all its processes, and a start with recovery. Resolves when it answers again. */
  crashPostgres(): Promise<void>
  crashBroker(): Promise<void>
  stop(options: { keep: boolean }): Promise<void>
}

const VARIABLES = { rabbitmq: 'RABBITMQ_URL', kafka: 'KAFKA_BROKERS' } as const

export async function startServers(kind: BrokerKind): Promise<Servers> {
  // A broker of others, named by the environment, is not ours to kill.
  delete process.env[VARIABLES[kind]]
  const log = () => undefined
  // Only processes are killed, never the machine: what the kernel has taken is not lost with them.
  const settings = { fsync: 'off', max_connections: 200 }
  const postgres = await temporaryPostgres({ settings })
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-crash-'))
  // Before the broker: of a Postgres that was left behind the next run would take care.
  const guard = startChild('guard-process.ts', {
    name: 'guard',
    folder,
    settings: { folder, postgresFolder: postgres.folder, broker: kind },
  })
  const stop = async ({ keep }: { keep: boolean }) => {
    await guard.stop()
    await Promise.allSettled([postgres.close(), stopServices({ names: [kind], dir: folder })])
    if (!keep) await rm(folder, { recursive: true, force: true })
  }
  await guard.ready
  const services = await startServices({ names: [kind], dir: folder, log })
  const address = services.env[VARIABLES[kind]]
  if (address === undefined) {
    await stop({ keep: false })
    throw new Error(services.failures[kind] ?? `${kind} could not be started`)
  }
  return {
    folder,
    databaseUrl: postgres.url,
    broker: { kind, address },
    versions: `PostgreSQL ${postgres.version}, ${kind} ${services.versions[kind]}`,
    async crashPostgres() {
      await postgres.kill()
      await postgres.restart()
    },
    async crashBroker() {
      await killService(kind, { dir: folder })
      await restartService(kind, { dir: folder, log })
    },
    stop,
  }
}
