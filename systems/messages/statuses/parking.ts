import { setTimeout as sleep } from 'node:timers/promises'
import { transaction, type Log } from '@posthorn/engine'
import type { Worker } from '@posthorn/systems'
import type { Pool } from 'pg'
import { takeReports, type Intake } from './intake.ts'
import { dropParked, lockParked, pruneReports } from './queries.ts'

const EVERY_MS = 1_000
const BATCH = 200

/** Places reports that came before their message's id was known, and gives up on the rest. */
export function parkedReports(pool: Pool, intake: Intake): Worker {
  return {
    name: 'messages.parked-reports',
    async run({ signal }) {
      while (!signal.aborted) {
        const placed = await placeParked(pool, intake)
        if (placed < BATCH) {
          await dropOld(pool, intake.log)
          await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined)
        }
      }
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
  const dropped = await transaction(pool, async (tx) => {
    await pruneReports(tx)
    return dropParked(tx)
  })
  for (const { providerMessageId, status } of dropped) {
    log.warn({ providerMessageId, status }, 'a status of a message that nobody knows')
  }
}
