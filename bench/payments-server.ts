import { silentLog } from '@posthorn/engine'
import { createApp, createVerifier, signToken } from '@posthorn/http'
import { payments } from '@posthorn/systems/payments'
import { createSealing } from '@posthorn/systems/sealing'
import { readSettings } from '@posthorn/systems/settings'
import { fastify } from 'fastify'
import { Pool } from 'pg'
import { barePayments } from './payments-bare.ts'

/** A child process of `payments.ts`: takes payments until its parent lets go of it. */
export interface Serving {
  readonly url: string
  readonly token: string
}

const [, , name, databaseUrl, gatewayUrl = ''] = process.argv
const secret = 'a secret of the benchmark, known to it alone'
const pool = new Pool({ connectionString: databaseUrl, max: 20 })

async function posthorn() {
  const app = await createApp({
    title: 'bench',
    version: '1',
    production: true,
    verify: createVerifier({ secret }),
    rateLimit: { max: 1e9, windowMs: 60_000 },
    log: { level: 'info', stream: { write: () => undefined } },
    onResponse: () => undefined,
  })
  const env = {
    GATEWAY_URL: gatewayUrl,
    GATEWAY_API_KEY: 'bench',
    PAYMENTS_WEBHOOK_SECRET: 'a secret of the benchmark',
  }
  const { values } = readSettings(payments.settings, { env, production: true })
  const system = payments.open({
    pool,
    log: silentLog,
    settings: values,
    production: true,
    baseUrl: () => 'http://127.0.0.1',
    sealing: createSealing(['k'.repeat(32)]),
    simulatorAddress: async () => undefined,
  })
  await system.routes?.(app)
  return app
}

async function bare() {
  const app = fastify()
  barePayments(app, pool, gatewayUrl)
  return app
}

const app = name === 'bare' ? await bare() : await posthorn()
const address = await app.listen({ port: 0, host: '127.0.0.1' })
const token = await signToken({ secret, sub: 'bench', org: 'bench', expiresIn: '1d' })
process.send?.({ url: `${address}/api/v1/payments`, token } satisfies Serving)
process.on('message', () => process.send?.(process.cpuUsage()))
process.once('disconnect', () => process.exit())
