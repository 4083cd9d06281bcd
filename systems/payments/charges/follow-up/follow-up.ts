import {
  delivered,
  PosthornError,
  retryLater,
  type Duration,
  type Handlers,
  type Log,
  type Outcome,
} from '@posthorn/engine'
import { claimKey, type IdempotencyStore, type KeyClaim } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import type { Gateway } from '@posthorn/gateway'
import { drive } from '../drive.ts'
import { stateOf, workOf } from '../work.ts'
import { callOff, lookUp } from './look-up.ts'
import { gatewayOutbox } from './outbox.ts'
import { findOpenKey, findOverdue, findSchedule } from './queries.ts'

export interface FollowUpOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly gateway: Gateway
  readonly log: Log
}

/** All at once: the gateway has others to serve. */
const AT_ONCE = 10

/** Finishes what a crash or a silent gateway left open, and asks about webhooks that do not come. */
export function followUps(options: FollowUpOptions): Handlers {
  const handle = async ({ message }: { readonly message: { readonly id: string } }) => {
    try {
      return await followUp(options, message.id)
    } catch (error) {
      options.log.error({ err: error, transactionId: message.id }, 'following up a payment failed')
      return retryLater(error, { after: '10s', charge: false })
    }
  }
  const byType = {
    charge: handle,
    authorisation: handle,
    capture: handle,
    void: handle,
    refund: handle,
  }
  return gatewayOutbox.handle(byType, { atOnce: AT_ONCE, transaction: false })
}

async function followUp(options: FollowUpOptions, id: string): Promise<Outcome> {
  const { pool, keys } = options
  // An open key: its request has no answer yet.
  const open = await findOpenKey(pool, id)
  const claim = open && (await claimKey(pool, keys, open))
  if (claim?.kind === 'inFlight') {
    return later('Its request is in flight.', claim.retryAfterMs)
  }
  if (claim?.kind === 'claimed') return finish(options, claim)
  const overdue = await findOverdue(pool, id)
  if (!overdue) return delivered()
  if (overdue.payment.status === 'failed') {
    // Refused: it is over at the gateway too. Were its money taken, a webhook says so.
    const answer = await callOff(options.gateway, overdue)
    return answer.kind === 'unknown' ? retryLater(answer.error) : delivered()
  }
  const message = await lookUp(options, overdue)
  const { isOpen } = await findSchedule(pool, id)
  return isOpen ? retryLater({ code: 'GATEWAY_UNDECIDED', message }) : delivered()
}

function later(message: string, afterMs: number): Outcome {
  return retryLater(
    { code: 'GATEWAY_AWAITED', message },
    { after: toAfter(afterMs), charge: false },
  )
}

function toAfter(ms: number): Duration {
  return `${Math.max(1, Math.round(ms))}ms`
}

async function finish({ pool, gateway, log }: FollowUpOptions, claim: KeyClaim): Promise<Outcome> {
  const state = stateOf(claim)
  if (!state) throw new Error(`The open key ${claim.key} has no transaction.`)
  const work = await workOf(pool, state)
  try {
    const driven = await drive({ pool, gateway, by: 'payments.completer' }, claim, work)
    log.info({ paymentId: work.paymentId, type: work.type, kind: driven.kind }, 'payment resumed')
    const next = await findSchedule(pool, work.transactionId)
    if (!next.isOpen) return delivered()
    return driven.kind === 'open'
      ? retryLater(driven.error, { after: toAfter(next.afterMs) })
      : later('Its webhook is awaited.', next.afterMs)
  } catch (error) {
    // A request was faster: the payment is complete.
    if (!(error instanceof PosthornError && error.code === 'IDEMPOTENCY_LOCK_LOST')) throw error
    return later('Another request has its key.', 1_000)
  }
}
