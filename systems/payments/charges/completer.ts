import { setTimeout as sleep } from 'node:timers/promises'
import { PosthornError, type Log } from '@posthorn/engine'
import {
  abandonKey,
  claimStaleKeys,
  pruneKeys,
  type IdempotencyStore,
  type KeyClaim,
} from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import type { Gateway } from '../../gateway.ts'
import type { Worker } from '../../system.ts'
import { drive } from './drive.ts'
import { stateOf } from './keys.ts'
import { workOf } from './work.ts'

export interface CompleterOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly gateway: Gateway
  readonly log: Log
  /** Between looks that found nothing. */
  readonly everyMs: number
}

/** All at once, so that each is done well before its lock runs out. */
const AT_ONCE = 10
const PRUNE_EVERY_MS = 10 * 60_000

/** Finishes what a crash or a silent gateway left open, and forgets keys that have expired. */
export function completer(options: CompleterOptions): Worker {
  const { pool, keys, log, everyMs } = options
  return {
    name: 'payments.completer',
    async run({ signal }) {
      let prunedAt = -Infinity
      while (!signal.aborted) {
        const taken = await completeStale(options).catch((error: unknown) => {
          log.error({ err: error }, 'stale payments could not be looked for')
          return 0
        })
        if (performance.now() - prunedAt > PRUNE_EVERY_MS) {
          prunedAt = performance.now()
          await pruneKeys(pool, keys).catch((error: unknown) => {
            log.error({ err: error }, 'expired idempotency keys could not be pruned')
          })
        }
        if (taken < AT_ONCE) await sleep(everyMs, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}

/** One look: takes keys over whose owner is gone, and returns how many. */
export async function completeStale(options: CompleterOptions): Promise<number> {
  const { pool, keys, log } = options
  const claims = await claimStaleKeys(pool, keys, { limit: AT_ONCE })
  await Promise.all(
    claims.map((claim) =>
      complete(options, claim).catch((error: unknown) => {
        // Somebody was faster: all is well.
        if (error instanceof PosthornError && error.code === 'IDEMPOTENCY_LOCK_LOST') return
        log.error({ err: error, key: claim.key }, 'a payment could not be completed')
      }),
    ),
  )
  return claims.length
}

async function complete({ pool, gateway, log }: CompleterOptions, claim: KeyClaim): Promise<void> {
  const state = stateOf(claim)
  // Without a state nothing was begun.
  if (!state) return abandonKey(pool, claim)
  const work = await workOf(pool, state)
  const { kind } = await drive({ pool, gateway, by: 'payments.completer' }, claim, work)
  log.info({ paymentId: work.paymentId, type: work.type, kind }, 'went on with a payment')
}
