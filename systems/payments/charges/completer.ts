import { PosthornError, type Log } from '@posthorn/engine'
import {
  abandonKey,
  claimStaleKeys,
  type IdempotencyStore,
  type KeyClaim,
} from '@posthorn/engine/inbox'
import type { PeriodicTask } from '@posthorn/operate'
import type { Pool } from 'pg'
import type { Gateway } from '@posthorn/gateway'
import { drive } from './drive.ts'
import { stateOf, workOf } from './work.ts'

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

/** Finishes what a crash or a silent gateway left open. */
export function completer(options: CompleterOptions): PeriodicTask {
  return {
    name: 'payments.completer',
    everyMs: options.everyMs,
    async step() {
      return (await completeStale(options)) === AT_ONCE ? 'more' : undefined
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
        // Another process was faster: the payment is complete.
        if (error instanceof PosthornError && error.code === 'IDEMPOTENCY_LOCK_LOST') return
        log.error({ err: error, key: claim.key }, 'completing a payment failed; it is tried again')
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
  log.info({ paymentId: work.paymentId, type: work.type, kind }, 'payment resumed')
}
