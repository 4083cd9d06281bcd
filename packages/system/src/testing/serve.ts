import { silentLog } from '@posthorn/engine'
import { createApp, createVerifier, signToken, type App, type Role } from '@posthorn/http'
import { simulators, type Receivers, type Simulator } from '@posthorn/simulators'
import { createSealing } from '../sealing.ts'
import { readSettings } from '../settings.ts'
import type { Host, OpenSystem, System } from '../system.ts'
import { ask, json } from './ask.ts'

/** What the tokens of tests are signed with. */
export const TEST_SECRET = 'a secret that only the tests of systems know'

export interface TestCaller {
  readonly sub?: string
  readonly org?: string
  readonly role?: Role
}

export function signTestToken({ sub = 'ada', org = 'acme', role = 'member' }: TestCaller = {}) {
  return signToken({ secret: TEST_SECRET, sub, org, role })
}

export interface TestHost extends Partial<Omit<Host, 'pool' | 'settings'>>, Pick<Host, 'pool'> {
  /** What the settings are read from. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** A system as a host opens it in development. */
export function openSystem(system: System, { env = {}, ...host }: TestHost): OpenSystem {
  const { values, mistakes } = readSettings(system.settings, { env, production: false })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return system.open({
    ...{ log: silentLog, production: false, baseUrl: () => '' },
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async () => undefined,
    ...{ ...host, settings: values },
  })
}

export interface ServedSystem {
  readonly app: App
  readonly url: string
  readonly system: OpenSystem
  /** Asks a simulator, or tells it something. */
  sim<Body = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Body>
}

/** A system behind a real server on a free port, with simulators: its own, unless others are given. */
export async function serveSystem(
  system: System,
  {
    outside,
    receivers,
    logging = false,
    ...host
  }: Omit<TestHost, 'receivers'> & {
    readonly outside?: readonly Simulator[]
    readonly receivers?: (baseUrl: () => string) => Receivers
    readonly logging?: Parameters<typeof createApp>[0]['log']
  },
): Promise<ServedSystem> {
  const app = await createApp({
    ...{ title: system.name, version: '1', production: false, rateLimit: false, log: logging },
    drainMs: 1_000,
    verify: createVerifier({ secret: TEST_SECRET }),
  })
  let url = ''
  const opened = openSystem(system, {
    baseUrl: () => url,
    simulatorAddress: async (name) => app.simulatorAddresses[name],
    ...(receivers && { receivers: receivers(() => url) }),
    ...host,
  })
  await opened.routes?.(app)
  const { pool } = host
  await app.register(simulators, { pool, simulators: outside ?? opened.simulators ?? [] })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...{ app, url, system: opened },
    sim: async (method, path, body) => (await ask(`${url}/sim${path}`, json(method, body))).body,
  }
}
