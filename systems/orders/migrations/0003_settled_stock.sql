-- Goods of orders that an operator ended, or whose last step an operator skipped, are no longer
-- reserved. Those of such orders of before leave the stock, or go back to it, now.
with settled as (
  update sagas.stock_reservation as r
     set status = case when s.status = 'COMPLETED' or h.status is not distinct from 'BOOKED'
                       then 'SHIPPED' else 'RELEASED' end,
         updated_at = now()
    from sagas.orders as o
    join sagas.saga as s on s.id = o.saga_id
    left join sagas.shipment as h on h.order_id = o.id
   where r.order_id = o.id and r.status = 'RESERVED'
     and s.status in ('COMPLETED', 'COMPENSATED', 'TERMINATED')
  returning r.org_id, r.items, r.status
), moved as (
  select settled.org_id, i.sku, sum(i.quantity) as quantity,
         coalesce(sum(i.quantity) filter (where settled.status = 'RELEASED'), 0) as back
    from settled
   cross join jsonb_to_recordset(settled.items) as i (sku text, quantity bigint)
   group by settled.org_id, i.sku
)
update sagas.stock as k
   set reserved = k.reserved - moved.quantity, available = k.available + moved.back
  from moved
 where k.org_id = moved.org_id and k.sku = moved.sku;
