import { transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import type { Sealing } from '../../sealing.ts'
import { sealUrl } from './endpoints/endpoint-url.ts'
import { recoverEndpoints, reviewFailing } from './endpoints/failing.ts'
import { lockReadableQueries, updateUrl } from './endpoints/queries.ts'
import { MOST_TALLIES, noteFailing, sumTallies } from './health/queries.ts'

/** Health reads what is not summed up yet one by one: it must not become much. */
const EVERY_MS = 10_000

/** Late, and seldom: a version from before does not know sealed queries, and may still be running. */
const SEAL_EVERY_MS = 3_600_000
const SEALED_AT_ONCE = 100

/**
 * Sums up what went to endpoints, for their health, and disables those that have only failed for
 * days; 0 for never.
 */
export function webhookMaintenance(pool: Pool, disableAfterDays: number): PeriodicTask {
  return {
    name: 'payments.webhook-maintenance',
    everyMs: EVERY_MS,
    async step() {
      const tallies = await tallyEndpoints(pool, disableAfterDays)
      return tallies === MOST_TALLIES ? 'more' : undefined
    },
  }
}

/** Sums up what there is, and acts on what it says. Returns how many tallies there were. */
export async function tallyEndpoints(pool: Pool, disableAfterDays: number): Promise<number> {
  const summed = await transaction(pool, async (tx) => {
    const found = await sumTallies(tx)
    await recoverEndpoints(tx, await noteFailing(tx, found))
    return found
  })
  if (disableAfterDays > 0) await transaction(pool, (tx) => reviewFailing(tx, disableAfterDays))
  return summed[0]?.tallies ?? 0
}

/** Seals the queries of URLs that were stored before that was done. */
export function querySealing(pool: Pool, sealing: Sealing): PeriodicTask {
  return {
    name: 'payments.webhook-queries',
    everyMs: SEAL_EVERY_MS,
    firstMs: SEAL_EVERY_MS,
    step: async () => ((await sealQueries(pool, sealing)) === SEALED_AT_ONCE ? 'more' : undefined),
  }
}

/** Returns how many there were. */
export function sealQueries(pool: Pool, sealing: Sealing): Promise<number> {
  return transaction(pool, async (tx) => {
    const readable = await lockReadableQueries(tx, SEALED_AT_ONCE)
    for (const { id, url } of readable) {
      await updateUrl(tx, { id, ...sealUrl(url, { sealing, endpointId: id }) })
    }
    return readable.length
  })
}
