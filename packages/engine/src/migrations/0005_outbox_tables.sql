-- Which table an outbox's name belongs to: leases, held keys, pauses and transitions go by the name,
-- so two applications that used one name for two tables would each deliver a part of both.
create table posthorn.outbox (
  name text primary key,
  table_name text not null,
  since timestamptz not null default now()
);
