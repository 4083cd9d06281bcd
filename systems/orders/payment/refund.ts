import { DeliveryError, transaction, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Gateway } from '@posthorn/gateway'
import {
  cancelPayment,
  settleCancelled,
  settleRefunded,
  type Payment,
  type PaymentOrder,
} from './queries.ts'

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
export async function refundStray(
  order: PaymentOrder,
  { pool, gateway }: RefundOptions,
): Promise<void> {
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
  if (found.kind === 'unknown') throw unknownCharge(key, found.error.message)
  if (found.kind === 'pending') throw unknownCharge(key, 'the gateway has not decided')
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

function unknownCharge(key: string, why: string): DeliveryError {
  return new DeliveryError('PAYMENT_UNKNOWN', `it is unknown whether ${key} was charged: ${why}`)
}
