import { transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { sumTallies } from './health/queries.ts'

const EVERY_MS = 60_000

/** Sums up what went to endpoints, for their health. */
export function webhookMaintenance(pool: Pool): PeriodicTask {
  return {
    name: 'payments.webhook-maintenance',
    everyMs: EVERY_MS,
    step: async () => ((await transaction(pool, sumTallies)) ? 'more' : undefined),
  }
}
