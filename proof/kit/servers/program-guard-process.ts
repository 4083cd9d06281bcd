import { rm } from 'node:fs/promises'
import { endAllIn } from './program.ts'

/*
 * Outlives the run, and ends its servers if the run was killed and could not: they are processes of
 * their own and would go on for ever.
 */

export interface GuardSettings {
  readonly folder: string
}

const { folder } = JSON.parse(process.argv[2] ?? '{}') as GuardSettings

// Ctrl-C in the terminal interrupts us too; we wait for what the run does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.on('message', () => process.exit(0))
process.once('disconnect', () => void endAll())
process.send?.({ kind: 'ready' })

async function endAll(): Promise<void> {
  await endAllIn(folder)
  await rm(folder, { recursive: true, force: true })
  process.exit(0)
}
