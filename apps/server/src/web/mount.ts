import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createNotifier, silentLog, type Log, type Outbox } from '@posthorn/engine'
import { engineRetention } from '@posthorn/operate/internal'
import {
  createApp,
  createVerifier,
  isForeign,
  signToken,
  type App,
  type Role,
} from '@posthorn/http'
import { createSealing } from '@posthorn/system'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { dashboardRoutes } from './dashboard.ts'
import { operatorRoutes } from '../operators/index.ts'
import manifest from '../../package.json' with { type: 'json' }

/** Who uses the dashboard, as the application around it knows them. */
export interface Identity {
  /** Stands in the audit behind what the user does. */
  readonly name: string
  /** `platform` (default) operates everything, `operator` the messages of its organisation. */
  readonly role?: Role
  /** Whose messages an operator sees. Default `default`. */
  readonly org?: string
}

export interface MountOptions {
  readonly pool: Pool
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types stand side by side
  readonly outboxes: readonly Outbox<any>[]
  /** Where it is mounted, as `/posthorn`. */
  readonly path: string
  /** Says who asks, by the application's own cookies or headers; undefined for strangers. */
  authenticate(request: IncomingMessage): Identity | undefined | Promise<Identity | undefined>
  readonly log?: Log
}

/** The dashboard within another application. */
export interface MountedDashboard {
  /** For Express, `app.use('/posthorn', dashboard.handle)`, and for node:http. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** For Fastify: `app.register(dashboard.plugin, { prefix: '/posthorn' })`. */
  plugin(app: FastifyInstance): Promise<void>
  close(): Promise<void>
}

/** Until then a user whom the application has logged out meanwhile is at most known to a page. */
const TOKEN = '1h'

/**
 * The dashboard and its API for an application's own outboxes, below a path of that application and
 * behind its own login. It relays nothing and migrates nothing.
 */
export async function mountDashboard(options: MountOptions): Promise<MountedDashboard> {
  const { path, authenticate } = options
  if (!/^(\/[\w-]+)+$/.test(path)) throw new TypeError(`path must be as "/posthorn", not "${path}"`)
  // Tokens are made and checked in this process alone.
  const secret = randomBytes(32).toString('base64url')
  const app = await createApp({
    title: 'Posthorn',
    version: manifest.version,
    verify: createVerifier({ secret }),
    production: false,
    rateLimit: false,
  })
  await addRoutes(app, options)
  await app.ready()

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(response, refusal)
    const identity = await authenticate(request)
    if (!identity) return refuse(response, { status: 401, text: 'Log in first.' })
    const { name: sub, role = 'platform', org = 'default' } = identity
    const token = await signToken({ secret, sub, org, role, expiresIn: TOKEN })
    request.headers.authorization = `Bearer ${token}`
    app.routing(request, response)
  }
  const handle: MountedDashboard['handle'] = (request, response) => {
    request.url = below(path, request)
    answer(request, response).catch((error: unknown) => {
      options.log?.error({ err: error }, 'a request to the dashboard failed; answering 500')
      refuse(response, { status: 500, text: 'Something went wrong.' })
    })
  }
  return {
    handle,
    async plugin(host) {
      // The body is the dashboard's to read.
      host.removeAllContentTypeParsers()
      host.addContentTypeParser('*', (_request, _payload, done) => done(null))
      for (const url of ['/', '/*']) {
        host.all(url, (request, reply) => {
          reply.hijack()
          handle(request.raw, reply.raw)
        })
      }
      host.addHook('onClose', () => app.close())
    },
    close: () => app.close(),
  }
}

async function addRoutes(app: App, options: MountOptions): Promise<void> {
  const { pool, path, log = silentLog } = options
  const outboxes: readonly Outbox[] = options.outboxes
  // Relays of this process and of others hear of what is done here.
  const notifier = createNotifier(pool, outboxes, { log })
  app.addHook('onClose', () => notifier.close())
  await dashboardRoutes(app, {
    configuration: { production: true, oidc: undefined, portalAncestors: [] },
    has: [],
    base: path,
    login: 'host',
  })
  operatorRoutes(app, {
    ...{ pool, outboxes, log },
    audits: [],
    searches: [],
    follows: [],
    nameDestinations: async () => new Map(),
    retention: engineRetention(outboxes),
    sealing: createSealing([randomBytes(32).toString('base64url')]),
    hasRetention: false,
    simulators: undefined,
  })
}

/** The address as the dashboard's own routes have it; Express has taken the path away already. */
function below(path: string, request: IncomingMessage & { originalUrl?: string }): string {
  const url = request.url ?? '/'
  if (request.originalUrl !== undefined || !url.startsWith(path)) return url
  const rest = url.slice(path.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

interface Refusal {
  readonly status: number
  readonly text: string
}

/** The application's cookies come along with requests that other sites make a browser send. */
function refusalOf(request: IncomingMessage & { body?: unknown }): Refusal | undefined {
  const { method = 'GET' } = request
  if (method === 'GET' || method === 'HEAD') return undefined
  if (isForeign(request)) return { status: 403, text: 'This request came from another site.' }
  if (!request.readableEnded || request.body === undefined) return undefined
  return {
    status: 500,
    text: 'The body was read already: mount the dashboard before what parses bodies.',
  }
}

function refuse(response: ServerResponse, { status, text }: Refusal): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
