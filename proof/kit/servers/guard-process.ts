import { rm } from 'node:fs/promises'
import { openPostgres } from '@posthorn/postgres'
import { killPgbouncer, killService, type ServiceName } from '../../../scripts/services/index.mjs'
import { unmountDisk } from './small-disk.ts'

/*
 * Outlives the run, and ends the servers if the run was killed and could not: they are processes of
 * their own and would go on for ever.
 */

export interface GuardSettings {
  readonly folder: string
  readonly postgresFolder: string
  readonly services: readonly ServiceName[]
}

const { folder, postgresFolder, services } = JSON.parse(process.argv[2] ?? '{}') as GuardSettings

// Ctrl-C in the terminal interrupts us too; we wait for what the run does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

let isDone = false
process.on('message', (order) => {
  if (order === 'stop') isDone = true
})
const gone = new Promise<void>((resolve) => {
  process.once('disconnect', () => resolve())
  process.once('message', () => resolve())
})

// As one more user of the server: when the run is gone, the last one out stops it.
const postgres = await openPostgres({ folder: postgresFolder })
process.send?.({ kind: 'ready' })
await gone
await postgres.close()
if (!isDone) {
  await Promise.allSettled(services.map((name) => killService(name, { dir: folder })))
  await killPgbouncer({ dir: folder })
  await unmountDisk(postgresFolder)
  for (const path of [postgresFolder, folder]) await rm(path, { recursive: true, force: true })
}
process.exit(0)
