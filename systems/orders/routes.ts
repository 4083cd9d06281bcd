import { uuid, type Transaction } from '@posthorn/engine'
import { defineIdempotency } from '@posthorn/engine/inbox'
import {
  PageQuery,
  callerOf,
  invalid,
  withIdempotencyKey,
  pageOf,
  sortable,
  type App,
} from '@posthorn/http'
import { startSaga, type Saga, type SagaKind } from '@posthorn/saga'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { exponentOf } from '@posthorn/system'
import {
  MOST_OF_A_SKU,
  NewOrder,
  ORDER_STATES,
  OrderResource,
  mergeItems,
  toResource,
  type Order,
  type OrderInput,
} from './order.ts'
import { problem } from './problems.ts'
import { findOrder, insertOrder, listOrders } from './queries.ts'

interface Placed {
  readonly id: string
  readonly sagaId: string
}

export const orderKeys = defineIdempotency({ table: 'sagas.idempotency_keys' })

const PATH = '/api/v1/orders'
const tags = ['orders']

const IdPlace = Type.String({ format: 'uuid' })
const AmountPlace = Type.Tuple([Type.Integer(), IdPlace])
const SORTS = sortable(['-createdAt', 'createdAt', '-amount', 'amount'])

const schemas = {
  place: {
    summary:
      'Place an order: stock is reserved, payment taken and a shipment booked, or all undone',
    tags,
    body: NewOrder,
    response: {
      202: Type.Object({
        id: Type.String(),
        sagaId: Type.String(),
        status: Type.Enum([...ORDER_STATES]),
      }),
    },
  },
  list: {
    summary: 'Orders of the organisation, newest first',
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      sort: SORTS.parameter,
      status: Type.Optional(Type.Enum([...ORDER_STATES])),
    }),
    response: { 200: pageOf(OrderResource) },
  },
  one: {
    summary: 'An order',
    tags,
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    response: { 200: OrderResource },
  },
}

export interface OrderRoutesOptions {
  readonly pool: Pool
  readonly sagas: OrderSagas
}

/** What carries an order through, at once or after its release. */
export interface OrderSagas {
  readonly order: OrderSaga
  readonly held: OrderSaga
}

// oxlint-disable-next-line typescript/no-explicit-any -- its steps may return anything
type OrderSaga = Saga<OrderInput, any, SagaKind>

export function orderRoutes(app: App, { pool, sagas }: OrderRoutesOptions): void {
  app.post(PATH, { schema: schemas.place }, async (request, reply) => {
    const items = mergeItems(request.body.items)
    const order = { ...request.body, items, orgId: callerOf(request).org }
    if (exponentOf(order.currency) === undefined) {
      throw invalid([{ field: 'currency', reason: 'must be a currency of ISO 4217' }])
    }
    // What is accepted here must be something that the participants understand.
    const over = items.find(({ quantity }) => quantity > MOST_OF_A_SKU)
    if (over) {
      const reason = `wants ${over.quantity} of ${over.sku} in all, more than ${MOST_OF_A_SKU}`
      throw invalid([{ field: 'items', reason }])
    }
    await withIdempotencyKey(reply, { pool, store: orderKeys }, async (tx) => {
      const placed = await placeOrder(tx, order.hold ? sagas.held : sagas.order, order)
      return { status: 202, body: { ...placed, status: 'RUNNING' } }
    })
    return reply
  })

  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { limit, status, sort } = request.query
    const byAmount = /amount$/.test(sort)
    const before = SORTS.placeIn(request.query, byAmount ? AmountPlace : IdPlace)
    const page = { orgId: callerOf(request).org, status, before, sort, limit: limit + 1 }
    const rows = await listOrders(pool, page)
    const after = ({ amount, id }: Order) => (byAmount ? [Number(amount), id] : id)
    return SORTS.page(rows, request.query, { item: toResource, after })
  })

  app.get(`${PATH}/:id`, { schema: schemas.one }, async (request) => {
    const order = await findOrder(pool, { id: request.params.id, orgId: callerOf(request).org })
    if (!order) throw problem('NOT_FOUND')
    return toResource(order)
  })
}

/** Stores an order and begins its saga, in one transaction. */
async function placeOrder(
  tx: Transaction,
  saga: OrderSaga,
  { orgId, items, amount, currency }: NewOrder & { readonly orgId: string },
): Promise<Placed> {
  const input = { orderId: uuid(), orgId, items, amount, currency }
  const { id: sagaId } = await startSaga(tx, saga, { input, tenant: orgId })
  await insertOrder(tx, { ...input, sagaId })
  return { id: input.orderId, sagaId }
}
