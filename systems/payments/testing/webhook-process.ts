import { createRelay } from '@posthorn/engine'
import { Pool } from 'pg'
import { impatient, serveWebhooks } from './serving-webhooks.ts'

/** A server with a relay of its own: says its address and delivers until it is killed. */
const pool = new Pool({ connectionString: process.env['CHILD_DATABASE_URL'], max: 10 })
pool.on('error', () => undefined)
const { url, parts } = await serveWebhooks(pool, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
const { outboxes, transports } = parts
await createRelay({ pool, outboxes: impatient(outboxes), transports }).start()
process.stdout.write(`${url}\n`)
