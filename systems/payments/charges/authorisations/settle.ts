import type { Transaction } from '@posthorn/engine'
import type { StoredResponse } from '@posthorn/engine/inbox'
import type { GatewayError } from '../../../gateway/index.ts'
import { alertConflict } from '../alerts.ts'
import { adoptUnknown, reconsiderParked } from '../inbound/event.ts'
import { toReceipt, type Payment } from '../payment.ts'
import { lockPayment } from '../queries.ts'
import { announce } from '../settle/announce.ts'
import { settleNotCharged } from '../settle/queries.ts'
import { refused, responseWith } from '../settle/responses.ts'
import type { Work } from '../work.ts'
import {
  markCaptured,
  markFree,
  planLookup,
  settleAuthorised,
  settleDecision,
  settleNotDecided,
} from './queries.ts'

/** Work that the gateway has answered, and who asked. */
interface Done {
  readonly work: Work
  readonly by: string
}

/** The gateway holds the money. */
export async function finishAuthorised(
  tx: Transaction,
  { work, by }: Done,
  ref: string,
): Promise<StoredResponse> {
  const before = await lockPaymentOf(tx, work)
  const payment = await settleAuthorised(tx, { ...work, by }, ref)
  if (payment) {
    if (before.authorisation === null) await announce(tx, payment, 'authorised')
    await adoptUnknown(tx, payment)
    return responseWith(201, toReceipt(payment))
  }
  const message =
    'The gateway reported the payment as failed, but answered that it holds the money: an operator looks into it.'
  const error = { code: 'state_conflict', message }
  const failed = await settleNotCharged(tx, { ...work, by }, { ...error, ref })
  const detail = `The gateway's webhook said failed, but it answered that it holds the money (${ref}): the payment is failed here.`
  await alertConflict(tx, failed, detail)
  return refused('GATEWAY_ERROR', work, error)
}

/** The gateway has taken what was held, or a part of it. */
export async function finishCaptured(
  tx: Transaction,
  done: Done,
  ref: string,
): Promise<StoredResponse> {
  const { work, by } = done
  const before = await lockPaymentOf(tx, work)
  await settleDecision(tx, { ...work, by }, { ref, action: 'payment.captured' })
  if (before.authorisation === 'authorised') {
    const payment = await markCaptured(tx, work.paymentId, work.amount)
    await planLookup(tx, work.paymentId)
    await reconsiderParked(tx, work.paymentId)
    return responseWith(200, toReceipt(payment))
  }
  // Its webhook was faster.
  const isSame = Number(before.captured_amount) === work.amount
  if (!isSame) await alertDecided(tx, before, `captured ${work.amount}`)
  return responseWith(200, toReceipt(before))
}

/** The gateway has set free what was held: nothing is taken, and the payment has failed. */
export async function finishVoided(
  tx: Transaction,
  done: Done,
  ref: string,
): Promise<StoredResponse> {
  const { work, by } = done
  const before = await lockPaymentOf(tx, work)
  await settleDecision(tx, { ...work, by }, { ref, action: 'payment.voided' })
  if (before.authorisation === 'authorised') {
    const payment = await markFree(tx, work.paymentId, 'voided')
    await announce(tx, payment, 'voided')
    return responseWith(200, toReceipt(payment))
  }
  if (before.authorisation === 'captured') await alertDecided(tx, before, 'voided')
  return responseWith(200, toReceipt(before))
}

/** The gateway refused to capture or to void. Where a webhook says that it did, that stands. */
export async function notDecided(
  tx: Transaction,
  { work, by }: Done,
  error: GatewayError,
): Promise<StoredResponse> {
  const before = await lockPaymentOf(tx, work)
  const wanted = work.type === 'capture' ? 'captured' : 'voided'
  if (before.authorisation === wanted) {
    const ref = before.gateway_ref ?? work.gatewayKey
    await settleDecision(tx, { ...work, by }, { ref, action: `payment.${wanted}` })
    await alertDecided(tx, before, `refused the ${work.type} (${error.code}: ${error.message})`)
    return responseWith(200, toReceipt(before))
  }
  await settleNotDecided(tx, { ...work, by }, error)
  return refused('GATEWAY_ERROR', work, error)
}

async function alertDecided(tx: Transaction, payment: Payment, answer: string): Promise<void> {
  const { authorisation, captured_amount: amount } = payment
  const ours = amount === null ? authorisation : `${authorisation} (${amount})`
  const detail = `The gateway's webhook said ${ours}, but it answered that it ${answer}: the payment is ${ours} here.`
  await alertConflict(tx, payment, detail)
}

async function lockPaymentOf(tx: Transaction, { paymentId }: Work): Promise<Payment> {
  const payment = await lockPayment(tx, { id: paymentId })
  if (!payment) throw new Error(`The payment ${paymentId} of an open key is not there.`)
  return payment
}
