-- What limits count: messages that are in the hands of a destination, and those that were given to it
-- within a length of time. One row for each claim of a limited outbox.
create table posthorn.permit (
  outbox text not null,
  -- Empty: the limit of the whole outbox.
  key text not null,
  token uuid not null,
  taken int not null,
  taken_at timestamptz not null default clock_timestamp(),
  -- Until then the messages count as under way; renewed with their claim, null once they are settled.
  until timestamptz,
  primary key (outbox, key, token)
);

-- How many of the messages that are wanted for each key may go now, and how long to wait where that was
-- not all. Whoever asks for the same key waits for the other's answer. Real time.
create function posthorn.take_permits(
  outbox text,
  keys text[],
  wanted int[],
  at_once int,
  rate int,
  per interval,
  token uuid,
  lease interval
) returns table (key text, granted int, wait_ms float8)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  asked record;
  counted record;
  room int;
begin
  -- A permit that a crash of Postgres forgets was held by nobody whose connection outlived it.
  perform set_config('synchronous_commit', 'off', true);
  for asked in
    select u.key, u.wanted from unnest(take_permits.keys, take_permits.wanted) as u (key, wanted) order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended('limit ' || take_permits.outbox || ' ' || asked.key, 0));
    delete from posthorn.permit as p
     where p.outbox = take_permits.outbox and p.key = asked.key
       and coalesce(p.until, '-infinity') < clock_timestamp()
       and (take_permits.rate is null or p.taken_at < clock_timestamp() - take_permits.per);
    select coalesce(sum(p.taken) filter (where p.until >= clock_timestamp()), 0)::int as under_way,
           coalesce(sum(p.taken) filter (where p.taken_at >= clock_timestamp() - take_permits.per), 0)::int as given,
           extract(epoch from min(p.taken_at) + take_permits.per - clock_timestamp()) * 1000 as next_ms
      into counted
      from posthorn.permit as p
     where p.outbox = take_permits.outbox and p.key = asked.key;
    room := greatest(0, least(
      asked.wanted,
      take_permits.at_once - counted.under_way,
      take_permits.rate - counted.given));
    if room > 0 then
      insert into posthorn.permit (outbox, key, token, taken, until)
      values (take_permits.outbox, asked.key, take_permits.token, room,
              clock_timestamp() + take_permits.lease);
    end if;
    key := asked.key;
    granted := room;
    wait_ms := case when room < asked.wanted and take_permits.rate - counted.given <= room
                    then greatest(counted.next_ms, 0) end;
    return next;
  end loop;
end
$$;
