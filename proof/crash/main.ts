import { engineMigrations, migrate, type Queryable } from '@posthorn/engine'
import { Pool } from 'pg'
import { runProofs } from '../kit/proof-run.ts'
import { brokerOf } from './broker.ts'
import { startFleet } from '../kit/processes/fleet.ts'
import type { Ledger } from '../kit/ledger.ts'
import { parseOptions, type Options } from './options.ts'
import { poison } from './poison.ts'
import { outboxes } from '../kit/events/outbox.ts'
import { schemaOf } from '../kit/events/queries.ts'
import { startServers, type Servers } from '../kit/servers/servers.ts'
import { storm } from './storm.ts'
import { LANES } from '../kit/events/writer.ts'

const options = parseOptions()

await runProofs([
  {
    name: 'crash',
    seed: options.seed,
    limitMs: options.limitMs,
    keep: options.keep,
    async run({ folder, signal }) {
      await using servers = await startServers([options.broker], folder)
      return await run(servers, options, signal)
    },
  },
])

async function run(on: Servers, what: Options, signal: AbortSignal): Promise<Ledger[]> {
  const { databaseUrl, folder, env } = on
  const broker = brokerOf(what.broker, env)
  const pool = new Pool({ connectionString: databaseUrl, max: LANES + 4 })
  // The server is killed on purpose; queries under way fail where they are awaited.
  pool.on('error', () => undefined)
  await migrate(pool, [await engineMigrations()])
  await pool.query(schemaOf(outboxes))
  const consumers = startFleet({
    program: new URL('./consumer-process.ts', import.meta.url),
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
