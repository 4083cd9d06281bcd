import { once } from 'node:events'
import { runProofs } from '../../proof-run.ts'
import { startServers } from '../servers.ts'

/* A proof that starts servers, says where they are, and waits for its end. */
await runProofs([
  {
    name: 'ended',
    seed: 1,
    limitMs: 300_000,
    async run({ folder, signal }) {
      await using servers = await startServers(['s3'], folder)
      // The loop would be empty, since a signal alone keeps no process alive.
      const waiting = setInterval(() => undefined, 1_000)
      console.log(`started ${JSON.stringify([folder, servers.postgresFolder])}`)
      if (!signal.aborted) await once(signal, 'abort')
      clearInterval(waiting)
      return []
    },
  },
])
