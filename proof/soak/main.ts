import { startServers } from '../kit/servers/servers.ts'
import { runProofs } from '../kit/proof-run.ts'
import { parseOptions, runSoak } from './run.ts'

/*
 * npm run soak [-- --minutes 60 --every 10 --plot docs/images/memory-at-load.svg]: a process of each
 * role under a moderate load of all systems; memory after a collection of garbage, open files and the
 * size of the database are sampled, drawn, and must not grow.
 */
const options = parseOptions()
/** For servers and processes to start, and for requests under way to be answered. */
const AROUND_MS = 1_200_000

await runProofs([
  {
    name: 'soak',
    seed: options.seed,
    limitMs: options.durationMs + AROUND_MS,
    async run({ folder, signal }) {
      await using servers = await startServers(['kafka', 'rabbitmq', 's3'], folder)
      const ledger = await runSoak(servers, options, signal)
      console.log(`\ndrawn in ${options.plot}`)
      return [ledger]
    },
  },
])
