import { randomBytes } from 'node:crypto'
import {
  engineMigrations,
  keyRing,
  toMs,
  type Log,
  type MigrationSet,
  type Outbox,
} from '@posthorn/engine'
import { engineRetention } from '@posthorn/operate/internal'
import { mergeCatalogues, type RetentionCatalogue } from '@posthorn/operate'
import {
  type DemoChapter,
  type DestinationNames,
  type NameDestinations,
  type OpenSystem,
  type System,
  createSealing,
  nameDestinationsBy,
  type Sealing,
} from '@posthorn/system'
import type { Receivers, Simulator } from '@posthorn/simulators'
import { topicMigrations, topicRetention } from '@posthorn/transports/postgres'
import type { Pool } from 'pg'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError, type Configuration } from '../configuration/configuration.ts'
import { OWN_OUTBOXES } from './own-outboxes.ts'
import { developmentSecret } from '../configuration/secret.ts'
import { noteSealingKey } from '../queries.ts'

/** All systems together, as their hosts need them. */
export interface Opened extends Required<
  Omit<OpenSystem, 'destinationNames' | 'outboxes' | 'relayed' | 'retention' | 'routes'>
> {
  /** Their names, without the one that holds a user's own outboxes. */
  readonly systems: readonly string[]
  readonly outboxes: readonly Outbox[]
  /** Those of them that a relay here runs. */
  readonly relayed: readonly Outbox[]
  /** What the engine and all systems keep. */
  readonly retention: RetentionCatalogue
  readonly sealing: Sealing
  readonly demo: readonly DemoChapter[]
  readonly nameDestinations: NameDestinations
  readonly routes: readonly NonNullable<OpenSystem['routes']>[]
}

export interface OpenOptions {
  readonly configuration: Pick<
    Configuration,
    'settings' | 'production' | 'dataFolder' | 'encryptionKeys' | 'retention'
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
  const sealing = await sealingOf(configuration)
  const receivers: Receivers[] = []
  const destinationNames: DestinationNames[] = []
  const host = {
    pool,
    log,
    production,
    baseUrl,
    dataFolder,
    sealing,
    nameDestinations: nameDestinationsBy(destinationNames),
    masterKeys: keyRing(await keysOf(configuration)),
    simulatorAddress: async (name: string) =>
      production ? undefined : (await readSimulatorAddresses(dataFolder))[name],
    ...(!production && { receivers: anyOf(receivers) }),
  }
  const opened = systems.map((system) =>
    system.open({ ...host, settings: settings[system.name] as never }),
  )
  destinationNames.push(...opened.flatMap((each) => each.destinationNames ?? []))
  const simulators = byName(opened.flatMap((each) => each.simulators ?? []))
  receivers.push(...simulators.flatMap((each) => each.receivers?.(baseUrl) ?? []))
  const outboxes = opened.flatMap((each) => each.outboxes)
  return {
    systems: systems.map(({ name }) => name).filter((name) => name !== OWN_OUTBOXES),
    outboxes,
    sealing,
    retention: withDefaults(
      mergeCatalogues([
        engineRetention(outboxes),
        ...(useTopics(systems) ? [topicRetention] : []),
        ...opened.flatMap(({ retention = [] }) => retention),
      ]),
      configuration.retention,
    ),
    relayed: opened.flatMap((each) => each.relayed ?? each.outboxes),
    handlers: opened.flatMap(({ handlers = [] }) => handlers),
    consumers: opened.flatMap(({ consumers = [] }) => consumers),
    queues: opened.flatMap(({ queues = [] }) => queues),
    workers: opened.flatMap(({ workers = [] }) => workers),
    measures: opened.flatMap(({ measures = [] }) => measures),
    transports: Object.assign(
      {},
      ...opened.map(({ transports = {} }) => transports),
    ) as Opened['transports'],
    simulators,
    demo: systems.flatMap(({ demo = [] }) => demo),
    nameDestinations: host.nameDestinations,
    audits: opened.flatMap(({ audits = [] }) => audits),
    searches: opened.flatMap(({ searches = [] }) => searches),
    follows: opened.flatMap(({ follows = [] }) => follows),
    routes: opened.flatMap(({ routes }) => routes ?? []),
  }
}

