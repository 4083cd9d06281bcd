import type { Transaction } from '@posthorn/engine'
import type { SagaDetails } from '@posthorn/saga'
import { chargeKey } from './payment/cashier.ts'
import { refusePayment } from './payment/queries.ts'
import { findOrderOf, recordGoods } from './queries.ts'
import { refuseShipment } from './shipment/queries.ts'
import { releaseStock, shipStock } from './stock/reservation.ts'

/**
 * Settles what an order has reserved when an operator ends its saga, or passes over the step that
 * would have: no step of it runs any more, and the goods would stay reserved for ever. Commands that
 * are on their way find the order closed. The audit has the operator's reason.
 */
export async function settleOrder(tx: Transaction, saga: SagaDetails): Promise<void> {
  const last = saga.actions.at(-1)
  const fate = fateOf(saga)
  if (fate === undefined || last === undefined) return
  const order = await findOrderOf(tx, saga.id)
  if (!order) return
  const { orderId, orgId } = order
  await refusePayment(tx, { ...order, key: chargeKey(orderId) })
  const isBooked = await refuseShipment(tx, order)
  const leaves = fate === 'shipped' || (fate === 'as booked' && isBooked)
  const moved = await (leaves ? shipStock : releaseStock)(tx, order)
  if (!moved) return
  const { by, reason } = last
  const operation = leaves ? 'order.ship-goods' : 'order.release-goods'
  await recordGoods(tx, { operation, orderId, orgId, by, reason })
}

/** What becomes of the goods: it is decided by how the saga ends. */
function fateOf({
  status,
  actions,
}: SagaDetails): 'shipped' | 'released' | 'as booked' | undefined {
  const { action, step } = actions.at(-1) ?? {}
  switch (status) {
    case 'COMPLETED':
      return 'shipped'
    case 'COMPENSATED':
      return 'released'
    case 'TERMINATED':
      return 'as booked'
    case 'RUNNING':
      return action === 'skip' && step === 'shipped' ? 'shipped' : undefined
    case 'COMPENSATING':
      return action === 'skip' && step === 'reserve' ? 'released' : undefined
    case 'FAILED':
      return undefined
  }
}
