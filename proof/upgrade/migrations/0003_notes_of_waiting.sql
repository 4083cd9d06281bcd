-- Rows are filled in a later step, so that no lock of an `alter table` is held meanwhile.
update parcels.parcel set note = 'none' where status = 'waiting' and note is null;
