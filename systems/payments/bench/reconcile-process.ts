import { peakMemoryMb } from '@posthorn/system/testing'
import { Pool } from 'pg'
import { createBenchApp, openForBench, serve } from '../../../bench/kit/serving.ts'
import { payments } from '../index.ts'

/* A child process of the benchmarks of reconciliation: takes files. */
const [, , databaseUrl] = process.argv
const pool = new Pool({ connectionString: databaseUrl, max: 10 })
const app = await createBenchApp()
const env = {
  GATEWAY_URL: 'http://127.0.0.1:9',
  GATEWAY_API_KEY: 'bench',
  PAYMENTS_WEBHOOK_SECRET: 'a secret of the benchmark',
  RECONCILIATION_MAX_BYTES: '10000000000',
  RECONCILIATION_MAX_RECORDS: '20000000',
}
await openForBench(payments, pool, env).routes?.(app)
await serve(app, '/api/v1/reconciliations', peakMemoryMb)
