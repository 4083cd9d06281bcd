import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isBroken, printLedger } from '../crash/ledger.ts'
import { printLogs } from '../crash/logs.ts'
import { restore } from './run.ts'

/*
 * npm run restore [-- --full | --seed 2]: all systems under load, a base backup and an archive of the
 * log, recovered to a moment at which much was under way; then a ledger.
 */
const FULL = { loadMs: 60_000, afterMs: 10_000, settleMs: 300_000, limitMs: 900_000 }
const SHORT = { loadMs: 16_000, afterMs: 5_000, settleMs: 180_000, limitMs: 600_000 }

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})
if (!/^\d{1,9}$/.test(values.seed)) throw new Error('--seed takes a whole number')
const { limitMs, ...size } = values.full ? FULL : SHORT

const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
const tooLate = setTimeout(
  () => called.abort(new Error(`not over after ${limitMs / 1_000} s`)),
  limitMs,
)
const folder = await mkdtemp(join(tmpdir(), 'posthorn-restore-'))
let failed = true
try {
  const seed = Number(values.seed)
  const ledgers = await restore({ ...size, folder, seed, signal: called.signal })
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
