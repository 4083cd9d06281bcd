import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Outbox } from '@posthorn/engine'
import type { System } from '@posthorn/system'
import { ConfigurationError } from '../configuration/configuration.ts'
import { ownOutboxes } from './own-outboxes.ts'

/** The systems of a configuration: a list, or a function that is told which ones will run. */
export type SystemList =
  readonly System[] | ((runs: (name: string) => boolean) => readonly System[])

/** In the working folder; the first that exists. */
const DEFAULT_FILES = ['posthorn.config.ts', 'posthorn.config.mjs', 'posthorn.config.js']

/**
 * The systems and outboxes that the configuration exports: the module in POSTHORN_CONFIG, or
 * `posthorn.config.ts` in the working folder. POSTHORN_SYSTEMS chooses some of the systems by name.
 */
export async function loadSystems(env: NodeJS.ProcessEnv): Promise<readonly System[]> {
  const file = env['POSTHORN_CONFIG'] || DEFAULT_FILES.find((name) => existsSync(name))
  const { outboxes, systems = [] } = file ? await loadConfig(file) : {}
  const chosen = chooseSystems(systems, env['POSTHORN_SYSTEMS'] || 'all')
  return outboxes ? [...chosen, ownOutboxes(outboxes)] : chosen
}

interface Config {
  readonly outboxes?: readonly Outbox[]
  readonly systems?: SystemList
}

async function loadConfig(file: string): Promise<Config> {
  const { outboxes, systems } = await importModule(file)
  if (outboxes === undefined && systems === undefined) {
    throw notRight(file, 'export `outboxes` or `systems`; it exports neither')
  }
  if (outboxes !== undefined && !isListOf(outboxes, isOutbox)) {
    throw notRight(file, 'export `outboxes` as a list of what outbox() or defineOutbox() returned')
  }
  const listed: unknown = typeof systems === 'function' ? systems(() => true) : systems
  if (listed !== undefined && !isListOf(listed, isSystem)) {
    throw notRight(file, 'export `systems` as a list of what defineSystem() returned')
  }
  return { ...(outboxes && { outboxes }), ...(listed && { systems: systems as SystemList }) }
}

function notRight(file: string, wanted: string): ConfigurationError {
  return new ConfigurationError([`The configuration "${file}" must ${wanted}`])
}

async function importModule(file: string): Promise<{ outboxes?: unknown; systems?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as object
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`The configuration "${file}" cannot be loaded: ${reason}`])
  }
}

/** `all`, `none`, or names with commas between. */
function chooseSystems(systems: SystemList, text: string): readonly System[] {
  const list = (runs: (name: string) => boolean) =>
    typeof systems === 'function' ? systems(runs) : systems
  if (text === 'none') return []
  if (text === 'all') return list(() => true)
  const chosen = text.split(',').map((name) => name.trim())
  const known = list(() => true).map(({ name }) => name)
  const unknown = chosen.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new ConfigurationError([
      `POSTHORN_SYSTEMS must be all, none or some of ${known.join(', ')}, not "${unknown.join(', ')}"`,
    ])
  }
  const runs = (name: string) => chosen.includes(name)
  return list(runs).filter(({ name }) => runs(name))
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem)
}

function isOutbox(value: unknown): value is Outbox {
  if (typeof value !== 'object' || value === null) return false
  const { name, bell } = value as Partial<Outbox>
  return typeof name === 'string' && typeof bell === 'object'
}

function isSystem(value: unknown): value is System {
  if (typeof value !== 'object' || value === null) return false
  const { name, settings, migrations, open } = value as Partial<System>
  const isNamed = typeof name === 'string' && typeof settings === 'object'
  return isNamed && typeof migrations === 'function' && typeof open === 'function'
}
