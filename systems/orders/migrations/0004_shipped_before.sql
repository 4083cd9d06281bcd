-- Goods of orders that were complete before 0002 leave now.
with shipped as (
  update sagas.stock_reservation as r
     set status = 'SHIPPED', updated_at = now()
    from sagas.orders as o
    join sagas.saga as s on s.id = o.saga_id
   where r.order_id = o.id and r.status = 'RESERVED' and s.status = 'COMPLETED'
  returning r.org_id, r.items
), gone as (
  select shipped.org_id, i.sku, sum(i.quantity) as quantity
    from shipped
   cross join jsonb_to_recordset(shipped.items) as i (sku text, quantity bigint)
   group by shipped.org_id, i.sku
)
update sagas.stock as k
   set reserved = k.reserved - gone.quantity
  from gone
 where k.org_id = gone.org_id and k.sku = gone.sku;
