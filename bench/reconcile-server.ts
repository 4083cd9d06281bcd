import { silentLog } from '@posthorn/engine'
import { createApp, createVerifier, signToken } from '@posthorn/http'
import { payments } from '@posthorn/systems/payments'
import { peakMemoryMb } from '@posthorn/systems/peak-memory'
import { createSealing } from '@posthorn/systems/sealing'
import { readSettings } from '@posthorn/systems/settings'
import { Pool } from 'pg'

/** A child process of `reconcile-upload.ts`: takes files until its parent lets go of it. */
export interface Serving {
  readonly url: string
  readonly token: string
}

const [, , databaseUrl] = process.argv
const secret = 'a secret of the benchmark, known to it alone'
const app = await createApp({
  title: 'bench',
  version: '1',
  production: true,
  verify: createVerifier({ secret }),
  log: { level: 'info', stream: { write: () => undefined } },
})
const env = {
  GATEWAY_URL: 'http://127.0.0.1:9',
  GATEWAY_API_KEY: 'bench',
  PAYMENTS_WEBHOOK_SECRET: 'a secret of the benchmark',
  RECONCILIATION_MAX_BYTES: '10000000000',
  RECONCILIATION_MAX_RECORDS: '20000000',
}
const { values, mistakes } = readSettings(payments.settings, { env, production: true })
if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
const system = payments.open({
  pool: new Pool({ connectionString: databaseUrl, max: 10 }),
  log: silentLog,
  settings: values,
  production: true,
  baseUrl: () => 'http://127.0.0.1',
  sealing: createSealing(['k'.repeat(32)]),
  simulatorAddress: async () => undefined,
})
await system.routes?.(app)
const address = await app.listen({ port: 0, host: '127.0.0.1' })
const token = await signToken({ secret, sub: 'bench', org: 'bench', expiresIn: '1d' })
process.send?.({ url: `${address}/api/v1/reconciliations`, token } satisfies Serving)
process.on('message', () => process.send?.(peakMemoryMb()))
process.once('disconnect', () => process.exit())
