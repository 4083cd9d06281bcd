import { fastify } from 'fastify'
import { Pool } from 'pg'
import { createBenchApp, openForBench, serve } from '../../../bench/kit/serving.ts'
import { payments } from '../index.ts'
import { barePayments } from './payments-bare.ts'

/* A child process of `payments.bench.ts`: takes payments. */
const [, , name, databaseUrl, gatewayUrl = ''] = process.argv
const pool = new Pool({ connectionString: databaseUrl, max: 20 })

async function posthorn() {
  const app = await createBenchApp()
  const env = {
    GATEWAY_URL: gatewayUrl,
    GATEWAY_API_KEY: 'bench',
    PAYMENTS_WEBHOOK_SECRET: 'a secret of the benchmark',
  }
  await openForBench(payments, pool, env).routes?.(app)
  return app
}

function bare() {
  const app = fastify()
  barePayments(app, pool, gatewayUrl)
  return app
}

await serve(name === 'bare' ? bare() : await posthorn(), '/api/v1/payments')
