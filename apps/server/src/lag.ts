import { sampleLag, type PeriodicTask } from '@posthorn/engine/operate'
import type { SystemConsumer } from '@posthorn/systems'
import type { Pool } from 'pg'
import type { Brokers } from './brokers.ts'

const EVERY_MS = 15_000

/**
 * Looks how far each group is behind, in processes of every role: a lag is never more interesting
 * than when no consumer is up.
 */
export function lagTasks(
  consumers: readonly SystemConsumer[],
  { pool, brokers }: { pool: Pool; brokers: Brokers },
): PeriodicTask[] {
  return consumers.map((consumer) => ({
    name: `lag of ${consumer.group}`,
    everyMs: EVERY_MS,
    firstMs: 1_000,
    async step() {
      const broker = brokers.byName[consumer.transport]
      if (broker) await sampleLag(pool, broker, consumer)
    },
  }))
}
