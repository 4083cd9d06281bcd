import { randomUUID } from 'node:crypto'
import { uuid, type Duration, type Queryable, type Transaction } from '@posthorn/engine'
import { backOff } from '@posthorn/system'
import {
  abandonKey,
  claimKey,
  completeKey,
  defineIdempotency,
  extendLock,
  saveState,
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome,
  type KeyedRequest,
  type StoredResponse,
} from '@posthorn/engine/inbox'
import type { Caller } from '@posthorn/http'
import { requireApproval, type Approval } from '../approvals/proposal.ts'
import { problem } from '../problems.ts'
import { gatewayOutbox } from './follow-up/outbox.ts'
import {
  takenOf,
  toRefund,
  type NewPayment,
  type Payment,
  type TransactionType,
} from './payment.ts'
import {
  findTransaction,
  insertMove,
  insertPayment,
  lockPayment,
  planFollowUp,
  readNet,
  selectRefunds,
} from './queries.ts'

export interface KeyOptions {
  /** How long a key is known, by the business clock. */
  readonly expires: Duration
  readonly lockMs: number
  /** Of one exchange with the gateway. */
  readonly gatewayTimeoutMs: number
}

/** What a key knows of its work, so that any process can go on with it. */
export interface KeyState {
  readonly transactionId: string
  /** How often the gateway's answer left the outcome open. */
  readonly tries: number
}

/** Who takes over looks, charges, and may have to look again: the lock must outlive all three. */
const EXCHANGES = 3
const SLACK_MS = 1_000

export function paymentKeys({ expires, lockMs, gatewayTimeoutMs }: KeyOptions): IdempotencyStore {
  const leastMs = EXCHANGES * gatewayTimeoutMs + SLACK_MS
  return defineIdempotency({
    table: 'payments.idempotency_keys',
    expires,
    lock: `${Math.max(lockMs, leastMs)}ms`,
  })
}

export function stateOf({ state }: KeyClaim): KeyState | undefined {
  return state as KeyState | undefined
}

const TAKEN_OVER = { firstMs: 2_000, mostMs: 60_000 }

/** Leaves the key open, to be taken over after 2, 4, 8 … 60 s: until then it is in flight. */
export async function leaveOpen(
  tx: Transaction,
  claim: KeyClaim,
  { transactionId, tries }: KeyState,
): Promise<void> {
  await saveState(tx, claim, { transactionId, tries: tries + 1 } satisfies KeyState)
  const lockMs = backOff(tries, TAKEN_OVER)
  await extendLock(tx, { ...claim, store: { ...claim.store, lockMs } })
  await planFollowUp(tx, transactionId, lockMs)
  tx.ringLater(gatewayOutbox.bell)
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
  if (!anew) throw new Error('An idempotency key that was just released is taken again.')
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
    ...{ id, orgId: caller.org, userId: caller.sub },
    ...{ transactionId: uuid(), gatewayKey: `charge-${id}` },
    type: payment.capture === 'manual' ? ('authorisation' as const) : ('charge' as const),
  }
  const { scope, key, fingerprint } = keyed
  const state: KeyState = { transactionId: ids.transactionId, tries: 0 }
  const claim: KeyClaim = { store, scope, key, token: randomUUID(), takeover: false, state }
  if (!(await insertPayment(tx, { claim, fingerprint }, { ids, payment }))) return undefined
  const { amount, currency, paymentMethod } = payment
  const asked = { ...ids, paymentId: id, amount, currency, paymentMethod, chargeRef: null }
  return { kind: 'work', claim, work: { ...asked, begun: false, tries: 0 } }
}

/** A part of a payment's money, or all of it, that is to be moved. */
export interface MoveAsked extends Asked {
  readonly type: 'refund' | 'capture' | 'void'
  readonly paymentId: string
  /** In minor units. Left out: all that is left, or all that is held. */
  readonly amount?: number | undefined
  readonly approval: Approval
}

/**
 * First phase of a refund, a capture or a void. Where nothing is left to refund, and no amount is asked
 * for, the last refund is the answer.
 */
