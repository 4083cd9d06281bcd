import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServices } from '../scripts/services/index.mjs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A broker of our own: no other run sees what the benchmark publishes. */
export async function withKafka(use: (brokers: string) => Promise<void>): Promise<void> {
  delete process.env['KAFKA_BROKERS']
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-bench-kafka-'))
  const { env, failures, stop } = await startServices({
    names: ['kafka'],
    dir,
    log: () => undefined,
  })
  const end = async () => {
    await stop()
    await rm(dir, { recursive: true, force: true })
  }
  // The broker is a process of its own: an interrupted run must not leave it behind.
  const onInterrupt = () => void end().finally(() => process.exit(130))
  for (const signal of SIGNALS) process.once(signal, onInterrupt)
  try {
    const brokers = env['KAFKA_BROKERS']
    if (brokers === undefined) throw new Error(failures.kafka ?? 'Kafka could not be started')
    await use(brokers)
  } finally {
    for (const signal of SIGNALS) process.off(signal, onInterrupt)
    await end()
  }
}
