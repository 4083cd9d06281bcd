-- Goods that have left are no longer reserved.
alter table sagas.stock_reservation
  drop constraint stock_reservation_status_check,
  add constraint stock_reservation_status_check
    check (status in ('RESERVED', 'REFUSED', 'RELEASED', 'SHIPPED')) not valid;
