import { startServers } from '../kit/servers/servers.ts'
import { runProofs } from '../kit/proof-run.ts'
import { parseOptions, runFlood } from './run.ts'

/*
 * npm run flood [-- --seconds 20 --attacks requests,streams]: one server with all roles and the
 * settings of production, and two organisations. One of them floods it, in each of several ways; the
 * other goes on with its work, and its answers must come as before.
 */
const options = parseOptions()
/** For servers to start, and for what an attack leaves behind to go. */
const AROUND_MS = 300_000

await runProofs([
  {
    name: 'flood',
    seed: options.seed,
    limitMs: options.attacks.length * (options.attackMs * 2 + 120_000) + AROUND_MS,
    async run({ folder, signal }) {
      await using servers = await startServers([], folder)
      return await runFlood(servers, options, signal)
    },
  },
])
