import { migrate, type MigrationSet, type Transport } from '@posthorn/engine'
import { prometheusMetrics } from '@posthorn/engine/metrics/prometheus'
import { migrationStatus, useMovableClock } from '@posthorn/operate'
import type { DemoChapter, System } from '@posthorn/system'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { openApi } from './api.ts'
import { watchBacklog } from './health/backlog.ts'
import { openBrokers, type Brokers } from './brokers/broker-catalogue.ts'
import type { Configuration } from './configuration/configuration.ts'
import { openDatabase } from './database/database.ts'
import { SERVER_METRICS } from './health/metrics.ts'
import { allMigrations, compareKeys, openSystems } from './systems/open-systems.ts'
import { OWN_OUTBOXES } from './systems/own-outboxes.ts'
import { createReadiness, PATIENCE_MS } from './health/health.ts'
import { startTracing } from './tracing.ts'
import { startWork } from './work.ts'

export interface Server {
  /** Where it listens; undefined for a process that does not. */
  readonly url: string | undefined
  /** The names of its systems. */
  readonly systems: readonly string[]
  /** A first request to try, in development. */
  readonly firstRequest?: DemoChapter['firstRequest']
  /** For people: where its database and its brokers are. */
  readonly database: string
  readonly brokers: Brokers['where']
  /** How many migrations this start has applied. */
  readonly migrated: number
  /**
   * Answers the requests under way, settles or gives back what is claimed, and leaves. Resolves once
   * nothing of it is left.
   */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly systems: readonly System[]
  readonly log: Logger
}

/**
 * Runs the roles that the configuration names, in this process. What was opened before something
 * failed is closed again.
 */
export async function startServer(
  configuration: Configuration,
  { systems, log }: ServerOptions,
): Promise<Server> {
  const closers: (() => Promise<unknown>)[] = []
  // What was opened last goes first.
  const closeParts = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
  try {
    return await startParts(configuration, { systems, log, closers, closeParts })
  } catch (error) {
    await closeParts()
    throw error
  }
}

interface Starting extends ServerOptions {
  /** Ends what has been opened; the last one first. */
  readonly closers: (() => Promise<unknown>)[]
  closeParts(): Promise<void>
}

async function startParts(
  configuration: Configuration,
  { systems, log, closers, closeParts }: Starting,
): Promise<Server> {
  const tracing = await startTracing(configuration.tracesEndpoint)
  closers.push(() => tracing.close())
  const database = await openDatabase(configuration, log)
  closers.push(() => database.close())
  const { pool } = database
  const migrations = await allMigrations(systems)
  const hasSystems = systems.some(({ name }) => name !== OWN_OUTBOXES)
  const migrated = await bringUpToDate(pool, migrations, { ...configuration, hasSystems, log })
  if (hasSystems) await compareKeys(pool, configuration)
  const brokers = await openBrokers({ configuration, pool, log })
  closers.push(() => brokers.close())

  let url = configuration.baseUrl ?? `http://${configuration.host}:${configuration.port}`
  const opened = await openSystems(systems, { configuration, pool, log, baseUrl: () => url })
  closers.push(() => closeAll(opened.transports))
  const registry = new Registry()
  const metrics = prometheusMetrics(registry, SERVER_METRICS)
  collectDefaultMetrics({ register: registry })
  const readBacklog = watchBacklog(registry, { ...opened, pool, log })

  const work = await startWork({ configuration, database, brokers, opened, metrics, log })
  closers.push(work.close)
  // A connection of its own: a flood of requests must not take the process out of service.
  const probes = database.openPool('posthorn-probe', 1, PATIENCE_MS)
  const readiness = createReadiness({ pool: probes, migrations, brokers, work })
  const watching = { registry, metrics, readiness, readBacklog }
  const api = await openApi({ configuration, pool, opened, ...watching, log })
  closers.push(api.close)
  url = configuration.baseUrl ?? api.url ?? url

  return {
    url: api.url,
    systems: opened.systems,
    ...firstRequestOf(opened.demo),
    database: database.where,
    brokers: brokers.where,
    migrated,
    async close() {
      // Side by side first: together they have the time that one of them may take.
      await Promise.allSettled([api.close(), work.close()])
      await closeParts()
    },
  }
}

function firstRequestOf(chapters: readonly DemoChapter[]): Pick<Server, 'firstRequest'> {
  const found = chapters.find((chapter) => chapter.firstRequest !== undefined)
  return found?.firstRequest ? { firstRequest: found.firstRequest } : {}
}

interface Bringing {
  readonly hasSystems: boolean
  readonly log: Logger
}

/** Applies what is pending, or refuses to run on a database that is behind. */
async function bringUpToDate(
  pool: Pool,
  sets: readonly MigrationSet[],
  { migrate: how, production, hasSystems, log }: Configuration & Bringing,
): Promise<number> {
  let applied = 0
  if (how === 'auto') applied = (await migrate(pool, sets, { log })).length
  else {
    const status = await migrationStatus(pool, sets)
    const pending = status.filter(({ appliedAt }) => appliedAt === undefined)
    if (pending.length > 0) {
      const names = pending.map(({ set, id }) => `${set}/${id}`).join(', ')
      throw new Error(`Migrations are pending: ${names}. Run \`posthorn migrate\` first.`)
    }
  }
  // Simulators are played with it; what has none keeps the clock that it has.
  if (!production && hasSystems) await useMovableClock(pool)
  return applied
}

async function closeAll(transports: Readonly<Record<string, Transport>>): Promise<void> {
  await Promise.allSettled(Object.values(transports).map(async (transport) => transport.close?.()))
}
