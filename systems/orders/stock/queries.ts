import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { first, some } from '@posthorn/system'
import type { Item, OrderInput, OrderKey } from '../order.ts'

export type Reservation = Pick<OrderInput, 'orderId' | 'orgId' | 'items'>

export interface ReservationRow {
  readonly status: 'RESERVED' | 'REFUSED' | 'RELEASED' | 'SHIPPED'
  readonly missing: string | null
}

/** False: the order has a reservation, in any state. */
export const insertReservation = (tx: Transaction, { orderId, orgId, items }: Reservation) =>
  some(tx)(sql`
    insert into sagas.stock_reservation (order_id, org_id, status, items)
    values (${orderId}, ${orgId}, 'RESERVED', ${JSON.stringify(items)}::jsonb)
    on conflict (order_id) do nothing
    returning order_id`)

export const findReservation = (db: Queryable, orderId: string) =>
  first<ReservationRow>(db)(sql`
    select status, missing from sagas.stock_reservation where order_id = ${orderId}`)

export async function refuseReservation(
  tx: Transaction,
  orderId: string,
  missing: string,
): Promise<void> {
  await tx.query(sql`
    update sagas.stock_reservation
       set status = 'REFUSED', missing = ${missing}, updated_at = now()
     where order_id = ${orderId} and status = 'RESERVED'`)
}

/**
 * Ends a reservation, or the chance of one; returns the goods that it held. A command that comes later
 * finds the row.
 */
export async function endReservation(
  tx: Transaction,
  { orderId, orgId }: OrderKey,
  to: Extract<ReservationRow['status'], 'RELEASED' | 'SHIPPED'>,
): Promise<readonly Item[]> {
  const { rows } = await tx.query<{ items: readonly Item[] }>(sql`
    insert into sagas.stock_reservation as r (order_id, org_id, status, items)
    values (${orderId}, ${orgId}, ${to}, '[]')
    on conflict (order_id) do update set status = excluded.status, updated_at = now()
     where r.status = 'RESERVED'
    returning items`)
  return rows[0]?.items ?? []
}

/** Takes back goods that have left; returns them. */
export async function recallReservation(
  tx: Transaction,
  orderId: string,
): Promise<readonly Item[]> {
  const { rows } = await tx.query<{ items: readonly Item[] }>(sql`
    update sagas.stock_reservation set status = 'RELEASED', updated_at = now()
     where order_id = ${orderId} and status = 'SHIPPED'
    returning items`)
  return rows[0]?.items ?? []
}

export interface Opening {
  readonly orgId: string
  readonly items: readonly Item[]
  /** How much there is of a new sku. */
  readonly opening: number
  /** The sku of which there is nothing. */
  readonly never: string
}

export async function openStock(tx: Transaction, { orgId, items, opening, never }: Opening) {
  await tx.query(sql`
    insert into sagas.stock (org_id, sku, available)
    select ${orgId}, sku, case when sku = ${never} then 0 else ${opening}::bigint end
      from unnest(${items.map(({ sku }) => sku)}::text[]) as sku
     order by sku
    on conflict (org_id, sku) do nothing`)
}

/** Locked in the order of their skus: two orders for the same things cannot wait for each other. */
export async function lockStock(
  tx: Transaction,
  orgId: string,
  items: readonly Item[],
): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ sku: string; available: string }>(sql`
    select sku, available
      from sagas.stock
     where org_id = ${orgId} and sku = any(${items.map(({ sku }) => sku)}::text[])
     order by sku
       for update`)
  return new Map(rows.map(({ sku, available }) => [sku, Number(available)]))
}

/** How the stock of these items changes, for each piece. */
export interface StockChange {
  readonly orgId: string
  readonly items: readonly Item[]
  readonly available: -1 | 0 | 1
  readonly reserved: -1 | 0 | 1
}

/** The stock is locked. */
export async function changeStock(
  tx: Transaction,
  { orgId, items, available, reserved }: StockChange,
): Promise<void> {
  await tx.query(sql`
    update sagas.stock as s
       set available = s.available + ${available} * i.quantity,
           reserved = s.reserved + ${reserved} * i.quantity
      from unnest(${items.map(({ sku }) => sku)}::text[],
                  ${items.map(({ quantity }) => quantity)}::bigint[]) as i (sku, quantity)
     where s.org_id = ${orgId} and s.sku = i.sku`)
}
