-- concurrently
create index concurrently if not exists parcel_by_status on parcels.parcel (org_id, status, id);
create index concurrently if not exists scan_by_parcel on parcels.scan (parcel_id, scanned_at);
alter table parcels.parcel validate constraint parcel_grams;
