import { transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { pruneAttempts, pruneRuns, pruneSecrets } from './queries.ts'

const EVERY_MS = 60_000

/** Forgets attempts, runs and secrets whose time is over. */
export function webhookMaintenance(pool: Pool, days: number): PeriodicTask {
  return {
    name: 'payments.webhook-maintenance',
    everyMs: EVERY_MS,
    async step() {
      await transaction(pool, pruneSecrets)
      const attempts = await transaction(pool, (tx) => pruneAttempts(tx, days))
      const runs = await transaction(pool, (tx) => pruneRuns(tx, days))
      return attempts + runs > 0 ? 'more' : undefined
    },
  }
}
