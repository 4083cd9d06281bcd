import { Pool } from 'pg'
import { noteArrivals } from '../../kit/events/arrivals.ts'
import { meetParent } from '../../kit/processes/parent.ts'
import { contestantNamed } from './contestants.ts'

/** A process that handles the messages of one contestant. */
export interface WorkerSettings {
  readonly contestant: string
  readonly databaseUrl: string
  /** Where it is written down what was handled. */
  readonly folder: string
}

const { settings, tell, stopped } = meetParent<WorkerSettings>()
const { name, contestant, databaseUrl, folder } = settings
const pool = new Pool({ connectionString: databaseUrl, max: 12 })
// The server is killed on purpose; graphile-worker asks for both listeners.
pool.on('error', () => undefined)
pool.on('connect', (client) => client.on('error', () => undefined))
const noteArrival = noteArrivals(folder, name)
const end = await contestantNamed(contestant).work({
  ...{ pool, databaseUrl },
  note: (entry) => noteArrival(contestant, entry),
})
tell({ kind: 'ready' })
await stopped
await end()
await pool.end()
process.exit(0)
