import { parseArgs } from 'node:util'
import type { Ledger } from '../kit/ledger.ts'
import { guarded } from '../kit/servers/program-guard.ts'
import { requireNumber, runProofs } from '../kit/proof-run.ts'
import { restoreDump } from './dump.ts'
import { restore, type RestoreOptions } from './run.ts'

/*
 * npm run restore [-- --full --seed 2 --way moment,dump]: all systems under load, brought back from a
 * base backup and an archive of the log to a moment at which much was under way; then the same from a
 * dump, in a new cluster; a ledger of each.
 */
const FULL = { loadMs: 60_000, afterMs: 10_000, settleMs: 300_000, limitMs: 900_000 }
const SHORT = { loadMs: 16_000, afterMs: 5_000, settleMs: 180_000, limitMs: 600_000 }

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    way: { type: 'string', default: 'moment,dump' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = requireNumber('--seed', values.seed)
const { limitMs, ...size } = values.full ? FULL : SHORT

const WAYS = new Map<string, (options: RestoreOptions) => Promise<Ledger[]>>([
  ['moment', restore],
  ['dump', (options) => guarded(options, () => restoreDump(options))],
])

await runProofs(
  values.way.split(',').map((way) => {
    const bringBack = WAYS.get(way)
    if (!bringBack) throw new Error(`--way takes some of ${[...WAYS.keys()].join()}, not '${way}'`)
    const common = { name: `restore-${way}`, seed, limitMs, keep: values.keep }
    return { ...common, run: (stage) => bringBack({ ...size, ...stage, seed }) }
  }),
)
