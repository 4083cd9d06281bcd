import type { Transaction } from '@posthorn/engine'
import type { StoredResponse } from '@posthorn/engine/inbox'
import type {
  AuthorisationOutcome,
  CaptureOutcome,
  ChargeOutcome,
  GatewayError,
  Pending,
  RefundOutcome,
  VoidOutcome,
} from '@posthorn/gateway'
import { problem } from '../../problems.ts'
import { recordAudit } from '../../queries.ts'
import { enqueueEvent } from '../../webhooks/index.ts'
import { alertConflict } from '../alerts.ts'
import { adoptUnknown, reconsiderParked } from '../inbound/event.ts'
import { REFUND_FAILED } from '../inbound/parts.ts'
import { toReceipt, toRefund, type Payment } from '../payment.ts'
import { lockPayment, selectRefunds } from '../queries.ts'
import { responseWith, type Work } from '../work.ts'
import {
  markCaptured,
  markFree,
  planLookup,
  settleAuthorised,
  settleCharged,
  settleDecision,
  settleNotCharged,
  settleNotMoved,
  settlePending,
  settleRefunded,
} from './queries.ts'

type Refusal = 'PAYMENT_DECLINED' | 'GATEWAY_ERROR'

function refused(code: Refusal, { paymentId }: Work, error: GatewayError): StoredResponse {
  const answer = problem(code, {
    detail: error.message,
    extensions: { retryable: false, paymentId, gatewayCode: error.code },
  })
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' }
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer)) }
}

/** Tells the merchant what the gateway answered, where its webhook will say nothing new. */
async function announce(
  tx: Transaction,
  payment: Payment,
  status: 'failed' | 'authorised' | 'voided',
): Promise<void> {
  const { id, org_id: org, amount, currency, gateway_ref: gatewayRef } = payment
  await enqueueEvent(tx, {
    ...{ org, id: `evt_${status}_${id}`, type: `payment.${status}`, key: id },
    data: { paymentId: id, gatewayRef, status, amount: Number(amount), currency },
  })
}

/** What the gateway can answer. */
export type Outcome =
  ChargeOutcome | AuthorisationOutcome | CaptureOutcome | VoidOutcome | RefundOutcome

/** An answer that leaves nothing open. */
type KnownOutcome = Exclude<Outcome, { kind: 'unknown' }>

/** Work that the gateway has answered, and who asked. */
type Answered = Work & { readonly by: string }

/**
 * Stores what the gateway answered, and returns the answer to the client. Where a webhook said something
 * else before, the payment keeps that state, the client gets it, and both sides are in an alert.
 */
export async function settle(
  tx: Transaction,
  work: Work,
  { outcome, by }: { readonly outcome: KnownOutcome; readonly by: string },
): Promise<StoredResponse> {
  const answered = { ...work, by }
  switch (outcome.kind) {
    case 'charged':
      return finishCharged(tx, answered, outcome.ref)
    case 'declined':
      return finishNotCharged(tx, answered, { ...outcome, code: 'PAYMENT_DECLINED' })
    case 'failed':
      return finishNotCharged(tx, answered, { ...outcome, code: 'GATEWAY_ERROR' })
    case 'pending':
      return work.type === 'refund'
        ? finishRefunded(tx, answered, outcome.ref)
        : finishPending(tx, answered, outcome)
    case 'authorised':
      return finishAuthorised(tx, answered, outcome.ref)
    case 'captured':
      return finishCaptured(tx, answered, outcome.ref)
    case 'voided':
      return finishVoided(tx, answered, outcome.ref)
    case 'refunded':
      return finishRefunded(tx, answered, outcome.ref)
    case 'refused':
      return work.type === 'refund'
        ? finishNotRefunded(tx, answered, outcome.error)
        : notDecided(tx, answered, outcome.error)
  }
}

async function finishCharged(
  tx: Transaction,
  work: Answered,
  ref: string,
): Promise<StoredResponse> {
  const payment = await settleCharged(tx, work, ref)
  if (payment) {
    // Made of the reference alone, its webhook may have come before this answer.
    if (payment.is_awaited) await adoptUnknown(tx, payment)
    if (payment.gateway_ref !== ref) {
      const detail = `The gateway answered that it took the money as ${ref}, but its webhook named ${payment.gateway_ref}.`
      await alertConflict(tx, payment, { detail, occurrence: work.transactionId })
    }
    return responseWith(201, toReceipt(payment))
  }
  return refuseFailed(tx, work, { ref, says: 'took' })
}

