import { sql, type Queryable } from '@posthorn/engine'
import { OUT_OF_STOCK } from '../order.ts'

/** Skus whose reserved stock is not what the reservations that stand say, or of which some came or went unseen. */
export async function selectWrongStock(db: Queryable, opening: number): Promise<object[]> {
  const { rows } = await db.query(sql`
    select s.org_id, s.sku, s.available, s.reserved,
           coalesce(sum(i.quantity) filter (where r.status = 'RESERVED'), 0) as held,
           coalesce(sum(i.quantity) filter (where r.status = 'SHIPPED'), 0) as shipped
      from sagas.stock as s
      left join sagas.stock_reservation as r on r.org_id = s.org_id and r.status in ('RESERVED', 'SHIPPED')
      left join lateral jsonb_to_recordset(r.items) as i (sku text, quantity bigint) on i.sku = s.sku
     group by s.org_id, s.sku
    having s.reserved <> coalesce(sum(i.quantity) filter (where r.status = 'RESERVED'), 0)
        or s.available + s.reserved + coalesce(sum(i.quantity) filter (where r.status = 'SHIPPED'), 0) <> case when s.sku = ${OUT_OF_STOCK} then 0 else ${opening}::bigint end`)
  return rows
}
