import { randomBytes } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLog } from '@posthorn/engine'
import {
  ConfigurationError,
  isProduction,
  loadSystems,
  modeMistakes,
  openSystems,
  readConfiguration,
  type Configuration,
  type Opened,
} from '@posthorn/server'
import { Pool } from 'pg'
import type { DatabaseOptions } from './options.ts'
import { UsageError } from './errors.ts'
import type { Terminal } from './terminal/terminal.ts'

export type Systems = Awaited<ReturnType<typeof loadSystems>>

export interface Environment {
  readonly configuration: Configuration
  readonly systems: Systems
}

/** The environment with what the command line says instead. */
export function variablesOf(
  { env }: Terminal,
  { dataDir, config }: DatabaseOptions,
): NodeJS.ProcessEnv {
  return {
    ...env,
    ...(dataDir !== undefined && { POSTHORN_DATA_DIR: dataDir }),
    ...(config !== undefined && { POSTHORN_CONFIG: config }),
  }
}

/**
 * Reads the configuration for a command. A command that looks, replays or migrates needs the database: the
 * secrets that production must name for its servers may be missing here, but nothing may be wrong.
 */
export async function readEnvironment(env: NodeJS.ProcessEnv): Promise<Environment> {
  const systems = await loadSystems(env)
  const mistakes = modeMistakes(env)
  if (mistakes.length > 0) throw new ConfigurationError(mistakes)
  const production = isProduction(env)
  if (production && !env['DATABASE_URL']) {
    throw new UsageError('DATABASE_URL is missing: production needs your own PostgreSQL')
  }
  const { NODE_ENV: _, ...given } = env
  // A command makes no secret and opens no simulator: any database is right for it.
  const lenient = { ...given, POSTHORN_REMOTE_DEVELOPMENT: 'true' }
  return { systems, configuration: { ...readConfiguration(lenient, systems), production } }
}

/** Opens the systems to look at their outboxes: nothing is sealed, and no key is made for it. */
export async function openToLook(
  { systems, configuration }: Environment,
  pool: Pool,
): Promise<Opened> {
  const { encryptionKeys, dataFolder } = configuration
  const isKeyless = encryptionKeys === undefined && !(await exists(dataFolder, 'encryption-key'))
  const unused = { encryptionKeys: [randomBytes(32).toString('base64url')] }
  return openSystems(systems, {
    configuration: { ...configuration, ...(isKeyless && unused) },
    pool,
    log: silentLog,
    baseUrl: () => configuration.baseUrl ?? '',
  })
}

/** The same without a database: for what is known of outboxes without asking it. */
export async function openWithoutDatabase(environment: Environment): Promise<Opened> {
  const pool = new Pool({ max: 1 })
  try {
    return await openToLook(environment, pool)
  } finally {
    await pool.end()
  }
}

/** Whether the data folder holds a database of its own, running or not. */
export async function hasDatabase({ dataFolder }: Pick<Configuration, 'dataFolder'>) {
  return exists(dataFolder, 'postgres', 'data')
}

async function exists(...path: string[]): Promise<boolean> {
  return access(join(...path)).then(
    () => true,
    () => false,
  )
}
