/*
 * A worker that is killed in the worst moment: the provider has answered, and the worker has not written
 * it down yet. Says `answered` then, and waits for its end.
 */
import { createRelay, silentLog, type Transport } from '@posthorn/engine'
import { createSealing, readSettings } from '@posthorn/system'
import { Pool } from 'pg'
import { messages } from '../index.ts'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const { values } = readSettings(messages.settings, { env: process.env, production: false })
const { outboxes, transports = {} } = messages.open({
  ...{ pool, log: silentLog, production: false, settings: values },
  baseUrl: () => '',
  sealing: createSealing(['a key of at least thirty-two characters']),
  simulatorAddress: async () => undefined,
})

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