export async function beginMove(
  tx: Transaction,
  keys: IdempotencyStore,
  { keyed, caller, paymentId, type, amount: wanted, approval }: MoveAsked,
): Promise<Begun> {
  const claim = await claimKey(tx, keys, keyed)
  if (claim.kind !== 'claimed') return claim
  const state = stateOf(claim)
  if (state) return { kind: 'work', claim, work: await workOf(tx, state) }
  const payment = await lockPayment(tx, { id: paymentId, orgId: caller.org })
  if (!payment) throw problem('NOT_FOUND', { detail: `There is no payment ${paymentId}.` })
  const move = type === 'refund' ? await refundable(tx, payment, wanted) : ofHeld(payment, wanted)
  if ('existing' in move) return answerExisting(tx, claim, move.existing)
  const { amount, weighed } = move
  const { org_id: org, currency } = payment
  await requireApproval(tx, approval, { org, currency, amount: weighed })
  const transactionId = uuid()
  const ids = { transactionId, gatewayKey: `${type}-${transactionId}` }
  const { lockMs } = keys
  if (!(await insertMove(tx, { paymentId, ...ids, type, amount, by: caller.sub, lockMs }))) {
    const detail = 'Another capture or void of it is under way.'
    throw problem('PAYMENT_NOT_AUTHORISED', { detail, retryAfterSeconds: 2 })
  }
  const begun: KeyState = { transactionId, tries: 0 }
  await saveState(tx, claim, begun)
  return { kind: 'work', claim, work: { ...(await workOf(tx, begun)), begun: false } }
}

/** How much is moved, and how much is weighed for the approval of a second person. */
type Move = { readonly amount: number; readonly weighed: number }

/** Of money that is held, one decision at a time. */
function ofHeld(payment: Payment, wanted: number | undefined): Move {
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
  return { amount, weighed: amount }
}

async function refundable(
  tx: Transaction,
  payment: Payment,
  wanted: number | undefined,
): Promise<Move | { readonly existing: string }> {
  if (payment.status !== 'succeeded') {
    throw problem('PAYMENT_NOT_SUCCEEDED', { detail: `The payment is ${payment.status}.` })
  }
  // The webhook was faster than the answer to the charge, which has the reference.
  if (payment.gateway_ref === null) {
    const detail = 'The charge is still being completed.'
    throw problem('PAYMENT_NOT_SUCCEEDED', { detail, retryAfterSeconds: 2 })
  }
  const refunds = (await selectRefunds(tx, payment.id)).filter(({ isFailed }) => !isFailed)
  const taken = takenOf(payment)
  const left = refunds.reduce((rest, each) => rest - each.amount, taken)
  const last = refunds.at(-1)
  if (wanted === undefined && left === 0 && last) return { existing: last.id }
  const { disputed } = await readNet(tx, payment.id)
  const free = Math.max(0, left - disputed)
  const amount = wanted ?? free
  if (disputed > 0 && amount <= left && (amount > free || amount === 0)) {
    const detail = `${disputed} is disputed or lost: the bank has taken it back, and a refund would give it a second time. ${free} can still be refunded.`
    throw problem('PAYMENT_DISPUTED', { detail })
  }
  if (amount > left) {
    throw problem('REFUND_EXCEEDS_PAYMENT', {
      detail: `${left} of ${taken} can still be refunded.`,
    })
  }
  // With what was refunded before: many small refunds are weighed like a large one.
  return { amount, weighed: taken - left + amount }
}

/** The refund that is there, made under another key. */
async function answerExisting(tx: Transaction, claim: KeyClaim, id: string): Promise<Begun> {
  const existing = await findTransaction(tx, id)
  if (!existing) throw new Error(`The refund ${id} is not there.`)
  const refund = toRefund(existing)
  if (refund.status === 'pending') {
    // It may yet fail: stored, the key would say `pending` for ever.
    await abandonKey(tx, claim)
  } else {
    await completeKey(tx, claim, responseWith(200, refund))
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

/** The answer to the client, as it is kept under its key. */
export function responseWith(status: 200 | 201, body: object): StoredResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: Buffer.from(JSON.stringify(body)) }
}
