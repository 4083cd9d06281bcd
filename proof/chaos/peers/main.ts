import { startServers } from '../../kit/servers/servers.ts'
import { readOptions } from '../../kit/options.ts'
import { runProofs } from '../../kit/proof-run.ts'
import { runPeers } from './run.ts'

/*
 * node proof/chaos/peers/main.ts [--seed 7 --seconds 60]: Posthorn, pg-boss and graphile-worker with the
 * same messages, handlers and kills in one Postgres, and what each lost, doubled, disordered or left
 * locked. It ends well if Posthorn kept its promises; the others are counted and not judged.
 */
const { seed, seconds } = readOptions({ seed: 1, seconds: 60 })
/** Until nothing moves any more, twice for those that wait for an operator. */
const AROUND_MS = 1_200_000

await runProofs([
  {
    name: 'peers',
    seed,
    limitMs: seconds * 1_000 + AROUND_MS,
    async run({ folder, signal }) {
      await using servers = await startServers([], folder)
      return await runPeers(servers, { seed, seconds }, signal)
    },
  },
])
