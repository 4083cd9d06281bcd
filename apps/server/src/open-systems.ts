import { engineMigrations, type Log, type MigrationSet, type Outbox } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Measure, OpenSystem, System, SystemConsumer, SystemQueue } from '@posthorn/systems'
import { createSealing } from '@posthorn/systems/sealing'
import { simulatedReceivers, type Simulator } from '@posthorn/simulators'
import { topicMigrations } from '@posthorn/transports/postgres'
import type { Pool } from 'pg'
import type { Configuration } from './configuration.ts'
import { developmentSecret } from './secret.ts'
import { readSimulatorAddresses } from './simulator-addresses.ts'

/** All systems together, as their hosts need them. */
export interface Opened {
  readonly outboxes: readonly Outbox[]
  /** Those of them that a relay here runs. */
  readonly relayed: readonly Outbox[]
  readonly consumers: readonly SystemConsumer[]
  readonly queues: readonly SystemQueue[]
  readonly workers: readonly PeriodicTask[]
  readonly measures: readonly Measure[]
  readonly transports: NonNullable<OpenSystem['transports']>
  readonly simulators: readonly Simulator[]
  readonly routes: readonly NonNullable<OpenSystem['routes']>[]
}

export interface OpenOptions {
  readonly configuration: Pick<
    Configuration,
    'settings' | 'production' | 'dataFolder' | 'encryptionKeys'
  >
  readonly pool: Pool
  readonly log: Log
  baseUrl(): string
}

/** Opens every system with its own settings; connects to nothing. */
export async function openSystems(
  systems: readonly System[],
  { configuration, pool, log, baseUrl }: OpenOptions,
): Promise<Opened> {
  const { production, dataFolder, settings } = configuration
  const host = {
    pool,
    log,
    production,
    baseUrl,
    dataFolder,
    sealing: createSealing(await keysOf(configuration)),
    simulatorAddress: async (name: string) =>
      production ? undefined : (await readSimulatorAddresses(dataFolder))[name],
    ...(!production && { receivers: simulatedReceivers(baseUrl) }),
  }
  const opened = systems.map((system) =>
    system.open({ ...host, settings: settings[system.name] as never }),
  )
  return {
    outboxes: opened.flatMap(({ outboxes }) => outboxes),
    relayed: opened.flatMap(({ outboxes, relayed = outboxes }) => relayed),
    consumers: opened.flatMap(({ consumers = [] }) => consumers),
    queues: opened.flatMap(({ queues = [] }) => queues),
    workers: opened.flatMap(({ workers = [] }) => workers),
    measures: opened.flatMap(({ measures = [] }) => measures),
    transports: Object.assign(
      {},
      ...opened.map(({ transports = {} }) => transports),
    ) as Opened['transports'],
    simulators: byName(opened.flatMap(({ simulators = [] }) => simulators)),
    routes: opened.flatMap(({ routes }) => routes ?? []),
  }
}

/** Every migration, in the order in which they must run. */
export async function allMigrations(systems: readonly System[]): Promise<MigrationSet[]> {
  const own = systems.map((system) => system.migrations())
  return Promise.all([engineMigrations(), topicMigrations(), ...own])
}

/** The first of each name: a mailbox serves all systems that send mail. */
function byName(simulators: readonly Simulator[]): Simulator[] {
  return simulators.filter(
    (each, i) => simulators.findIndex(({ name }) => name === each.name) === i,
  )
}

async function keysOf(configuration: OpenOptions['configuration']): Promise<readonly string[]> {
  const { encryptionKeys, dataFolder } = configuration
  return encryptionKeys ?? [await developmentSecret(dataFolder, 'encryption-key')]
}
