import { engineMigrations, migrate, type Queryable } from '@posthorn/engine'
import { Pool } from 'pg'
import { brokerOf } from './broker.ts'
import { startFleet } from './fleet.ts'
import { isBroken, printLedger, type Ledger } from './ledger.ts'
import { printLogs } from './logs.ts'
import { parseOptions, type Options } from './options.ts'
import { poison } from './poison.ts'
import { outboxes } from './outbox.ts'
import { schemaOf } from './queries.ts'
import { startServers, type Servers } from './servers.ts'
import { storm } from './storm.ts'
import { LANES } from './writer.ts'

const options = parseOptions(process.argv.slice(2))
const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
const tooLate = setTimeout(
  () => called.abort(new Error(`not over after ${options.limitMs / 1_000} s`)),
  options.limitMs,
)

const began = performance.now()
const servers = await startServers([options.broker])
let failed = true
try {
  const ledgers = await run(servers, options, called.signal)
  ledgers.forEach(printLedger)
  failed = ledgers.some(({ lines }) => lines.some(isBroken))
} catch (error) {
  console.error(error)
} finally {
  clearTimeout(tooLate)
  if (failed) await printLogs(servers.folder).catch(() => undefined)
  await servers.stop(options)
}
if (options.keep) console.log(`\nkept for a look: ${servers.folder}`)
const seconds = ((performance.now() - began) / 1_000).toFixed(0)
console.log(`\n${failed ? 'BROKEN' : 'held'} after ${seconds} s, seed ${options.seed}`)
process.exit(failed ? 1 : 0)

async function run(on: Servers, what: Options, signal: AbortSignal): Promise<Ledger[]> {
  const { databaseUrl, folder, env } = on
  const broker = brokerOf(what.broker, env)
  const pool = new Pool({ connectionString: databaseUrl, max: LANES + 4 })
  // The server is killed on purpose; queries under way fail where they are awaited.
  pool.on('error', () => undefined)
  await migrate(pool, [await engineMigrations()])
  await pool.query(schemaOf(outboxes))
  const consumers = startFleet({
    program: 'consumer-process.ts',
    name: 'consumer',
    size: 2,
    folder,
    settings: { databaseUrl, broker, folder },
  })
  try {
    // Their queues are there when they are ready: nothing that is sent before could be kept.
    await consumers.ready
    const db = pool as unknown as Queryable
    const stage = { servers: on, broker, pool, db, consumers, options: what, signal }
    const found: Ledger[] = []
    for (const scenario of what.scenarios) {
      console.log(`${scenario} …`)
      found.push(...(scenario === 'storm' ? [await storm(stage)] : await poison(stage)))
    }
    return found
  } finally {
    await consumers.stop()
    await pool.end()
  }
}
