import { DeliveryError, type Transaction, schedule, transaction } from '@posthorn/engine'
import { around } from '@posthorn/engine/inbox'
import type { ChargeOutcome, FoundCharge, Gateway } from '@posthorn/gateway'
import type { SystemConsumer } from '@posthorn/system'
import { COMMANDS, REPLIES, TakePayment, UNDONE_BEFORE } from '../events.ts'
import { type ParticipantOptions, participant } from '../participant.ts'
import {
  type Payment,
  type PaymentOrder,
  beginCharge,
  cancelPayment,
  settleCancelled,
  settleCharged,
  settleRefunded,
  settleUncharged,
} from './queries.ts'
import type { Pool } from 'pg'

export const PAYMENTS = 'orders.payments'

/** Money is never given up: as long as its outcome is not known, the gateway is asked again. */
const RETRY = schedule(['1s', '2s', '5s', '15s', '1m', '5m'], { then: 'repeat-last' })

export interface CashierOptions extends ParticipantOptions {
  readonly gateway: Gateway
  /** How long one attempt may be under way at the most. */
  readonly callMs: number
}

/** What came of a payment. `cancelled`: its order is being undone, or was. */
type Charged =
  Exclude<ChargeOutcome, { kind: 'unknown' | 'pending' }> | { readonly kind: 'cancelled' }

/**
 * Takes payments. The gateway is called with no transaction open; the outcome, the inbox row and the
 * answer commit together. As long as the outcome is unknown the command comes again, with the same
 * key: it cannot charge twice.
 */
export function cashier(options: CashierOptions): SystemConsumer {
  return participant(options, {
    group: PAYMENTS,
    command: COMMANDS.take,
    payload: TakePayment,
    refusal: REPLIES.notTaken,
    retry: RETRY,
    async handle({ orgId, payload, receipt, answer }) {
      const { orderId } = payload
      const order = { ...payload, orgId, key: chargeKey(orderId) }
      await around(options.pool, receipt, {
        call: () => charge(order, options),
        async outcome(tx, charged) {
          if (charged.kind === 'cancelled') {
            return answer(tx, REPLIES.notTaken, { orderId, ...UNDONE_BEFORE })
          }
          if (charged.kind === 'charged') {
            const { ref } = charged
            // The command comes again, finds it cancelled, and gives the money back.
            if (!(await settleCharged(tx, orderId, ref))) throw tooLate(order.key)
            return answer(tx, REPLIES.taken, { orderId, ref })
          }
          const { status, code } = UNCHARGED[charged.kind]
          await settleUncharged(tx, orderId, { status, ...charged.error })
          const { message } = charged.error
          return answer(tx, REPLIES.notTaken, { orderId, code, message })
        },
      })
    },
  })
}

/** The gateway charges once for it, whichever command or process asks. */
export function chargeKey(orderId: string): string {
  return `order-${orderId}`
}

const UNCHARGED = {
  declined: { status: 'DECLINED', code: 'PAYMENT_DECLINED' },
  failed: { status: 'FAILED', code: 'GATEWAY_ERROR' },
} as const

async function charge(
  order: PaymentOrder,
  { pool, gateway, callMs }: CashierOptions,
): Promise<Charged> {
  const begun = await transaction(pool, (tx) => beginCharge(tx, order, callMs))
  if (begun.status === 'CANCELLED') await refundStray(order, { pool, gateway })
  if (begun.cancelled) return { kind: 'cancelled' }
  if (begun.status !== 'CHARGING') return answerOfSettled(begun)
  const { key, amount, currency } = order
  // Not the bare id, which could be that of a payment: webhooks of the gateway name it.
  const wanted = { key, amount, currency, reference: key }
  if (begun.old) {
    // A gateway remembers keys for a day or so, and charges for longer.
    const before = await gateway.find(wanted)
    if (before.kind === 'charged' || before.kind === 'declined') return before
    if (before.kind !== 'none') throw undecidedError(key, before)
  }
  const charged = await gateway.charge(wanted)
  if (charged.kind !== 'unknown' && charged.kind !== 'pending') return charged
  const found = await gateway.find(wanted)
  if (found.kind === 'charged' || found.kind === 'declined') return found
  throw undecidedError(key, charged)
}

