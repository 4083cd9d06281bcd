import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createApp, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Configuration } from './configuration/configuration.ts'
import { dashboardRoutes } from './web/dashboard.ts'
import { siteRoutes } from './web/site.ts'
import { sessionReader, sessionRoutes } from './web/session.ts'
import { demoRoutes } from './demo/routes.ts'
import { healthRoutes, type Readiness } from './health/health.ts'
import { type Opened, writeSimulatorAddresses } from './systems/open-systems.ts'
import type { ServerMetrics } from './health/metrics.ts'
import { operatorRoutes } from './operators/index.ts'
import { verifierOf } from './configuration/tokens.ts'
import manifest from '../package.json' with { type: 'json' }

export interface ApiOptions {
  readonly configuration: Configuration
  readonly pool: Pool
  readonly opened: Opened
  readonly registry: Registry
  readonly metrics: ServerMetrics
  readonly readiness: () => Promise<Readiness>
  readonly readBacklog: () => Promise<void>
  readonly log: Logger
}

export interface Api {
  /** Undefined for a process that does not listen. */
  readonly url: string | undefined
  close(): Promise<void>
}

/**
 * Listens. Without the role `api` only for health and metrics, and only on a port that was named:
 * three processes on one machine must not fight over the default one.
 */
export async function openApi(options: ApiOptions): Promise<Api> {
  const { configuration } = options
  const { roles, portIsGiven, host, port } = configuration
  if (!roles.has('api') && !portIsGiven) return { url: undefined, close: async () => undefined }
  const app = await appOf(options)
  try {
    healthRoutes(app, options)
    if (roles.has('api')) await addRoutes(app, options)
    await app.listen({ host, port, backlog: BACKLOG })
    if (roles.has('api') && featuresOf(options).includes('simulators')) {
      await writeSimulatorAddresses(configuration.dataFolder, app.simulatorAddresses)
    }
  } catch (error) {
    await app.close()
    throw explain(error, configuration)
  }
  let closing: Promise<void> | undefined
  return { url: urlOf(app, host), close: () => (closing ??= app.close()) }
}

/**
 * Connections that the system keeps until the process accepts them. If there are more, the system drops the next
 * ones, and their clients try again after a second. Linux keeps at most `net.core.somaxconn`.
 */
const BACKLOG = 4_096

/** How long requests under way may take when the server stops. */
const DRAIN_MS = 7_000

async function appOf({ configuration, metrics, log, pool }: ApiOptions): Promise<App> {
  const { production, rateLimit, orgRateLimit, trustProxy, baseUrl } = configuration
  return createApp({
    title: 'Posthorn',
    version: manifest.version,
    verify: await verifierOf(configuration),
    readSession: sessionReader(pool),
    production,
    log,
    ...(trustProxy !== undefined && { trustProxy }),
    ...(baseUrl !== undefined && { baseUrl }),
    rateLimit: rateLimit > 0 && { max: rateLimit, windowMs: 60_000 },
    orgRateLimit: orgRateLimit > 0 && { max: orgRateLimit, windowMs: 60_000 },
    maxConnectionsPerNetwork: configuration.networkConnections || false,
    drainMs: DRAIN_MS,
    onResponse: ({ method, route, status, ms }) => {
      const labels = { method, route: route ?? 'none', status: String(status) }
      metrics.observe('posthorn_http_request_ms', ms, labels)
    },
  })
}

async function addRoutes(app: App, options: ApiOptions): Promise<void> {
  const { configuration, pool, opened, metrics, log } = options
  const { baseUrl } = configuration
  const has = featuresOf(options)
  const { dashboardFolder } = configuration
  await dashboardRoutes(app, {
    configuration,
    has,
    ...(dashboardFolder !== undefined && { folder: resolve(dashboardFolder) }),
  })
  await siteRoutes(app)
  sessionRoutes(app, {
    ...{ pool, baseUrl },
    verify: await verifierOf(configuration),
  })
  operatorRoutes(app, {
    ...opened,
    ...{ pool, log, metrics, mode: configuration.relayMode },
    simulators: has.includes('simulators') ? opened.simulators : undefined,
    hasRetention: has.includes('retention'),
  })
  for (const addRoute of opened.routes) await addRoute(app)
  if (has.includes('demo')) {
    demoRoutes(app, { chapters: opened.demo, simulators: opened.simulators, baseUrl, log })
  }
  if (opened.systems.length === 0) return
  const { simulators } = await import('@posthorn/simulators')
  await app.register(simulators, {
    pool,
    simulators: opened.simulators,
    ...(baseUrl !== undefined && { hostname: new URL(baseUrl).hostname }),
    production: configuration.production,
  })
}

/** What there is beside the outboxes: the dashboard leaves out the pages of the rest. */
function featuresOf({ configuration, opened }: ApiOptions): string[] {
  const { systems } = opened
  if (systems.length === 0) return []
  return [
    ...systems,
    'retention',
    ...(opened.follows.length === 0 ? [] : ['journeys']),
    ...(configuration.production ? [] : ['simulators', 'demo']),
  ]
}

function urlOf(app: App, host: string): string {
  const { port } = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A port that is taken is the commonest mistake of all: it gets a sentence of its own. */
function explain(error: unknown, { host, port }: Configuration): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'EADDRINUSE') return error
  const problem = `Port ${port} of ${host} is taken: is another server running? Set PORT to another.`
  return new Error(problem, { cause: error })
}
