import type { Log, Outbox } from '@posthorn/engine'
import { takeSamples } from '@posthorn/engine/operate'
import type { Pool } from 'pg'

/** Twice a minute, so that no minute is left out. */
const EVERY_MS = 30_000

/**
 * Has what waits counted once a minute from here too: relays do it, and a backlog is never more
 * interesting than when there are none. Returns how to stop.
 */
export function startSampling(
  pool: Pool,
  outboxes: readonly Outbox[],
  log: Log,
): () => Promise<void> {
  const stop = new AbortController()
  let running = Promise.resolve()
  const sample = async () => {
    await takeSamples(pool, outboxes, { log, signal: stop.signal }).catch((error: unknown) =>
      log.warn({ err: error }, 'what waits could not be counted'),
    )
  }
  const timer = setInterval(() => void (running = running.then(sample)), EVERY_MS)
  timer.unref()
  return async () => {
    stop.abort()
    clearInterval(timer)
    await running
  }
}
