import type { Ledger } from '../kit/ledger.ts'
import { guarded } from '../kit/servers/program-guard.ts'
import { pickNamed, readOptions } from '../kit/options.ts'
import { runProofs } from '../kit/proof-run.ts'
import { restoreDump } from './dump.ts'
import { restore, type RestoreOptions } from './run.ts'

/*
 * npm run restore [-- --full --seed 2 --way moment,dump]: all systems under load, brought back from a
 * base backup and an archive of the log to a moment at which much was under way; then the same from a
 * dump, in a new cluster; a ledger of each.
 */
const FULL = { loadMs: 60_000, afterMs: 10_000, settleMs: 300_000, limitMs: 900_000 }
const SHORT = { loadMs: 16_000, afterMs: 5_000, settleMs: 180_000, limitMs: 600_000 }

const { full, seed, way, keep } = readOptions({
  ...{ full: false, seed: 1, way: 'moment,dump', keep: false },
})
const { limitMs, ...size } = full ? FULL : SHORT

const WAYS: Readonly<Record<string, (options: RestoreOptions) => Promise<Ledger[]>>> = {
  moment: restore,
  dump: (options) => guarded(options, () => restoreDump(options)),
}

await runProofs(
  pickNamed('--way', way, WAYS).map(([name, bringBack]) => ({
    ...{ name: `restore-${name}`, seed, limitMs, keep },
    run: (stage) => bringBack({ ...size, ...stage, seed }),
  })),
)
