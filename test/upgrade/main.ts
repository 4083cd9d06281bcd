import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { temporaryPostgres } from '@posthorn/postgres'
import { isBroken, printLedger } from '../crash/ledger.ts'
import { printLogs } from '../crash/logs.ts'
import { unpackPrevious } from './previous.ts'
import { upgrade } from './run.ts'

/*
 * npm run upgrade [-- --full | --seed 2]: the version that `previous-version` names and this one
 * side by side on one database, migrated under load, there and back; then a ledger.
 */
const FULL = { phaseMs: 30_000, rate: 100, keys: 200, settleMs: 180_000, limitMs: 600_000 }
const SHORT = { phaseMs: 6_000, rate: 40, keys: 50, settleMs: 120_000, limitMs: 300_000 }

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})
if (!/^\d{1,9}$/.test(values.seed)) throw new Error(`--seed takes a whole number`)
const { limitMs, ...size } = values.full ? FULL : SHORT

const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
const tooLate = setTimeout(
  () => called.abort(new Error(`not over after ${limitMs / 1_000} s`)),
  limitMs,
)
const folder = await mkdtemp(join(tmpdir(), 'posthorn-upgrade-'))
let failed = true
try {
  const previous = await unpackPrevious(folder)
  // Only processes are killed, never the machine: what the kernel has taken is not lost with them.
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  try {
    const ledger = await upgrade({
      ...{ databaseUrl: postgres.url, folder, previous },
      ...{ seed: Number(values.seed), ...size, signal: called.signal },
    })
    printLedger(ledger)
    failed = ledger.lines.some(isBroken)
  } finally {
    await postgres.close()
  }
} catch (error) {
  console.error(error)
} finally {
  clearTimeout(tooLate)
  if (failed) await printLogs(folder).catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
}
console.log(`\n${failed ? 'BROKEN' : 'held'}, seed ${values.seed}`)
process.exit(failed ? 1 : 0)
