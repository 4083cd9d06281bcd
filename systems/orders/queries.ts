import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, directionOf, first, one } from '@posthorn/system'
import type { Order, OrderInput, OrderKey } from './order.ts'

interface ShipmentRow {
  readonly status: 'BOOKED' | 'CANCELLED'
  readonly tracking_code: string | null
}

/** Books, or finds what became of the booking. */
export const bookShipment = (tx: Transaction, { orderId, orgId }: OrderKey, trackingCode: string) =>
  one<ShipmentRow>(tx)(sql`
    insert into sagas.shipment (order_id, org_id, status, tracking_code)
    values (${orderId}, ${orgId}, 'BOOKED', ${trackingCode})
    -- Changes nothing, and so returns the row that is there.
    on conflict (order_id) do update set order_id = excluded.order_id
    returning status, tracking_code`)

/** Cancels a shipment, or the chance of one: a command that comes later finds it. True if one was booked. */
export async function cancelShipment(
  tx: Transaction,
  { orderId, orgId }: OrderKey,
): Promise<boolean> {
  const { rows } = await tx.query<{ booked: boolean }>(sql`
    insert into sagas.shipment as s (order_id, org_id, status)
    values (${orderId}, ${orgId}, 'CANCELLED')
    on conflict (order_id) do update set status = 'CANCELLED', updated_at = now()
     where s.status = 'BOOKED'
    returning tracking_code is not null as booked`)
  return rows[0]?.booked ?? false
}

/** Keeps a command that is on its way from booking; true if a shipment is booked already. */
export async function refuseShipment(
  tx: Transaction,
  { orderId, orgId }: OrderKey,
): Promise<boolean> {
  const { rows } = await tx.query<{ booked: boolean }>(sql`
    insert into sagas.shipment as s (order_id, org_id, status)
    values (${orderId}, ${orgId}, 'CANCELLED')
    -- Changes nothing, and so returns the row that is there.
    on conflict (order_id) do update set order_id = excluded.order_id
    returning s.status = 'BOOKED' as booked`)
  return rows[0]?.booked ?? false
}

/** In-flight sagas that one look goes through: those that are stuck are among the oldest. */
const OLDEST = 5_000

/**
 * For how many seconds the oldest saga has been stuck: `failed` waits for an operator, `held` for a
 * process that knows it, `retrying` tries or undoes the same step again and again. 0 where there is none.
 */
export async function oldestStuck(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<Record<string, number>>(sql`
    with going as (
      (select id from sagas.saga where status = 'RUNNING' order by id limit ${OLDEST})
       union all
      (select id from sagas.saga where status = 'COMPENSATING' order by id limit ${OLDEST})
    ), since as (
      select (select min(finished_at) from sagas.saga where status = 'FAILED') as failed,
             (select min(held_at) from sagas.saga where held_code is not null) as held,
             (select min(case t.status when 'RETRYING' then t.started_at else t.undo_started_at end)
                from going
                join sagas.saga_step as t on t.saga_id = going.id
               where t.status = 'RETRYING' or t.status = 'UNDOING' and t.undo_attempts > 0) as retrying
    )
    select coalesce(extract(epoch from now() - failed), 0)::float8 as failed,
           coalesce(extract(epoch from now() - held), 0)::float8 as held,
           coalesce(extract(epoch from now() - retrying), 0)::float8 as retrying
      from since`)
  return rows[0] ?? {}
}

export async function insertOrder(
  tx: Transaction,
  order: OrderInput & { readonly sagaId: string },
): Promise<void> {
  await tx.query(sql`
    insert into sagas.orders (id, org_id, saga_id, items, amount, currency)
    values (${order.orderId}, ${order.orgId}, ${order.sagaId}, ${JSON.stringify(order.items)}::jsonb,
            ${order.amount}, ${order.currency})`)
}

const ORDER = sql`
    select o.id, o.saga_id, o.items, o.amount, o.currency, o.created_at,
           s.status as saga_status, s.error_code, s.error as error_message
      from sagas.orders as o
      join sagas.saga as s on s.id = o.saga_id`

export const findOrder = (db: Queryable, { id, orgId }: { id: string; orgId: string }) =>
  first<Order>(db)(sql`${ORDER} where o.id = ${id} and o.org_id = ${orgId}`)

export interface OrderListing {
  readonly orgId: string
  readonly status: string | undefined
  /** Behind this one, in the order of `sort`. */
  readonly before: OrderPlace | null
  readonly sort: string
  readonly limit: number
}

/** Where a page ended: the amount only where that is the order. */
export type OrderPlace = string | readonly [amount: number, id: string]

/** By time, since ids are UUIDv7, or by amount: an index serves each, in both directions. */
export function listOrders(db: Queryable, { orgId, status, before, sort, limit }: OrderListing) {
  const { beyond, order } = directionOf(sort)
  const [amount, id] = typeof before === 'string' ? [null, before] : (before ?? [null, null])
  const [behind, sorted] = /amount$/.test(sort)
    ? [
        sql`(o.amount, o.id) ${beyond} (${amount}::bigint, ${id}::uuid)`,
        sql`o.amount ${order}, o.id ${order}`,
      ]
    : [sql`o.id ${beyond} ${id}::uuid`, sql`o.id ${order}`]
  return all<Order>(db)(sql`
    ${ORDER}
     where o.org_id = ${orgId}
       and (${status ?? null}::text is null
            or s.status = ${status ?? null}
            or s.status = 'COMPENSATING' and ${status ?? null} = 'RUNNING'
            or s.status = 'TERMINATED' and ${status ?? null} = 'FAILED')
       and (${id}::uuid is null or ${behind})
     order by ${sorted}
     limit ${limit}`)
}

/** The order that a saga carries through, as its participants know it. */
export const findOrderOf = (db: Queryable, sagaId: string) =>
  first<Omit<OrderInput, 'items'>>(db)(sql`
    select id as "orderId", org_id as "orgId", amount::float8 as amount, currency
      from sagas.orders where saga_id = ${sagaId}`)

export interface GoodsMove {
  readonly operation: 'order.ship-goods' | 'order.release-goods'
  readonly orderId: string
  readonly orgId: string
  readonly by: string
  readonly reason: string | undefined
}

/** Writes down for the audit what became of an order's goods by an operator's action. */
export async function recordGoods(
  tx: Transaction,
  { operation, orderId, orgId, by, reason = '' }: GoodsMove,
): Promise<void> {
  await tx.query(sql`
    insert into posthorn.operation (operation, outbox, subject, tenant, actor, reason)
    values (${operation}, 'sagas', ${orderId}, ${orgId}, ${by}, ${reason})`)
}
