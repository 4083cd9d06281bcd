import { isHeld } from '../kit/ledger.ts'
import { startServers } from '../kit/servers/servers.ts'
import { runProofs } from '../kit/proof-run.ts'
import { FaultLog } from './faults/course.ts'
import { parseOptions } from './options.ts'
import { runChaos } from './run.ts'

/*
 * npm run chaos [-- --minutes 10 --seed 7 --system payments,orders --processes 3 --every 2000]:
 * all roles as processes against servers of the run's own, under load, while faults drawn by the seed
 * strike processes, servers, network, database, outside world and clock; then a ledger.
 */
const options = parseOptions()
/** For servers and processes to start, and for the ledger. */
const AROUND_MS = 1_200_000

/** Faults that are printed where a promise was broken. */
const LAST_FAULTS = 40

await runProofs([
  {
    name: 'chaos',
    seed: options.seed,
    limitMs: options.durationMs + options.settleMs + AROUND_MS,
    keep: options.keep,
    async run({ folder, signal }) {
      await using servers = await startServers(['kafka', 'rabbitmq', 's3'], folder)
      const log = new FaultLog(options)
      let isWell = false
      try {
        const ledgers = await runChaos(servers, options, { log, signal })
        isWell = ledgers.every(isHeld)
        return ledgers
      } finally {
        if (!isWell) {
          const last = log.lines.slice(-LAST_FAULTS).join('\n')
          console.log(`\nseed ${options.seed}, the last faults\n${last}`)
        }
      }
    },
  },
])
