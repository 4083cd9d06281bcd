import { silentLog, type Log } from '@posthorn/engine'
import { createApp, createVerifier, type App } from '@posthorn/http'
import { simulatedReceivers } from '../simulators/merchant/receivers.ts'
import { simulators } from '@posthorn/simulators'
import type { Pool } from 'pg'
import { createSealing, readSettings, type OpenSystem } from '@posthorn/system'
import { payments } from '../index.ts'

export const TOKEN_SECRET = 'a secret that only the tests of payments know'

export interface Serving {
  readonly app: App
  readonly url: string
  readonly system: OpenSystem
}

export interface ServingOptions {
  readonly pool: Pool
  readonly env?: Readonly<Record<string, string>>
  readonly log?: Log
}

/** The system behind a real server on a free port, with the outside world it brings. */
export async function serve({ pool, env = {}, log = silentLog }: ServingOptions): Promise<Serving> {
  const app = await createApp({
    title: 'payments',
    version: '1',
    production: false,
    rateLimit: false,
    log: false,
    verify: createVerifier({ secret: TOKEN_SECRET }),
  })
  const { values, mistakes } = readSettings(payments.settings, { env, production: false })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  let url = ''
  const system = payments.open({
    pool,
    log,
    settings: values,
    production: false,
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
