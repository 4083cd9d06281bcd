import type { SagaStatus } from '@posthorn/saga'
import { Currency, NullableText, bigint, resource, time, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'

/** Of this sku there never is any. */
export const OUT_OF_STOCK = 'OUT-OF-STOCK'

/** In one order, also if the sku stands in it twice. */
export const MOST_OF_A_SKU = 1_000_000

export const Item = Type.Object(
  {
    sku: Type.String({ pattern: '^[\\x21-\\x7e]{1,64}$' }),
    quantity: Type.Integer({ minimum: 1, maximum: MOST_OF_A_SKU }),
  },
  { additionalProperties: false },
)
export type Item = Static<typeof Item>

const Items = Type.Array(Item, { minItems: 1, maxItems: 100 })
const Amount = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000_000,
  description: 'Amount in minor units',
})

export const NewOrder = Type.Object(
  {
    items: Items,
    amount: Amount,
    currency: Currency,
    hold: Type.Optional(
      Type.Boolean({
        description: 'true: the order waits for the signal `release` before its first step',
      }),
    ),
  },
  { additionalProperties: false },
)
export type NewOrder = Static<typeof NewOrder>

/** Which order, and whose. */
export interface OrderKey {
  readonly orderId: string
  readonly orgId: string
}

/** What a saga carries through. */
export interface OrderInput extends OrderKey {
  readonly items: readonly Item[]
  readonly amount: number
  readonly currency: string
}

export const ORDER_STATES = ['RUNNING', 'COMPLETED', 'COMPENSATED', 'FAILED'] as const
export type OrderStatus = (typeof ORDER_STATES)[number]

/** An order has no status of its own: it is where its saga is. */
export const ORDER_STATUS: Readonly<Record<SagaStatus, OrderStatus>> = {
  RUNNING: 'RUNNING',
  COMPENSATING: 'RUNNING',
  COMPLETED: 'COMPLETED',
  COMPENSATED: 'COMPENSATED',
  FAILED: 'FAILED',
  TERMINATED: 'FAILED',
}

export const OrderResource = Type.Object({
  id: Type.String(),
  sagaId: Type.String(),
  status: Type.Enum([...ORDER_STATES]),
  items: Type.Array(Item),
  amount: bigint(),
  currency: Type.String(),
  errorCode: NullableText,
  errorMessage: NullableText,
  createdAt: time(),
})

/** An order with what its saga says. */
export interface Order extends RowOf<typeof OrderResource, 'status'> {
  readonly saga_status: SagaStatus
}

export const toResource = resource(OrderResource, {
  status: (order: Order) => ORDER_STATUS[order.saga_status],
})

/** One line for each sku: who names it twice wants both. */
export function mergeItems(items: readonly Item[]): Item[] {
  const quantities = new Map<string, number>()
  for (const { sku, quantity } of items) {
    quantities.set(sku, (quantities.get(sku) ?? 0) + quantity)
  }
  return [...quantities].map(([sku, quantity]) => ({ sku, quantity }))
}
