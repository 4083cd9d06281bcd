import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { Pool } from 'pg'
import { PosthornError } from '@posthorn/engine'
import { problem } from '@posthorn/http'
import { clockRoutes, readClock } from './clock.ts'
import { controlRoutes, type Controlled } from './control.ts'
import { plainFailure } from './fault.ts'
import { Protocol } from './protocol.ts'
import type { Simulator } from './simulator.ts'
import { createWorld, type ControlledWorld } from './world.ts'

export interface SimulatorsOptions {
  /** Where the business clock is. */
  readonly pool: Pool
  readonly simulators: readonly Simulator[]
  /** By which name clients call this server, beside its addresses and `localhost`. */
  readonly hostname?: string
  /** Nothing is mounted or opened: every path below `/sim` is unknown. Default false. */
  readonly production?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Addresses of simulators that listen elsewhere, by name: `mail` is `smtp://127.0.0.1:…`. */
    simulatorAddresses: Readonly<Record<string, string>>
  }
}

interface Listed {
  readonly name: string
  readonly about: string
  readonly address: string
  readonly routes: readonly RouteLine[]
}

interface RouteLine {
  readonly method: string
  readonly path: string
  readonly does: string | undefined
}

/** Mounts the outside world below `/sim`. Its state is in memory and belongs to this server. */
export const simulators = fastifyPlugin<SimulatorsOptions>(
  async (app, options) => {
    const addresses: Record<string, string> = {}
    app.decorate('simulatorAddresses', addresses)
    if (options.production) return
    checkNames(options.simulators)
    const end = new AbortController()
    // Before the server waits for its requests: those that hang would keep it waiting.
    app.addHook('preClose', async () => end.abort())

    const names = new Set(['localhost', ...(options.hostname ? [options.hostname] : [])])
    const below = mountBelow(app, names)
    const listed: Listed[] = []
    for (const simulator of options.simulators) {
      const { name, about } = simulator
      const now = async () => (await readClock(options.pool)).now
      const world = createWorld({ name, log: app.log, ended: end.signal, now })
      const { open, mount } = await openSimulator(simulator, world)
      app.addHook('onClose', async () => open.close?.())
      if (open.address !== undefined) addresses[name] = open.address
      const path = `/sim/${name}`
      const routes = await below(path, mount)
      listed.push({ name, about, address: open.address ?? path, routes })
    }
    const routes = await below('/sim/clock', (scope) => clockRoutes(scope, options.pool))
    const about = 'The business clock: hours pass in a moment, for every process on the database.'
    listed.push({ name: 'clock', about, address: '/sim/clock', routes })

    await below('/sim', (scope) => {
      scope.get('', { schema: { summary: 'The simulators' } }, () => ({ items: listed }))
    })
  },
  { name: '@posthorn/simulators', fastify: '5.x' },
)

/** A simulator as one server has it, with the routes of its controls and of its protocol. */
async function openSimulator(simulator: Simulator, world: ControlledWorld) {
  const protocol = new Protocol(world)
  const { name, log, ended, waiting, nextFault, later, now } = world
  const open = await simulator.open({
    ...{ name, log, ended, waiting, nextFault, later, now },
    rawBody: (request) => protocol.rawBody(request),
    note: (request, fields) => protocol.note(request, fields),
    fail: (request, order) => protocol.fail(request, order),
  })
  const controlled: Controlled = {
    world,
    arrivals: open.arrivals ?? ((before) => protocol.arrivals(before)),
    forget: () => {
      protocol.forget()
      open.forget?.()
    },
  }
  const mount = async (app: FastifyInstance) => {
    controlRoutes(app, controlled)
    await open.control?.(app)
    await app.register(async (scope) => {
      protocol.surround(scope, (fault) => open.failure?.(fault) ?? plainFailure(fault))
      await open.routes?.(scope)
    })
  }
  return { open, mount }
}

/** Mounts public routes, and records them. */
function mountBelow(app: FastifyInstance, names: ReadonlySet<string>) {
  return async (
    prefix: string,
    mount: (scope: FastifyInstance) => void | Promise<void>,
  ): Promise<RouteLine[]> => {
    const lines: RouteLine[] = []
    const mountAll = async (scope: FastifyInstance) => {
      scope.addHook('onRequest', async ({ hostname }) => checkHost(hostname, names))
      scope.addHook('onRoute', (route) => {
        // Our own relays call from one address: a limit by address would be theirs.
        route.config = { ...route.config, access: 'public', rateLimit: false }
        route.schema = { tags: ['simulators'], ...route.schema }
        const { summary } = route.schema
        const methods = [route.method].flat().filter((method) => method !== 'HEAD')
        lines.push(...methods.map((method) => ({ method, path: route.url, does: summary })))
      })
      await mount(scope)
    }
    await app.register(mountAll, { prefix })
    return lines
  }
}

/**
 * These routes take no token. A page of the web may point a name of its own at this machine (DNS
 * rebinding) and would read the mail; what it cannot do is call by an address, or by our name.
 */
function checkHost(hostname: string, names: ReadonlySet<string>): void {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(host) > 0 || names.has(host)) return
  throw problem('FORBIDDEN', { detail: 'Call simulators by an address, or as localhost.' })
}

function checkNames(wanted: readonly Simulator[]): void {
  const names = new Set<string>()
  for (const { name } of wanted) {
    if (names.has(name)) {
      throw new PosthornError('DEFINITION_INVALID', `simulator ${name}: name: is used twice`)
    }
    names.add(name)
  }
}
