import { DeliveryError, transaction, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Gateway } from '../../gateway/index.ts'
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
  const { orderId, key } = order
  // Commits before the gateway is asked: after that no worker begins a charge.
  const payment = await transaction(pool, (own) => cancelPayment(own, order))
  const chargeRef = await chargeOf(payment, order, gateway)
  if (chargeRef === undefined) {
    await settleCancelled(tx, orderId)
    return false
  }
  const refundRef = await refundCharge(key, chargeRef, gateway)
  await settleRefunded(tx, orderId, { chargeRef, refundRef })
  return true
}

/**
 * Gives back what was charged for a payment that is cancelled already: its caller had been away for
 * so long that it was given up, and then went on.
 */
export async function refundStray(
  { orderId, key }: PaymentOrder,
  { pool, gateway }: RefundOptions,
): Promise<void> {
  const found = await gateway.find(key)
  if (found.kind === 'unknown') throw unknownCharge(key, found.error.message)
  if (found.kind !== 'charged') return
  const refundRef = await refundCharge(key, found.ref, gateway)
  await transaction(pool, (tx) => settleRefunded(tx, orderId, { chargeRef: found.ref, refundRef }))
}

/** The charge that stands; undefined if there is none and never will be. */
async function chargeOf(
  { status, gateway_ref: ref, busy }: Payment,
  { key }: PaymentOrder,
  gateway: Gateway,
): Promise<string | undefined> {
  if (status === 'CHARGED' && ref !== null) return ref
  if (status !== 'CHARGING' && status !== 'FAILED') return undefined
  if (busy) throw new DeliveryError('PAYMENT_UNDER_WAY', `${key} is being charged`)
  const found = await gateway.find(key)
  if (found.kind === 'charged') return found.ref
  if (found.kind === 'unknown') throw unknownCharge(key, found.error.message)
  return undefined
}

async function refundCharge(key: string, chargeRef: string, gateway: Gateway): Promise<string> {
  const refunded = await gateway.refund({ key: `${key}/refund`, chargeRef })
  if (refunded.kind === 'refunded') return refunded.ref
  const why = `${key} could not be refunded: ${refunded.error.message}`
  throw new DeliveryError('REFUND_FAILED', why)
}

function unknownCharge(key: string, why: string): DeliveryError {
  return new DeliveryError('PAYMENT_UNKNOWN', `it is unknown whether ${key} was charged: ${why}`)
}
