import { transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { pruneHours, sumTallies } from './health/queries.ts'
import { pruneAttempts, pruneRuns, pruneSecrets } from './queries.ts'

const EVERY_MS = 60_000
/** How long the counts of endpoints are kept, and so the longest time that health can look back. */
export const HEALTH_DAYS = 90

/** Sums up what went to endpoints, and forgets attempts, runs and secrets whose time is over. */
export function webhookMaintenance(pool: Pool, days: number): PeriodicTask {
  return {
    name: 'payments.webhook-maintenance',
    everyMs: EVERY_MS,
    async step() {
      await transaction(pool, pruneSecrets)
      const attempts = await transaction(pool, (tx) => pruneAttempts(tx, days))
      const runs = await transaction(pool, (tx) => pruneRuns(tx, days))
      const isMore = await transaction(pool, sumTallies)
      const hours = await transaction(pool, (tx) => pruneHours(tx, HEALTH_DAYS))
      return isMore || attempts + runs + hours > 0 ? 'more' : undefined
    },
  }
}