/** The gateway says that it has the money of a payment that its webhook has failed. */
async function refuseFailed(
  tx: Transaction,
  work: Answered,
  { ref, says }: { readonly ref: string; readonly says: 'took' | 'holds' },
): Promise<StoredResponse> {
  const message = `The gateway reported the payment as failed, but answered that it ${says} the money: an operator looks into it.`
  const error = { code: 'state_conflict', message }
  const failed = await settleNotCharged(tx, work, { ...error, ref })
  const detail = `The gateway's webhook said failed, but it answered that it ${says} the money (${ref}): the payment is failed here.`
  await alertConflict(tx, failed, { detail, occurrence: work.transactionId })
  return refused('GATEWAY_ERROR', work, error)
}

/** The gateway has taken the charge in, and will say by webhook what came of it. */
async function finishPending(
  tx: Transaction,
  work: Answered,
  pending: Pending,
): Promise<StoredResponse> {
  await lockPaymentOf(tx, work)
  const payment = await settlePending(tx, work, pending)
  await adoptUnknown(tx, payment)
  return responseWith(201, toReceipt(payment))
}

async function finishNotCharged(
  tx: Transaction,
  work: Answered,
  failure: {
    readonly code: Refusal
    readonly error: GatewayError
    readonly ref?: string | undefined
  },
): Promise<StoredResponse> {
  const { code, error, ref } = failure
  const before = await lockPaymentOf(tx, work)
  if (before.status === 'pending' || before.status === 'failed') {
    const payment = await settleNotCharged(tx, work, { ...error, ref })
    if (payment.is_awaited) await adoptUnknown(tx, payment)
    // The gateway may have no charge to tell of, and what it tells later says nothing new.
    if (before.status === 'pending') await announce(tx, payment, 'failed')
    if (before.authorisation === 'authorised') {
      const detail = `The gateway's webhook said authorised, but it answered that it holds no money (${error.code}: ${error.message}): the payment is failed here.`
      await alertConflict(tx, payment, { detail, occurrence: work.transactionId })
    }
    return refused(code, work, error)
  }
  // Our own key stands for a reference where the webhook named none.
  const known = before.gateway_ref ?? ref ?? work.gatewayKey
  const payment = (await settleCharged(tx, work, known)) ?? before
  await recordAudit(tx, {
    ...{ org: work.orgId, actor: work.by, action: 'gateway_error' },
    ...{ entity: 'payment', entityId: work.paymentId, details: { ...error, retryable: false } },
  })
  const detail = `The gateway's webhook said ${before.status}, but it answered that it took no money (${error.code}: ${error.message}): the payment is ${before.status} here.`
  await alertConflict(tx, payment, { detail, occurrence: work.transactionId })
  return responseWith(201, toReceipt(payment))
}

/** Tells the merchant that a refund came to nothing: its request may be answered, or long gone. */
async function announceRefundFailure(
  tx: Transaction,
  { id: paymentId, org_id: org, currency, gateway_ref: gatewayRef }: Payment,
  { transactionId: refundId, amount, error }: Work & { readonly error: GatewayError },
): Promise<void> {
  await enqueueEvent(tx, {
    ...{ org, id: `evt_failed_${refundId}`, type: REFUND_FAILED, key: paymentId },
    data: {
      ...{ paymentId, gatewayRef, refundId, status: 'failed', amount, currency },
      reason: error.message,
    },
  })
}

async function finishRefunded(
  tx: Transaction,
  work: Answered,
  ref: string,
): Promise<StoredResponse> {
  await lockPaymentOf(tx, work)
  const refund = await settleRefunded(tx, work, ref)
  // Its webhook may have come before the answer that has its name.
  await reconsiderParked(tx, work.paymentId)
  if (refund.status === 'failed') {
    const { error_code: code, error_message: message } = refund
    return refused('GATEWAY_ERROR', work, { code: String(code), message: String(message) })
  }
  return responseWith(201, toRefund(refund))
}

