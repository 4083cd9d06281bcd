import { sql, type Transaction } from '@posthorn/engine'

export interface ShipmentKey {
  readonly orderId: string
  readonly orgId: string
}

export interface ShipmentRow {
  readonly status: 'BOOKED' | 'CANCELLED'
  readonly tracking_code: string | null
}

/** Books, or finds what became of the booking. */
export async function bookShipment(
  tx: Transaction,
  { orderId, orgId }: ShipmentKey,
  trackingCode: string,
): Promise<ShipmentRow> {
  const { rows } = await tx.query<ShipmentRow>(sql`
    insert into sagas.shipment (order_id, org_id, status, tracking_code)
    values (${orderId}, ${orgId}, 'BOOKED', ${trackingCode})
    -- Changes nothing, and so returns the row that is there.
    on conflict (order_id) do update set order_id = excluded.order_id
    returning status, tracking_code`)
  return rows[0] as ShipmentRow
}

/** Cancels a shipment, or the chance of one: a command that comes later finds it. True if one was booked. */
export async function cancelShipment(
  tx: Transaction,
  { orderId, orgId }: ShipmentKey,
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
  { orderId, orgId }: ShipmentKey,
): Promise<boolean> {
  const { rows } = await tx.query<{ booked: boolean }>(sql`
    insert into sagas.shipment as s (order_id, org_id, status)
    values (${orderId}, ${orgId}, 'CANCELLED')
    -- Changes nothing, and so returns the row that is there.
    on conflict (order_id) do update set order_id = excluded.order_id
    returning s.status = 'BOOKED' as booked`)
  return rows[0]?.booked ?? false
}
