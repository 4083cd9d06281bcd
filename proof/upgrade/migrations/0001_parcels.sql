-- Tables of nobody: `npm run upgrade -- --locks` fills them, and the files below change them while they
-- are written to. Each file is an example of one kind of step.
create schema parcels;

create table parcels.parcel (
  id bigint primary key,
  org_id text not null,
  status text not null,
  grams integer not null
);

create table parcels.scan (
  parcel_id bigint not null,
  place text not null,
  scanned_at timestamptz not null default now()
);
