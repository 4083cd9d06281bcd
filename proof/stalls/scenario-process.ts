import { setTimeout as sleep } from 'node:timers/promises'
import { engineMigrations, migrate, silentLog } from '@posthorn/engine'
import { takeSamples } from '@posthorn/engine/internal'
import { sagaMigrations } from '@posthorn/saga'
import { topicMigrations } from '@posthorn/transports/postgres'
import { Pool } from 'pg'
import { AGE_WATCH, FORGET_SAMPLES, SELECT_ALERTS } from './queries.ts'
import { calm, scenarios } from './scenarios.ts'

/*
 * node proof/stalls/scenario-process.ts <scenario> <seconds>, with the address of an empty database: runs it,
 * looks as the watchdog does while two minutes pass each time, and prints the alerts that it raised.
 */
const [name = '', seconds = '8'] = process.argv.slice(2)
const url = process.env['DATABASE_URL'] ?? ''
const scenario = scenarios[name] ?? calm[name]
if (!scenario) throw new Error(`no scenario '${name}'`)

const pool = new Pool({ connectionString: url, max: 10 })
pool.on('error', () => undefined)
// What is watched may have taken all connections of its own pool.
const watching = new Pool({ connectionString: url, max: 2 })
await migrate(pool, [await engineMigrations(), await sagaMigrations(), await topicMigrations()])
const outboxes = await scenario({ url, pool })
let alerts: string[] = []
for (const end = performance.now() + Number(seconds) * 1_000; performance.now() < end;) {
  await sleep(1_500)
  await watching.query(FORGET_SAMPLES)
  await takeSamples(watching, outboxes, { log: silentLog })
  await watching.query(AGE_WATCH)
  const { rows } = await watching.query<{ code: string }>(SELECT_ALERTS)
  alerts = rows.map(({ code }) => code)
  if (alerts.length > 0) break
}
process.stdout.write(JSON.stringify(alerts), () => process.exit())
