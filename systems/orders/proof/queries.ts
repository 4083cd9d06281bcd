import { sql, type Queryable } from '@posthorn/engine'
import { listIds, one } from '@posthorn/system'
import { countOf } from '../../../proof/kit/stand/queries.ts'

export interface OrderSums {
  readonly orders: number
  readonly running: number
  readonly failed: number
  readonly completed: number
  readonly compensated: number
  /** Orders whose parts do not fit the end of their saga. */
  readonly torn: number
  /** Complete, and their goods are reserved as if they had not left. */
  readonly unshipped: number
  /** Skus whose reserved count is not what the reservations say. */
  readonly miscounted: number
  readonly openKeys: number
}

export const selectOrderSums = (db: Queryable) =>
  one<OrderSums>(db)(sql`
    with ended as (
      select s.status, r.status as stock, p.status as payment, h.status as shipment
        from sagas.orders as o
        join sagas.saga as s on s.id = o.saga_id
        left join sagas.stock_reservation as r on r.order_id = o.id
        left join sagas.payment as p on p.order_id = o.id
        left join sagas.shipment as h on h.order_id = o.id
    ),
    reserved as (
      select r.org_id, i.item ->> 'sku' as sku, sum((i.item ->> 'quantity')::bigint) as quantity
        from sagas.stock_reservation as r
        cross join lateral jsonb_array_elements(r.items) as i (item)
       where r.status = 'RESERVED'
       group by 1, 2
    )
    select count(*)::int as orders,
           count(*) filter (where status in ('RUNNING', 'COMPENSATING'))::int as running,
           count(*) filter (where status = 'FAILED')::int as failed,
           count(*) filter (where status = 'COMPLETED')::int as completed,
           count(*) filter (where status = 'COMPENSATED')::int as compensated,
           count(*) filter (where case status
             when 'COMPLETED' then (payment, shipment) is distinct from ('CHARGED', 'BOOKED')
                                   or stock is distinct from 'SHIPPED' and stock is distinct from 'RESERVED'
             when 'COMPENSATED' then stock in ('RESERVED', 'SHIPPED') or payment in ('CHARGED', 'CHARGING')
                                     or shipment = 'BOOKED'
           end)::int as torn,
           count(*) filter (where status = 'COMPLETED' and stock = 'RESERVED')::int as unshipped,
           (select count(*)::int from sagas.stock as s
              left join reserved as r using (org_id, sku)
             where s.reserved <> coalesce(r.quantity, 0)) as miscounted,
           (select count(*)::int from sagas.idempotency_keys where locked) as "openKeys"
      from ended`)

export const selectFailedSagas = (db: Queryable) =>
  listIds(db)(sql`
    select id from sagas.saga where status = 'FAILED'`)

/** What the gateway took and gave back for orders, as the sagas know it. */
export async function selectOrderMoney(
  db: Queryable,
): Promise<{ charged: number; refunded: number }> {
  const { rows } = await db.query<{ charged: number; refunded: number }>(sql`
    select coalesce(sum(amount) filter (where gateway_ref is not null), 0)::float8 as charged,
           coalesce(sum(amount) filter (where refund_ref is not null), 0)::float8 as refunded
      from sagas.payment`)
  return rows[0] ?? { charged: 0, refunded: 0 }
}

/** Sagas that have ended, and whose steps tell another story. */
export const countUnexplainedSagas = (db: Queryable) =>
  countOf(db)(sql`
    select count(*)::int as count
      from sagas.saga as s
      left join lateral (
        select count(*) filter (where status in ('COMPLETED', 'SKIPPED')) as done,
               count(*) filter (where status in ('RUNNING', 'WAITING', 'RETRYING', 'UNDOING')) as open
          from sagas.saga_step as t where t.saga_id = s.id) as steps on true
     where (s.status = 'COMPLETED' and steps.done <> cardinality(s.step_names))
        or (s.status in ('COMPLETED', 'COMPENSATED') and steps.open > 0)`)

export const selectOrderIds = (db: Queryable) => listIds(db)(sql`select id from sagas.orders`)

/** What charges of the gateway are for, where they are for orders. */
export async function selectOrderKeys(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ key: string }>(sql`
    select gateway_key as key from sagas.payment`)
  return new Set(rows.map(({ key }) => key))
}