async function finishNotRefunded(
  tx: Transaction,
  work: Answered,
  error: GatewayError,
): Promise<StoredResponse> {
  const payment = await lockPaymentOf(tx, work)
  const refunds = await selectRefunds(tx, work.paymentId)
  const mine = refunds.find(({ id }) => id === work.transactionId)
  if (!mine?.isConfirmed) {
    await settleNotMoved(tx, work, error)
    // Its webhook may have said so, and was forwarded.
    if (!mine?.isFailed) await announceRefundFailure(tx, payment, { ...work, error })
    await reconsiderParked(tx, work.paymentId)
    return refused('GATEWAY_ERROR', work, error)
  }
  const refund = await settleRefunded(tx, work, work.gatewayKey)
  const detail = `The gateway's webhook said refunded, but it answered that it refused refund ${work.transactionId} (${error.code}: ${error.message}): it counts as refunded here.`
  await alertConflict(tx, payment, { detail, occurrence: work.transactionId })
  return responseWith(201, toRefund(refund))
}

async function lockPaymentOf(tx: Transaction, { paymentId }: Work): Promise<Payment> {
  const payment = await lockPayment(tx, { id: paymentId })
  if (!payment) throw new Error(`The payment ${paymentId} of an open key is not there.`)
  return payment
}

/** The gateway holds the money. */
async function finishAuthorised(
  tx: Transaction,
  work: Answered,
  ref: string,
): Promise<StoredResponse> {
  const before = await lockPaymentOf(tx, work)
  const payment = await settleAuthorised(tx, work, ref)
  if (payment) {
    if (before.authorisation === null) await announce(tx, payment, 'authorised')
    await adoptUnknown(tx, payment)
    return responseWith(201, toReceipt(payment))
  }
  return refuseFailed(tx, work, { ref, says: 'holds' })
}

/** The gateway has taken what was held, or a part of it. */
async function finishCaptured(
  tx: Transaction,
  work: Answered,
  ref: string,
): Promise<StoredResponse> {
  const before = await lockPaymentOf(tx, work)
  await settleDecision(tx, work, { ref, action: 'payment.captured' })
  if (before.authorisation === 'authorised') {
    const payment = await markCaptured(tx, work.paymentId, work.amount)
    await planLookup(tx, work.paymentId)
    await reconsiderParked(tx, work.paymentId)
    return responseWith(200, toReceipt(payment))
  }
  // Its webhook was faster.
  const isSame = Number(before.captured_amount) === work.amount
  if (!isSame) await alertDecided(tx, work, { before, answer: `captured ${work.amount}` })
  return responseWith(200, toReceipt(before))
}

/** The gateway has set free what was held: nothing is taken, and the payment has failed. */
async function finishVoided(tx: Transaction, work: Answered, ref: string): Promise<StoredResponse> {
  const before = await lockPaymentOf(tx, work)
  await settleDecision(tx, work, { ref, action: 'payment.voided' })
  if (before.authorisation === 'authorised') {
    const payment = await markFree(tx, work.paymentId, 'voided')
    await announce(tx, payment, 'voided')
    return responseWith(200, toReceipt(payment))
  }
  if (before.authorisation === 'captured')
    await alertDecided(tx, work, { before, answer: 'voided' })
  return responseWith(200, toReceipt(before))
}

/** The gateway refused to capture or to void. Where a webhook says that it did, that stands. */
async function notDecided(
  tx: Transaction,
  work: Answered,
  error: GatewayError,
): Promise<StoredResponse> {
  const before = await lockPaymentOf(tx, work)
  const wanted = work.type === 'capture' ? 'captured' : 'voided'
  if (before.authorisation === wanted) {
    const ref = before.gateway_ref ?? work.gatewayKey
    await settleDecision(tx, work, { ref, action: `payment.${wanted}` })
    const answer = `refused the ${work.type} (${error.code}: ${error.message})`
    await alertDecided(tx, work, { before, answer })
    return responseWith(200, toReceipt(before))
  }
  await settleNotMoved(tx, work, error)
  return refused('GATEWAY_ERROR', work, error)
}

async function alertDecided(
  tx: Transaction,
  { transactionId: occurrence }: Work,
  { before, answer }: { readonly before: Payment; readonly answer: string },
): Promise<void> {
  const { authorisation, captured_amount: amount } = before
  const ours = amount === null ? authorisation : `${authorisation} (${amount})`
  const detail = `The gateway's webhook said ${ours}, but it answered that it ${answer}: the payment is ${ours} here.`
  await alertConflict(tx, before, { detail, occurrence })
}
