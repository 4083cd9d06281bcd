import { silentLog, type Outbox } from '@posthorn/engine'
import { createApp, createVerifier, signToken, type App, type Role } from '@posthorn/http'
import { simulators } from '@posthorn/simulators'
import { createSealing, readSettings, type OpenSystem } from '@posthorn/system'
import type { Pool } from 'pg'
import { payments } from '../index.ts'
import { simulatedReceivers } from '../simulators/index.ts'

const SECRET = 'a secret that only the tests of payments know'

/** Whose token it is. */
export interface Bearer {
  readonly sub?: string
  readonly org?: string
  readonly role?: Role
}

export function tokenOf({ sub = 'ada', org = 'acme', role = 'admin' }: Bearer = {}) {
  return signToken({ secret: SECRET, sub, org, role })
}

export interface Serving {
  readonly app: App
  readonly url: string
  readonly system: OpenSystem
}

/** The system behind a real server on a free port, with the outside world it brings. */
export async function serve(
  pool: Pool,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Serving> {
  const app = await createApp({
    ...{ title: 'payments', version: '1', production: false, rateLimit: false, log: false },
    drainMs: 1_000,
    verify: createVerifier({ secret: SECRET }),
  })
  const { values, mistakes } = readSettings(payments.settings, { env, production: false })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  let url = 'http://127.0.0.1:1'
  const system = payments.open({
    ...{ pool, log: silentLog, settings: values, production: false },
    baseUrl: () => url,
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async () => undefined,
    receivers: simulatedReceivers(() => url),
  })
  await system.routes?.(app)
  await app.register(simulators, { pool, simulators: system.simulators ?? [] })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, url, system }
}

const LEASE_MS = 2_000

/** The outboxes whose messages leave the process: those of the webhooks. */
export function webhookOutboxes({ outboxes, handlers = [] }: OpenSystem): Outbox[] {
  const handled = new Set(handlers.map(({ outbox }) => outbox.name))
  return outboxes.filter(({ name }) => !handled.has(name))
}

/** Nothing rings for what another process of a test enqueues. */
const POLL_MS = 200

/** The same outboxes with a short lease: what a dead process held is soon free. */
export function impatient(system: OpenSystem): Outbox[] {
  return webhookOutboxes(system).map((outbox) => ({
    ...outbox,
    leaseMs: LEASE_MS,
    everyMs: POLL_MS,
  }))
}
