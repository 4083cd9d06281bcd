import { transaction, type Transaction } from '@posthorn/engine'
import { completeKey, type KeyClaim, type StoredResponse } from '@posthorn/engine/inbox'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import type { ProblemError } from '@posthorn/http'
import type { Pool } from 'pg'
import type {
  AuthorisationOutcome,
  ChargeOutcome,
  Gateway,
  GatewayError,
  RefundOutcome,
} from '@posthorn/gateway'
import { problem } from '../problems.ts'
import { recordAudit } from '../queries.ts'
import { settle, type Outcome } from './settle/settle.ts'
import { leaveOpen, type Work } from './work.ts'

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

function ask(gateway: Gateway, work: Work): Promise<Outcome> {
  const { gatewayKey: key, amount, currency } = work
  const chargeRef = work.chargeRef ?? ''
  switch (work.type) {
    case 'charge':
      return charge(gateway, work)
    case 'authorisation':
      return authorise(gateway, work)
    case 'capture':
      return gateway.capture({ key, chargeRef, amount, currency })
    case 'void':
      return gateway.void({ key, chargeRef })
    case 'refund':
      return refund(gateway, work)
  }
}

/*
 * What was begun may have been done, and a gateway that could not answer then may not answer now, or
 * may have forgotten the key since: it is looked up first.
 */

async function charge(gateway: Gateway, work: Work): Promise<ChargeOutcome> {
  const { order, found } = await findCharge(gateway, work)
  if (found.kind === 'none') return gateway.charge(order)
  if (found.kind !== 'authorised' && found.kind !== 'voided') return found
  const message = `The gateway says that the charge is ${found.kind}.`
  return { kind: 'unknown', error: { code: 'not_a_charge', message } }
}

async function authorise(gateway: Gateway, work: Work): Promise<AuthorisationOutcome> {
  const { order, found } = await findCharge(gateway, work)
  if (found.kind === 'none') return gateway.authorise(order)
  // What became of it since, the gateway's webhooks say.
  const wasHeld = found.kind === 'charged' || found.kind === 'voided'
  return wasHeld ? { kind: 'authorised', ref: found.ref } : found
}

async function findCharge(gateway: Gateway, work: Work) {
  const { gatewayKey: key, amount, currency, paymentId: reference, paymentMethod } = work
  const order = { key, amount, currency, reference, paymentMethod, canAuthenticate: true }
  const none = { kind: 'none' } as const
  return { order, found: work.begun ? await gateway.find({ ...order, ref: work.chargeRef }) : none }
}

async function refund(gateway: Gateway, work: Work): Promise<RefundOutcome> {
  const { gatewayKey: key, amount, currency, chargeRef } = work
  const order = { key, amount, currency, chargeRef: chargeRef ?? '' }
  if (!work.begun) return gateway.refund(order)
  const found = await gateway.findRefund(order)
  return found.kind === 'none' ? gateway.refund(order) : found
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
    const details = { ...error, retryable: true }
    const entry = { org: orgId, actor: by, action: 'gateway_error', details }
    await recordAudit(tx, { ...entry, entity: 'payment', entityId: paymentId })
  }
  if (tries + 1 === ALERT_AFTER) {
    await raiseAlert(tx, {
      ...{ source: ALERT_SOURCE, subject: paymentId, tenant: orgId, code: 'PAYMENT_UNRESOLVED' },
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
