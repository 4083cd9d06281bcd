import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { isClaimed } from './queries.ts'

/** Resolves when the publisher that claimed a row has noted that it is published, or seems dead. */
export type Noting = (rowId: string, claim: string) => Promise<void>

const NOTED_WITHIN_MS = 2_000
const MOST_DEAD_CLAIMS = 1_000

/**
 * A row may be read before its publisher has noted where it was published. An outcome would end that
 * note, so it waits a moment. The rows of a claim are noted together: one look serves all of them. If
 * the publisher died, the outcome is applied all the same, and no consumer waits for the other rows
 * of its claim.
 */
export function createNoting(pool: Pool): Noting {
  const dead = new Set<string>()
  const waiting = new Map<string, Promise<void>>()

  async function untilNoted(rowId: string, claim: string): Promise<void> {
    const giveUpAt = performance.now() + NOTED_WITHIN_MS
    for (let pauseMs = 5; !dead.has(claim); pauseMs = Math.min(pauseMs * 2, 200)) {
      if (!(await isClaimed(pool, rowId, claim))) return
      if (performance.now() > giveUpAt) {
        if (dead.size >= MOST_DEAD_CLAIMS) dead.clear()
        dead.add(claim)
      } else await sleep(pauseMs)
    }
  }

  return (rowId, claim) => {
    const looking = waiting.get(claim)
    if (looking) return looking
    const started = untilNoted(rowId, claim).finally(() => waiting.delete(claim))
    waiting.set(claim, started)
    return started
  }
}
