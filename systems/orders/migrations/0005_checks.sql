-- concurrently
alter table sagas.stock_reservation validate constraint stock_reservation_status_check;
