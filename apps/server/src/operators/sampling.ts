import type { Log, Outbox } from '@posthorn/engine'
import { takeSamples, type PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'

/** Twice a minute, so that no minute is left out. */
const EVERY_MS = 30_000

/**
 * Counts what waits once a minute from here too: relays do it, and a backlog is never more
 * interesting than when there are none.
 */
export function samplingTask(pool: Pool, outboxes: readonly Outbox[], log: Log): PeriodicTask {
  return {
    name: 'server.sampling',
    everyMs: EVERY_MS,
    firstMs: EVERY_MS,
    step: (signal) => takeSamples(pool, outboxes, { log, signal }),
  }
}
