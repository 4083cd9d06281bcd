import { temporaryPostgres } from '@posthorn/postgres'
import type { Ledger } from '../kit/ledger.ts'
import { startServers } from '../kit/servers/servers.ts'
import { readOptions } from '../kit/options.ts'
import { runProofs, type ProofStage } from '../kit/proof-run.ts'
import { FILLING, measureLocks } from './locks.ts'
import { previousCommit, unpackPrevious } from './previous.ts'
import { upgrade } from './run.ts'
import type { Surroundings } from '../kit/stand/stand.ts'
import { upgradeSystems } from './systems.ts'

/*
 * npm run upgrade [-- --full | --seed 2 | --from v1.0.0]: the version that `previous-version` or `--from`
 * names and this one side by side on one database, migrated under load, there and back; then a ledger.
 * npm run upgrade -- --systems [--full] [--without-brokers] [--keep]: the same with the whole server of both
 * versions, all systems under load; without Kafka, RabbitMQ and S3 all of it is in PostgreSQL.
 * npm run upgrade -- --locks [--rows 10000000]: how long migrations let writers of large tables wait.
 */
const FULL = { phaseMs: 30_000, rate: 100, keys: 200, settleMs: 180_000, limitMs: 600_000 }
const SHORT = { phaseMs: 6_000, rate: 40, keys: 50, settleMs: 120_000, limitMs: 300_000 }

const values = readOptions({
  ...{ full: false, seed: 1, from: '', systems: false, 'without-brokers': false, keep: false },
  ...{ locks: false, rows: 10_000_000 },
})
const { seed, rows } = values
const from = values.from || ((await previousCommit()) ?? '')
if (from === '' && !values.locks) {
  console.log('There is no earlier version with this schema yet: nothing to upgrade from.')
  process.exit()
}
const { limitMs, ...size } = values.full ? FULL : SHORT
/** Filling takes most of it. */
const LOCKS_LIMIT_MS = 7_200_000
const SYSTEMS_LIMIT_MS = 1_800_000

await runProofs([
  {
    name: 'upgrade',
    seed,
    limitMs: values.locks ? LOCKS_LIMIT_MS : values.systems ? SYSTEMS_LIMIT_MS : limitMs,
    keep: values.keep,
    run: values.systems ? onAllServers : onPostgres,
  },
])

async function onPostgres(stage: ProofStage): Promise<Ledger[]> {
  // Only processes are killed, never the machine: what the kernel has taken is not lost with them.
  const postgres = await temporaryPostgres({ settings: values.locks ? FILLING : { fsync: 'off' } })
  const common = { ...size, ...stage, seed, databaseUrl: postgres.url }
  try {
    return [
      values.locks
        ? await measureLocks({ ...common, rows })
        : await upgrade({ ...common, previous: await unpackPrevious(from, stage.folder) }),
    ]
  } finally {
    await postgres.close()
  }
}

async function onAllServers(stage: ProofStage): Promise<Ledger[]> {
  if (values['without-brokers']) {
    const postgres = await temporaryPostgres({ settings: { fsync: 'off', max_connections: 200 } })
    try {
      const versions = `PostgreSQL ${postgres.version}`
      const { folder } = stage
      return await onServers({ databaseUrl: postgres.url, folder, env: {}, versions }, stage)
    } finally {
      await postgres.close()
    }
  }
  await using servers = await startServers(['kafka', 'rabbitmq', 's3'], stage.folder)
  return await onServers(servers, stage)
}

async function onServers(servers: Surroundings, { folder, signal }: ProofStage): Promise<Ledger[]> {
  const previous = await unpackPrevious(from, folder)
  return upgradeSystems({ ...size, servers, previous, seed, signal })
}
