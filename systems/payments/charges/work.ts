import { randomUUID } from 'node:crypto'
import { uuid, type Queryable, type Transaction } from '@posthorn/engine'
import {
  abandonKey,
  claimKey,
  completeKey,
  saveState,
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome,
  type KeyedRequest,
} from '@posthorn/engine/inbox'
import type { Caller } from '@posthorn/http'
import { stateOf, type KeyState } from './keys.ts'
import { takenOf, type NewPayment } from './payment.ts'
import { toRefund, type TransactionType } from './transaction.ts'
import { requireApproval, type Approval } from '../approvals/four-eyes.ts'
import { problem } from '../problems.ts'
import {
  findTransaction,
  insertPayment,
  insertRefund,
  lockPayment,
  selectRefunds,
} from './queries.ts'
import { insertDecision } from './authorisations/queries.ts'

interface AskedDecision extends Asked {
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

/** Something to do at the gateway, under the key of ours that makes it happen once. */
export interface Work {
  readonly type: TransactionType
  readonly transactionId: string
  readonly paymentId: string
  readonly orgId: string
  readonly gatewayKey: string
  readonly amount: number
  readonly currency: string
  /** Of the charge that a refund gives back, or of what is captured or voided. */
  readonly chargeRef: string | null
  /** What the gateway charges; left out: what it is set to. */
  readonly paymentMethod: string | undefined
  /** An earlier request began it, and may have called the gateway. */
  readonly begun: boolean
  readonly tries: number
}

type Repeat = Exclude<KeyOutcome, { kind: 'claimed' }>

/** What a request has to do: the work, or nothing since its key was used. */
export type Begun =
  | { readonly kind: 'work'; readonly claim: KeyClaim; readonly work: Work }
  /** The refund is there, made under another key. */
  | { readonly kind: 'refund'; readonly refund: ReturnType<typeof toRefund> }
  | Repeat

/** Who asks, and under which key. */
export interface Asked {
  readonly keyed: KeyedRequest
  readonly caller: Caller
}

/** First phase of a payment: key, payment, charge and audit, or none of them. */
export async function beginPayment(
  tx: Transaction,
  keys: IdempotencyStore,
  asked: Asked & { readonly payment: NewPayment },
): Promise<Begun> {
  const begun = await insertNew(tx, keys, asked)
  if (begun) return begun
  const claim = await claimKey(tx, keys, asked.keyed)
  if (claim.kind !== 'claimed') return claim
  const state = stateOf(claim)
  if (state) return { kind: 'work', claim, work: await workOf(tx, state) }
  // It has expired, and begins anew as if it had never been there.
  await abandonKey(tx, claim)
  const anew = await insertNew(tx, keys, asked)
  if (!anew) throw new Error('An idempotency key that was just freed is taken.')
  return anew
}

/** Undefined if the key is there. */
async function insertNew(
  tx: Transaction,
  store: IdempotencyStore,
  { keyed, caller, payment }: Asked & { readonly payment: NewPayment },
): Promise<Begun | undefined> {
  const id = uuid()
  const ids = {
    id,
    orgId: caller.org,
    userId: caller.sub,
    transactionId: uuid(),
    gatewayKey: `charge-${id}`,
    type: payment.capture === 'manual' ? ('authorisation' as const) : ('charge' as const),
  }
  const { scope, key, fingerprint } = keyed
  const state: KeyState = { transactionId: ids.transactionId, tries: 0 }
  const claim: KeyClaim = { store, scope, key, token: randomUUID(), takeover: false, state }
  if (!(await insertPayment(tx, { claim, fingerprint }, { ids, payment }))) return undefined
  const work: Work = {
    type: ids.type,
    transactionId: ids.transactionId,
    paymentId: id,
    orgId: ids.orgId,
    gatewayKey: ids.gatewayKey,
    amount: payment.amount,
    currency: payment.currency,
    chargeRef: null,
    paymentMethod: payment.paymentMethod,
    begun: false,
    tries: 0,
  }
  return { kind: 'work', claim, work }
}

export interface RefundAsked extends Asked {
  readonly paymentId: string
  /** Left out: all that is left. */
  readonly amount?: number | undefined
  readonly approval: Approval
}

/**
 * First phase of a refund: of an amount, or of all that is left. Where nothing is left, and no amount
 * is asked for, the last refund is the answer.
 */
export async function beginRefund(
  tx: Transaction,
  keys: IdempotencyStore,
  { keyed, caller, paymentId, amount: wanted, approval }: RefundAsked,
): Promise<Begun> {
  const claim = await claimKey(tx, keys, keyed)
  if (claim.kind !== 'claimed') return claim
  const state = stateOf(claim)
  if (state) return { kind: 'work', claim, work: await workOf(tx, state) }
  const payment = await lockPayment(tx, { id: paymentId, orgId: caller.org })
  if (!payment) throw problem('NOT_FOUND', { detail: `There is no payment ${paymentId}.` })
  if (payment.status !== 'succeeded') {
    throw problem('PAYMENT_NOT_SUCCEEDED', { detail: `The payment is ${payment.status}.` })
  }
  // The webhook was faster than the answer to the charge, which has the reference.
  if (payment.gateway_ref === null) {
    const detail = 'The charge is still being completed.'
    throw problem('PAYMENT_NOT_SUCCEEDED', { detail, retryAfterSeconds: 2 })
  }
  const refunds = (await selectRefunds(tx, paymentId)).filter(({ isFailed }) => !isFailed)
  const left = refunds.reduce((rest, each) => rest - each.amount, takenOf(payment))
  const last = refunds.at(-1)
  if (wanted === undefined && left === 0 && last) return answerExisting(tx, claim, last.id)
  const amount = wanted ?? left
  if (amount > left) {
    const detail = `${left} of ${takenOf(payment)} can still be refunded.`
    throw problem('REFUND_EXCEEDS_PAYMENT', { detail })
  }
  // With what was refunded before: many small refunds are weighed like a large one.
  const refunded = takenOf(payment) - left + amount
  const weighed = { org: payment.org_id, currency: payment.currency, amount: refunded }
  await requireApproval(tx, approval, weighed)
  const transactionId = uuid()
  const gatewayKey = `refund-${transactionId}`
  await insertRefund(tx, { paymentId, transactionId, gatewayKey, amount, by: caller.sub })
  const begun: KeyState = { transactionId, tries: 0 }
  await saveState(tx, claim, begun)
  return { kind: 'work', claim, work: { ...(await workOf(tx, begun)), begun: false } }
}

/** The refund that is there, made under another key. */
async function answerExisting(tx: Transaction, claim: KeyClaim, id: string): Promise<Begun> {
  const existing = await findTransaction(tx, id)
  if (!existing) throw new Error(`The refund ${id} is not there.`)
  const refund = toRefund(existing)
  if (existing.status === 'pending') {
    // It may yet fail: stored, the key would say `pending` for ever.
    await abandonKey(tx, claim)
  } else {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    await completeKey(tx, claim, { status: 200, headers, body: JSON.stringify(refund) })
  }
  return { kind: 'refund', refund }
}

/** The work that a key was left with. */
export async function workOf(db: Queryable, { transactionId, tries }: KeyState): Promise<Work> {
  const row = await findTransaction(db, transactionId)
  if (!row) throw new Error(`The transaction ${transactionId} of an open key is not there.`)
  return {
    type: row.type,
    transactionId,
    paymentId: row.payment_id,
    orgId: row.org_id,
    gatewayKey: row.gateway_key,
    amount: Number(row.amount),
    currency: row.currency,
    chargeRef: row.charge_ref,
    paymentMethod: row.payment_method ?? undefined,
    begun: true,
    tries,
  }
}
