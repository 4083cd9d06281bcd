import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { temporaryPostgres } from '@posthorn/postgres'
import { isBroken, printLedger, type Ledger } from '../crash/ledger.ts'
import { printLogs } from '../crash/logs.ts'
import { startServers } from '../crash/servers.ts'
import { measureLocks } from './locks.ts'
import { unpackPrevious } from './previous.ts'
import { upgrade } from './run.ts'
import type { Surroundings } from './stand.ts'
import { upgradeSystems } from './systems.ts'

/*
 * npm run upgrade [-- --full | --seed 2]: the version that `previous-version` names and this one
 * side by side on one database, migrated under load, there and back; then a ledger.
 * npm run upgrade -- --systems [--full] [--without-brokers]: the same with the whole server of both
 * versions, all systems under load; without Kafka, RabbitMQ and S3 all of it is in PostgreSQL.
 * npm run upgrade -- --locks [--rows 10000000]: how long migrations let writers of large tables wait.
 */
const FULL = { phaseMs: 30_000, rate: 100, keys: 200, settleMs: 180_000, limitMs: 600_000 }
const SHORT = { phaseMs: 6_000, rate: 40, keys: 50, settleMs: 120_000, limitMs: 300_000 }

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    systems: { type: 'boolean', default: false },
    'without-brokers': { type: 'boolean', default: false },
    locks: { type: 'boolean', default: false },
    rows: { type: 'string', default: '10000000' },
  },
})
for (const option of ['seed', 'rows'] as const) {
  if (!/^\d{1,9}$/.test(values[option])) throw new Error(`--${option} takes a whole number`)
}
const { limitMs, ...size } = values.full ? FULL : SHORT
/** Filling takes most of it. */
const LOCKS_LIMIT_MS = 3_600_000
const SYSTEMS_LIMIT_MS = 1_800_000

const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
const withinMs = values.locks ? LOCKS_LIMIT_MS : values.systems ? SYSTEMS_LIMIT_MS : limitMs
const tooLate = setTimeout(
  () => called.abort(new Error(`not over after ${withinMs / 1_000} s`)),
  withinMs,
)
const seed = Number(values.seed)
const folder = await mkdtemp(join(tmpdir(), 'posthorn-upgrade-'))
const common = { folder, seed, ...size, signal: called.signal }
let failed = true
try {
  const ledgers = await (values.systems ? onAllServers() : onPostgres())
  ledgers.forEach(printLedger)
  failed = ledgers.some(({ lines }) => lines.some(isBroken))
} catch (error) {
  console.error(error)
} finally {
  clearTimeout(tooLate)
  if (failed) await printLogs(folder).catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
}
console.log(`\n${failed ? 'BROKEN' : 'held'}, seed ${values.seed}`)
process.exit(failed ? 1 : 0)

async function onPostgres(): Promise<Ledger[]> {
  // Only processes are killed, never the machine: what the kernel has taken is not lost with them.
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  const databaseUrl = postgres.url
  try {
    return [
      values.locks
        ? await measureLocks({ ...common, databaseUrl, rows: Number(values.rows) })
        : await upgrade({ ...common, databaseUrl, previous: await unpackPrevious(folder) }),
    ]
  } finally {
    await postgres.close()
  }
}

async function onAllServers(): Promise<Ledger[]> {
  if (values['without-brokers']) {
    const postgres = await temporaryPostgres({ settings: { fsync: 'off', max_connections: 200 } })
    try {
      const versions = `PostgreSQL ${postgres.version}`
      return await onServers({ databaseUrl: postgres.url, folder, env: {}, versions })
    } finally {
      await postgres.close()
    }
  }
  const servers = await startServers(['kafka', 'rabbitmq', 's3'])
  try {
    return await onServers({ ...servers, folder })
  } finally {
    await servers.stop({ keep: false })
  }
}

async function onServers(servers: Surroundings): Promise<Ledger[]> {
  return upgradeSystems({ ...common, servers, previous: await unpackPrevious(folder) })
}
