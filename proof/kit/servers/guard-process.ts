import { rm } from 'node:fs/promises'
import { openPostgres } from '@posthorn/postgres'
import { endAllIn } from './program.ts'
import { unmountDisk } from './small-disk.ts'

/*
 * Outlives the run, and ends its servers if the run was killed and could not: they are processes of
 * their own and would continue forever.
 */

export interface GuardSettings {
  /** Named in the command lines of all servers but Postgres. */
  readonly folder: string
  /** If the run has a Postgres. */
  readonly postgresFolder?: string
}

const { folder, postgresFolder } = JSON.parse(process.argv[2] ?? '{}') as GuardSettings

// Ctrl-C in the terminal interrupts us too; we wait for what the run does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const isDone = new Promise<boolean>((resolve) => {
  process.once('message', () => resolve(true))
  process.once('disconnect', () => resolve(false))
})

// As one more user of the server: when the run is gone, the last one out stops it.
const postgres = postgresFolder && (await openPostgres({ folder: postgresFolder }))
process.send?.({ kind: 'ready' })
if (await isDone) {
  if (postgres) await postgres.close()
  process.exit(0)
}
await endAllIn(folder)
if (postgres) {
  await postgres.close()
  await unmountDisk(postgresFolder)
  await rm(postgresFolder, { recursive: true, force: true })
}
await rm(folder, { recursive: true, force: true })
process.exit(0)
