import type { Log } from '@posthorn/engine'
import { Pool } from 'pg'
import { type Part, serve, startWorking } from './serving.ts'

/*
 * The system in a process of its own, with the parts that CHILD_PARTS names: says its address, and
 * serves and works until it is killed. Its settings are those of the system, from the environment.
 */
const { env } = process
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  // Where servers are killed, errors are what a test asks for.
  error: (about, text) => {
    if (!env['CHILD_QUIET']) process.stderr.write(`${text} ${JSON.stringify(about)}\n`)
  },
}
const pool = new Pool({ connectionString: env['CHILD_DATABASE_URL'], max: 20 })
pool.on('error', () => undefined)
const settings = Object.fromEntries(
  Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
)
const folder = env['EVIDENCE_FOLDER'] ?? ''
const { url, system } = await serve({ pool, folder, env: settings, log })
const parts = (env['CHILD_PARTS'] ?? '').split(',').filter((part) => part !== '') as Part[]
await startWorking(system, {
  ...{ pool, parts, log, kafkaPrefix: env['CHILD_KAFKA_PREFIX'] },
  kafkaBrokers: env['KAFKA_BROKERS']?.split(','),
})
process.stdout.write(`${url}\n`)
