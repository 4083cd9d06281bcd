-- A new column has no default, and a new check is not valid yet: neither reads the table.
alter table parcels.parcel
  add column note text,
  add constraint parcel_grams check (grams > 0) not valid;
