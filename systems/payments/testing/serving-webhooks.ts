import { silentLog, type Outbox } from '@posthorn/engine'
import { createApp, createVerifier, type App } from '@posthorn/http'
import { merchant } from '../simulators/merchant/index.ts'
import { simulatedReceivers } from '../simulators/merchant/receivers.ts'
import { simulators } from '@posthorn/simulators'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { createSealing, readSettings } from '@posthorn/system'
import { openWebhooks, webhookSettings } from '../webhooks/index.ts'

export const TOKEN_SECRET = 'a secret that only the tests of webhooks know'

export interface ServingWebhooks {
  readonly app: App
  readonly url: string
  readonly parts: ReturnType<typeof openWebhooks>
}

/** The webhooks behind a real server on a free port, with a simulated merchant. */
export async function serveWebhooks(
  pool: Pool,
  env: Readonly<Record<string, string>>,
): Promise<ServingWebhooks> {
  const app = await createApp({
    title: 'webhooks',
    version: '1',
    production: false,
    rateLimit: false,
    verify: createVerifier({ secret: TOKEN_SECRET }),
    log: false,
  })
  let url = 'http://127.0.0.1:1'
  const { values, mistakes } = readSettings(Type.Object(webhookSettings), {
    env,
    production: false,
  })
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  const parts = openWebhooks({
    pool,
    log: silentLog,
    settings: values,
    production: false,
    baseUrl: () => url,
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async () => undefined,
    receivers: simulatedReceivers(() => url),
  })
  await parts.routes(app)
  await app.register(simulators, { pool, simulators: [merchant()] })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, url, parts }
}

const LEASE_MS = 2_000

/** The same outboxes with a short lease: what a dead process held is soon free. */
export function impatient(outboxes: readonly Outbox[]): Outbox[] {
  return outboxes.map((outbox) => ({ ...outbox, leaseMs: LEASE_MS }))
}
