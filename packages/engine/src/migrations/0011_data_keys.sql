-- Keys that payloads are encrypted with, one or more for each tenant, themselves encrypted by a master
-- key that is never in the database.
create table posthorn.data_key (
  id uuid primary key,
  -- Empty for messages that are no tenant's.
  tenant text not null default '',
  -- Which master key it is wrapped with.
  master text,
  -- Null once it is destroyed: what was encrypted with it cannot be read again, by anyone.
  wrapped bytea,
  created_at timestamptz not null default clock_timestamp(),
  destroyed_at timestamptz,
  destroyed_by text,
  check ((wrapped is null) = (destroyed_at is not null)),
  check ((wrapped is null) = (master is null)),
  check ((destroyed_at is null) = (destroyed_by is null))
);

-- The newest of a tenant encrypts what is written now.
create index data_key_newest on posthorn.data_key (tenant, created_at desc, id desc)
  where wrapped is not null;
