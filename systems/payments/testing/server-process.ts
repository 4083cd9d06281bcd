import { Pool } from 'pg'
import { serve } from './serving.ts'

/** A server of its own, without a completer: says its address and serves until it is killed. */
const pool = new Pool({ connectionString: process.env['CHILD_DATABASE_URL'], max: 5 })
pool.on('error', () => undefined)
const env = {
  GATEWAY_URL: process.env['CHILD_GATEWAY_URL'] ?? '',
  GATEWAY_TIMEOUT_MS: process.env['CHILD_GATEWAY_TIMEOUT_MS'] ?? '',
  PAYMENTS_LOCK_MS: '1000',
}
const { url } = await serve({ pool, env })
process.stdout.write(`${url}\n`)
