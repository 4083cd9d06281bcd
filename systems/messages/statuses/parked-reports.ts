import { transaction, type Log } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { takeReports, type Intake } from './intake.ts'
import { dropParked, lockParked } from './queries.ts'

const EVERY_MS = 1_000
const BATCH = 200

/** Places reports that came before their message's id was known, and gives up on the rest. */
export function parkedReports(pool: Pool, intake: Intake): PeriodicTask {
  return {
    name: 'messages.parked-reports',
    everyMs: EVERY_MS,
    async step() {
      const placed = await placeParked(pool, intake)
      if (placed === BATCH) return 'more'
      await dropOld(pool, intake.log)
    },
  }
}

/** One look at what is parked; returns how many reports found their message. */
export async function placeParked(pool: Pool, intake: Intake): Promise<number> {
  return transaction(pool, async (tx) => {
    const parked = await lockParked(tx, BATCH)
    for (const orgId of new Set(parked.map((each) => each.org_id))) {
      const reports = parked.filter((each) => each.org_id === orgId).map(({ report }) => report)
      await takeReports(tx, intake, { reports, orgId: orgId ?? undefined, busy: 'leave' })
    }
    return parked.length
  })
}

export async function dropOld(pool: Pool, log: Log): Promise<void> {
  const dropped = await transaction(pool, dropParked)
  for (const { providerMessageId, status } of dropped) {
    log.warn({ providerMessageId, status }, 'status of an unknown message; discarded')
  }
}
