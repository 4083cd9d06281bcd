-- concurrently
-- Lists of orders are sorted by amount, in both directions.
create index concurrently if not exists orders_by_amount on sagas.orders (org_id, amount, id);
