// What the examples of this folder share: a shop's tables, and a relay that prints one message.
import {
  createRelay,
  delivered,
  engineMigrations,
  migrate,
  migrationsFrom,
  type Transport,
} from '@posthorn/engine'
import { Pool } from 'pg'
import { shopEvents } from '../first-outbox/outbox.ts'

export { shopEvents } from '../first-outbox/outbox.ts'

const { DATABASE_URL } = process.env
if (!DATABASE_URL) throw new Error('set DATABASE_URL to a database for this example')
export const url = DATABASE_URL

const pool = new Pool({ connectionString: url })
const migrations = new URL('../first-outbox/migrations/', import.meta.url)
await migrate(pool, [await engineMigrations(), await migrationsFrom('shop', migrations)])

/** Runs a relay until it has delivered a message, and prints that. */
export async function deliverOne(): Promise<void> {
  const done = new AbortController()
  const print: Transport = {
    async deliver(batch) {
      for (const { message } of batch) console.log(message.type, message.payload)
      done.abort()
      return batch.map(() => delivered())
    },
    close: async () => undefined,
  }
  const relay = createRelay({ pool, outboxes: [shopEvents], transports: { print } })
  await relay.run({ signal: done.signal })
  await pool.end()
}
