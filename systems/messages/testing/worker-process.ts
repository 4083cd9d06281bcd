/*
 * A worker that is killed in the worst moment: the provider has answered, and the worker has not written
 * it down yet. Says `answered` then, and waits for its end.
 */
import { createRelay, type Transport } from '@posthorn/engine'
import { openSystem } from '@posthorn/system/testing/serve'
import { Pool } from 'pg'
import { messages } from '../index.ts'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const { outboxes, transports = {} } = openSystem(messages, { pool, env: process.env })

function speechless(transport: Transport): Transport {
  return {
    async deliver(batch, options) {
      await transport.deliver(batch, options)
      process.stdout.write('answered\n')
      return new Promise(() => undefined)
    },
    close: async () => transport.close?.(),
  }
}

const bound = Object.entries(transports).map(([name, each]) => [name, speechless(each)])
await createRelay({ pool, outboxes, transports: Object.fromEntries(bound) }).start()
