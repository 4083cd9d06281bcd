import { uuid, type Transaction } from '@posthorn/engine'
import { claimKey, saveState, type IdempotencyStore } from '@posthorn/engine/inbox'
import { requireApproval, type Approval } from '../../approvals/four-eyes.ts'
import { problem } from '../../problems.ts'
import { stateOf, type KeyState } from '../keys.ts'
import { lockPayment } from '../queries.ts'
import { workOf, type Asked, type Begun } from '../work.ts'
import { insertDecision } from './queries.ts'

export interface AskedDecision extends Asked {
  readonly paymentId: string
  readonly type: 'capture' | 'void'
  /** To be captured, in minor units; left out: all that is held. */
  readonly amount?: number | undefined
  readonly approval: Approval
}

/** First phase of a capture or a void: of money that is held, one at a time. */
export async function beginDecision(
  tx: Transaction,
  keys: IdempotencyStore,
  { keyed, caller, paymentId, type, amount: wanted, approval }: AskedDecision,
): Promise<Begun> {
  const claim = await claimKey(tx, keys, keyed)
  if (claim.kind !== 'claimed') return claim
  const state = stateOf(claim)
  if (state) return { kind: 'work', claim, work: await workOf(tx, state) }
  const payment = await lockPayment(tx, { id: paymentId, orgId: caller.org })
  if (!payment) throw problem('NOT_FOUND', { detail: `There is no payment ${paymentId}.` })
  const { capture_method: method, authorisation, status } = payment
  if (authorisation !== 'authorised' || payment.gateway_ref === null) {
    const is = method === 'automatic' ? 'charged at once' : (authorisation ?? status)
    throw problem('PAYMENT_NOT_AUTHORISED', { detail: `The payment is ${is}.` })
  }
  const held = Number(payment.amount)
  const amount = wanted ?? held
  if (amount > held) {
    throw problem('CAPTURE_EXCEEDS_AUTHORISATION', { detail: `${held} is authorised.` })
  }
  const weighed = { org: payment.org_id, currency: payment.currency, amount }
  await requireApproval(tx, approval, weighed)
  const transactionId = uuid()
  const ids = { transactionId, gatewayKey: `${type}-${transactionId}` }
  const begun = await insertDecision(tx, { paymentId, ...ids, type, amount, by: caller.sub })
  if (!begun) {
    const detail = 'Another capture or void of it is under way.'
    throw problem('PAYMENT_NOT_AUTHORISED', { detail, retryAfterSeconds: 2 })
  }
  const fresh: KeyState = { transactionId, tries: 0 }
  await saveState(tx, claim, fresh)
  return { kind: 'work', claim, work: { ...(await workOf(tx, fresh)), begun: false } }
}
