import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { findRequested } from './queries.ts'

/** Resolves when the publisher that claimed a row has noted that it is published, or seems dead. */
export type Noting = (rowId: string, claim: string) => Promise<void>

const WITHIN_MS = 2_000
const MOST_CLAIMS = 1_000

/**
 * A row may be read before its publisher has noted where it was published. An outcome would end that
 * note, so it waits a moment. If the publisher died, the outcome is applied all the same, and
 * no consumer waits for the other rows of its claim.
 */
export function createNoting(pool: Pool): Noting {
  const dead = new Set<string>()
  return async (rowId, claim) => {
    const giveUpAt = performance.now() + WITHIN_MS
    for (let pauseMs = 5; !dead.has(claim); pauseMs = Math.min(pauseMs * 2, 200)) {
      const row = await findRequested(pool, rowId)
      if (row?.on_its_way !== claim) return
      if (performance.now() > giveUpAt) {
        if (dead.size >= MOST_CLAIMS) dead.clear()
        dead.add(claim)
      } else await sleep(pauseMs)
    }
  }
}
