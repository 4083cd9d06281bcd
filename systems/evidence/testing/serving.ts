import { silentLog, type Log } from '@posthorn/engine'
import { createApp, createVerifier, type App } from '@posthorn/http'
import { simulators } from '@posthorn/simulators'
import type { Pool } from 'pg'
import { createSealing, readSettings, type OpenSystem } from '@posthorn/system'
import { evidence, type FindDeliveries, type MerchantEvent, type Notify } from '../index.ts'

export const TOKEN_SECRET = 'a secret that only the tests of evidence know'

export interface Serving {
  readonly app: App
  readonly url: string
  readonly system: OpenSystem
  /** Notifications to merchants, committed or not. */
  readonly notified: readonly MerchantEvent[]
}

export interface ServingOptions {
  readonly pool: Pool
  /** Where files are kept. */
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly log?: Log
}

/** The system behind a real server on a free port, with the document API it brings. */
export async function serve(options: ServingOptions): Promise<Serving> {
  const { pool, folder, env = {}, log = silentLog } = options
  const notified: MerchantEvent[] = []
  const notify: Notify = async (_tx, event) => void notified.push(event)
  const findDeliveries: FindDeliveries = async (_db, { ids }) =>
    ids.map((eventId) => ({
      ...{ id: eventId, eventId, url: 'https://merchant.test/hook', status: 'delivered' },
      ...{ attempts: 1, deliveredAt: new Date(0) },
    }))
  const made = evidence({ notify, findDeliveries })
  const app = await createApp({
    title: 'evidence',
    version: '1',
    production: false,
    rateLimit: false,
    log: false,
    verify: createVerifier({ secret: TOKEN_SECRET }),
  })
  const { values, mistakes } = readSettings(made.settings, {
    env: { EVIDENCE_FOLDER: folder, ...env },
    production: false,
  })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  let url = ''
  const system = made.open({
    pool,
    log,
    settings: values,
    production: false,
    baseUrl: () => url,
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async (name) => app.simulatorAddresses[name],
  })
  await system.routes?.(app)
  await app.register(simulators, { pool, simulators: system.simulators ?? [] })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, url, system, notified }
}