/** The catalogue with the times of the environment. */
function withDefaults(
  catalogue: RetentionCatalogue,
  keeps: Configuration['retention'],
): RetentionCatalogue {
  const mistakes = Object.entries(keeps).flatMap(([name, keep]) => {
    const known = catalogue.classes.find((each) => each.name === name)
    if (!known) return [`POSTHORN_RETENTION names ${name}, which is no class of data`]
    if (known.fixed) return [`POSTHORN_RETENTION names ${name}, whose time cannot be set`]
    const isShort = keep !== 'forever' && toMs(keep) < toMs(known.least ?? '0ms')
    return isShort ? [`POSTHORN_RETENTION: ${name} must be kept for ${known.least} or more`] : []
  })
  if (mistakes.length > 0) throw new ConfigurationError(mistakes)
  const classes = catalogue.classes.map((each) => ({
    ...each,
    keep: keeps[each.name] ?? each.keep,
  }))
  return { ...catalogue, classes }
}

/** Every migration, in the order in which they must run. */
export async function allMigrations(systems: readonly System[]): Promise<MigrationSet[]> {
  const own = systems.map((system) => system.migrations())
  const topics = useTopics(systems) ? [topicMigrations()] : []
  const sets = await Promise.all([engineMigrations(), ...topics, ...own])
  return sets.filter(({ migrations }) => migrations.length > 0)
}

function useTopics(systems: readonly System[]): boolean {
  return systems.some(({ usesTopics = true }) => usesTopics)
}

/** The first of each name, stand-ins last: a mailbox serves all systems that send mail. */
function byName(simulators: readonly Simulator[]): Simulator[] {
  const ranked = simulators.toSorted((a, b) => Number(a.standIn ?? 0) - Number(b.standIn ?? 0))
  return ranked.filter((each, i) => ranked.findIndex(({ name }) => name === each.name) === i)
}

/** All receivers as one. They are known once every system is open, and asked only later. */
function anyOf(receivers: readonly Receivers[]): Receivers {
  return {
    includes: (url) => receivers.some((each) => each.includes(url)),
    async introduce(url, secrets) {
      await Promise.all(receivers.map((each) => each.introduce(url, secrets)))
    },
  }
}

type SealingConfiguration = Pick<Configuration, 'dataFolder' | 'encryptionKeys' | 'production'>

/** Seals with the keys of the configuration; development makes one up. */
export async function sealingOf(configuration: SealingConfiguration): Promise<Sealing> {
  return createSealing(await keysOf(configuration))
}

/**
 * Compares the keys of this server with the last one that secrets were sealed with: a server with
 * another one would start, and fail at the first secret of the others.
 */
export async function compareKeys(pool: Pool, configuration: SealingConfiguration): Promise<void> {
  const keys = await keysOf(configuration)
  const all = keys.map((key) => createSealing([key]).digest('', 'posthorn sealing key'))
  if (await noteSealingKey(pool, { newest: all[0] ?? '', all })) return
  throw new ConfigurationError([
    'POSTHORN_ENCRYPTION_KEYS lacks the key that secrets in this database are sealed with: give all servers of a database the same keys, or in development the same POSTHORN_DATA_DIR. If that key is lost, `delete from posthorn.sealing_key` lets this server start; what was sealed stays closed',
  ])
}

/** Production is without only where nothing is stored that would be opened again. */
async function keysOf({
  encryptionKeys,
  dataFolder,
  production,
}: SealingConfiguration): Promise<readonly string[]> {
  if (encryptionKeys) return encryptionKeys
  if (production) return [randomBytes(32).toString('base64url')]
  return [await developmentSecret(dataFolder, 'encryption-key')]
}

/** Addresses of simulators by name. */
type SimulatorAddresses = Readonly<Record<string, string>>

/**
 * Writes down where simulators listen, so that other processes on the data folder find them: the
 * worker that sends mail is not always the process that plays the mail server.
 */
export async function writeSimulatorAddresses(
  dataFolder: string,
  addresses: SimulatorAddresses,
): Promise<void> {
  const file = fileIn(dataFolder)
  await mkdir(dataFolder, { recursive: true })
  await writeFile(`${file}.${process.pid}`, JSON.stringify(addresses), { mode: 0o600 })
  // Whole or not at all, for a concurrent reader.
  await rename(`${file}.${process.pid}`, file)
}

/** What was written down last; nothing if no server ever was. */
async function readSimulatorAddresses(dataFolder: string): Promise<SimulatorAddresses> {
  try {
    return JSON.parse(await readFile(fileIn(dataFolder), 'utf8')) as SimulatorAddresses
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'simulators.json')
}
