import { createRelay } from '@posthorn/engine'
import { peakMemoryMb } from '@posthorn/system/testing'
import { Pool } from 'pg'
import { impatient, serve } from './serving.ts'

/*
 * A server of its own, without its workers; with a relay if it is asked for. It says its address, serves
 * until it is killed, and answers with its memory.
 */
const { CHILD_DATABASE_URL, CHILD_RELAY, ...env } = process.env
const pool = new Pool({ connectionString: CHILD_DATABASE_URL, max: 10 })
pool.on('error', () => undefined)
const { url, system } = await serve(pool, env)
if (CHILD_RELAY === 'true') {
  const { transports = {} } = system
  await createRelay({ pool, outboxes: impatient(system), transports }).start()
}
process.on('message', () => process.send?.({ peakMb: peakMemoryMb() }))
process.stdout.write(`${url}\n`)
