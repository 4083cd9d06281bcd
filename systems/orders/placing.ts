import { uuid, type Transaction } from '@posthorn/engine'
import { startSaga } from '@posthorn/saga'
import { mergeItems, type NewOrder } from './order.ts'
import type { orderSaga } from './order-saga.ts'
import { insertOrder } from './queries.ts'

export interface Placed {
  readonly id: string
  readonly sagaId: string
}

/** Stores an order and begins its saga, in one transaction. */
export async function placeOrder(
  tx: Transaction,
  saga: ReturnType<typeof orderSaga>,
  { orgId, items, amount, currency }: NewOrder & { readonly orgId: string },
): Promise<Placed> {
  const order = { id: uuid(), orgId, items: mergeItems(items), amount, currency }
  const { id, ...rest } = order
  const input = { orderId: id, ...rest }
  const { id: sagaId } = await startSaga(tx, saga, { input, tenant: orgId })
  await insertOrder(tx, { ...order, sagaId })
  return { id, sagaId }
}
