-- A bucket's row is written twice for each run. While a transaction is held open elsewhere none of its versions
-- can be cleaned away, and relays that looked for the row by its name passed over all of them. The newest version
-- has the highest run: with the run in the index it is the first one that is found, however many lie behind it.
-- A unique index on the name alone would be walked by every write that is not a HOT update, so there is none;
-- that a bucket has one row is the trigger's.
alter table posthorn.bucket drop constraint bucket_pkey;
-- locks: 64 rows for each ordered outbox
create unique index bucket_run on posthorn.bucket (bucket, outbox, run);

-- Few rows on a page: the more pages, the sooner the planner takes the index.
alter table posthorn.bucket set (fillfactor = 10);

-- Relays that start at the same time make the rows of an outbox one after the other, and only once.
create function posthorn.make_bucket_once() returns trigger
  language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.bucket ' || new.outbox, 0));
  if exists (select from posthorn.bucket where outbox = new.outbox and bucket = new.bucket) then
    return null;
  end if;
  return new;
end
$$;
create trigger once before insert on posthorn.bucket
  for each row execute function posthorn.make_bucket_once();