/** The command comes again. */
function undecidedError(key: string, said: FoundCharge | ChargeOutcome): DeliveryError {
  const why = 'error' in said ? said.error.message : `the gateway says ${said.kind}`
  return new DeliveryError('PAYMENT_UNKNOWN', `it is unknown whether ${key} was charged: ${why}`)
}

function tooLate(key: string): DeliveryError {
  return new DeliveryError('PAYMENT_CANCELLED', `${key} was charged after it was cancelled`)
}

/** Another command for the same order was here first. */
function answerOfSettled({ status, gateway_ref: ref, error_code, error }: Payment): Charged {
  if (status === 'CHARGED' && ref !== null) return { kind: 'charged', ref }
  const why = { code: error_code ?? '', message: error ?? '' }
  return status === 'DECLINED'
    ? { kind: 'declined', ref: undefined, error: why }
    : { kind: 'failed', error: why }
}

export interface RefundOptions {
  readonly pool: Pool
  readonly gateway: Gateway
}

/**
 * Undoes a payment, wherever it is: one without a charge never gets one, one under way is waited
 * for, one that was charged is refunded. True if money went back. As long as a worker may be
 * charging, or the gateway does not say, it throws and is tried again.
 */
export async function refundPayment(
  tx: Transaction,
  order: PaymentOrder,
  { pool, gateway }: RefundOptions,
): Promise<boolean> {
  const { orderId } = order
  // Commits before the gateway is asked: after that no worker begins a charge.
  const payment = await transaction(pool, (own) => cancelPayment(own, order))
  const chargeRef = await chargeOf(payment, order, gateway)
  if (chargeRef === undefined) {
    await settleCancelled(tx, orderId)
    return false
  }
  const refundRef = await refundCharge(order, chargeRef, gateway)
  await settleRefunded(tx, orderId, { chargeRef, refundRef })
  return true
}

/**
 * Gives back what was charged for a payment that is cancelled already: its caller had been away for
 * so long that it was given up, and then went on.
 */
async function refundStray(order: PaymentOrder, { pool, gateway }: RefundOptions): Promise<void> {
  const chargeRef = await findCharge(order, gateway)
  if (chargeRef === undefined) return
  const { orderId } = order
  const refundRef = await refundCharge(order, chargeRef, gateway)
  await transaction(pool, (tx) => settleRefunded(tx, orderId, { chargeRef, refundRef }))
}

/** The charge that stands; undefined if there is none and never will be. */
async function chargeOf(
  { status, gateway_ref: ref, busy }: Payment,
  order: PaymentOrder,
  gateway: Gateway,
): Promise<string | undefined> {
  if (status === 'CHARGED' && ref !== null) return ref
  if (status !== 'CHARGING' && status !== 'FAILED') return undefined
  if (busy) throw new DeliveryError('PAYMENT_UNDER_WAY', `${order.key} is being charged`)
  return findCharge(order, gateway)
}

async function findCharge(order: PaymentOrder, gateway: Gateway): Promise<string | undefined> {
  const { key, amount, currency } = order
  const found = await gateway.find({ key, amount, currency, reference: key })
  if (found.kind === 'charged') return found.ref
  if (found.kind === 'unknown' || found.kind === 'pending') throw undecidedError(key, found)
  return undefined
}

/** A refund that the gateway has taken in counts: it is under way, and cannot be asked for twice. */
async function refundCharge(
  { key, currency }: PaymentOrder,
  chargeRef: string,
  gateway: Gateway,
): Promise<string> {
  const order = { key: `${key}/refund`, chargeRef, currency }
  const refunded = await gateway.refund(order)
  if (refunded.kind === 'refunded' || refunded.kind === 'pending') return refunded.ref
  // Refused since it is there already, made so long ago that the gateway has forgotten the key.
  const found = await gateway.findRefund(order)
  if (found.kind === 'refunded' || found.kind === 'pending') return found.ref
  const why = `${key} could not be refunded: ${refunded.error.message}`
  throw new DeliveryError('REFUND_FAILED', why)
}
