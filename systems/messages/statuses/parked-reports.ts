import { transaction, type Log } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import type { Pool } from 'pg'
import { parkedBell, takeReports, type Intake } from './intake.ts'
import { dropParked, findLastOlder, lockParked } from './queries.ts'

const EVERY_MS = 1_000
const BATCH = 200

/** A message is nearly always known within seconds: what is older is looked at once in so many passes. */
const YOUNG_S = 15
const WHOLE = 15

/**
 * Places reports that came before their message's id was known, and gives up on the rest. A pass looks
 * at each at most once: one whose message a worker has in hand comes again in the next.
 */
export function parkedReports(pool: Pool, intake: Intake): PeriodicTask {
  let pass = 0
  let after: string | undefined
  return {
    name: 'messages.parked-reports',
    everyMs: EVERY_MS,
    idleMs: 10_000,
    bell: parkedBell,
    async step() {
      const isWhole = pass % WHOLE === 0
      const older = await findLastOlder(pool, YOUNG_S)
      if (older === undefined) return 'idle'
      after ??= isWhole ? '0' : older
      const { last } = await placeParked(pool, intake, { after })
      after = last
      if (last !== undefined) return 'more'
      pass += 1
      if (isWhole) await dropOld(pool, intake.log)
      return undefined
    },
  }
}

export interface Placed {
  readonly placed: number
  /** Where the next look begins; undefined if this one saw all there are. */
  readonly last: string | undefined
}

/** One look at what is parked. */
export async function placeParked(
  pool: Pool,
  intake: Intake,
  { after }: { readonly after: string },
): Promise<Placed> {
  return transaction(pool, async (tx) => {
    const parked = await lockParked(tx, { after, limit: BATCH })
    let placed = parked.length
    for (const orgId of new Set(parked.map((each) => each.org_id))) {
      const reports = parked.filter((each) => each.org_id === orgId).map(({ report }) => report)
      const given = { reports, orgId: orgId ?? undefined, busy: 'leave' } as const
      placed -= (await takeReports(tx, intake, given)).length
    }
    return { placed, last: parked.length === BATCH ? parked.at(-1)?.seq : undefined }
  })
}

export async function dropOld(pool: Pool, log: Log): Promise<void> {
  const dropped = await transaction(pool, dropParked)
  for (const { providerMessageId, status } of dropped) {
    log.warn({ providerMessageId, status }, 'status of an unknown message; discarded')
  }
}
