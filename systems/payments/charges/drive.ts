import { transaction, type Transaction } from '@posthorn/engine'
import { completeKey, type KeyClaim, type StoredResponse } from '@posthorn/engine/inbox'
import { raiseAlert, recoverAlert } from '@posthorn/engine/operate'
import type { ProblemError } from '@posthorn/http'
import type { Pool } from 'pg'
import type { ChargeOutcome, Gateway, GatewayError, RefundOutcome } from '../../gateway/index.ts'
import { leaveOpen } from './keys.ts'
import { problem } from '../problems.ts'
import { createAuditLog } from './queries.ts'
import { settle } from './settle/settle.ts'
import type { Work } from './work.ts'

/** How a piece of work ended, or that it did not. */
export type Driven =
  /** Stored: the same answer from now on. */
  | { readonly kind: 'settled'; readonly response: StoredResponse }
  /** The outcome is not known yet; the key stays open. */
  | { readonly kind: 'open'; readonly error: GatewayError }

export interface Driver {
  readonly pool: Pool
  readonly gateway: Gateway
  /** Who is at it, for the audit: a user or the completer. */
  readonly by: string
}

/**
 * Second and third phase: asks the gateway, with no transaction open, and stores what it said
 * together with the answer. A request that lost the key meanwhile changes nothing.
 */
export async function drive(driver: Driver, claim: KeyClaim, work: Work): Promise<Driven> {
  const outcome = await ask(driver.gateway, work)
  return transaction(driver.pool, async (tx): Promise<Driven> => {
    if (outcome.kind === 'unknown') {
      await postpone(tx, claim, { work, error: outcome.error, by: driver.by })
      return { kind: 'open', error: outcome.error }
    }
    const response = await settle(tx, work, { outcome, by: driver.by })
    await completeKey(tx, claim, response)
    if (work.tries >= ALERT_AFTER) {
      await recoverAlert(tx, { source: ALERT_SOURCE, subject: work.paymentId })
    }
    return { kind: 'settled', response }
  })
}

async function ask(gateway: Gateway, work: Work): Promise<ChargeOutcome | RefundOutcome> {
  const { gatewayKey: key, amount, currency, paymentId: reference, chargeRef } = work
  if (work.type === 'refund') return gateway.refund({ key, amount, chargeRef: chargeRef ?? '' })
  if (work.begun) {
    // It may have been charged, and a gateway that could not answer then may not answer now.
    const found = await gateway.find(key)
    if (found.kind !== 'none') return found
  }
  return gateway.charge({ key, amount, currency, reference })
}

/** Tries before an alert is raised; with their waits that is about two minutes. */
const ALERT_AFTER = 7
const ALERT_SOURCE = 'payments.completer'

async function postpone(
  tx: Transaction,
  claim: KeyClaim,
  { work, error, by }: { readonly work: Work; readonly error: GatewayError; readonly by: string },
): Promise<void> {
  const { paymentId, orgId, tries } = work
  await leaveOpen(tx, claim, work)
  if (tries === 0) {
    await createAuditLog(tx, {
      orgId,
      actor: by,
      action: 'gateway_error',
      entity: 'payment',
      entityId: paymentId,
      details: { ...error, retryable: true },
    })
  }
  if (tries + 1 === ALERT_AFTER) {
    await raiseAlert(tx, {
      source: ALERT_SOURCE,
      subject: paymentId,
      tenant: orgId,
      code: 'PAYMENT_UNRESOLVED',
      detail: `The gateway does not say what became of a ${work.type}: ${error.message}`,
    })
  }
}

/** The answer to a request whose outcome is not known. It is not stored. */
export function openProblem({ paymentId }: Work, error: GatewayError): ProblemError {
  return problem('GATEWAY_ERROR', {
    detail: `${error.message} Repeat the request with the same key until the outcome is known.`,
    extensions: { retryable: true, paymentId, gatewayCode: error.code },
    retryAfterSeconds: 2,
  })
}
