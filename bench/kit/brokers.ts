import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServices, type ServiceName } from '../../scripts/services/index.mjs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Servers of a run, with the folder that each has in their command lines. */
export interface Brokers {
  readonly env: Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, string>>
  readonly dir: string
}

/** Brokers of our own: no other run sees what the benchmark sends. */
export async function withBrokers<Result>(
  names: ServiceName[],
  use: (brokers: Brokers) => Promise<Result>,
): Promise<Result> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  const services = await startServices({ names, dir, log: () => undefined })
  const end = async () => {
    await services.stop()
    await rm(dir, { recursive: true, force: true })
  }
  // Brokers are processes of their own: an interrupted run must not leave them behind.
  const onInterrupt = () => void end().finally(() => process.exit(130))
  for (const signal of SIGNALS) process.once(signal, onInterrupt)
  try {
    const failed = Object.values(services.failures)
    if (failed.length > 0) throw new Error(failed.join('\n'))
    return await use({ env: services.env, versions: services.versions, dir })
  } finally {
    for (const signal of SIGNALS) process.off(signal, onInterrupt)
    await end()
  }
}
