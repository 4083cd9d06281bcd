import { parseArgs } from 'node:util'
import { requireNumber, runProofs } from '../proof-run.ts'
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
const seed = requireNumber('--seed', values.seed)
const { limitMs, ...size } = values.full ? FULL : SHORT

await runProofs([
  { name: 'restore', seed, limitMs, run: (stage) => restore({ ...size, ...stage, seed }) },
])
