/** The statements of one inbox: whole texts, made once from its table's name. */
export interface InboxSql {
  readonly table: string
  readonly receive: string
  readonly seen: string
  readonly receiveAll: string
  readonly seenAll: string
  readonly forget: string
  readonly deleteExpired: string
  readonly deleteOthers: string
}

/** Whether an id is a UUIDv7, whose text sorts by its time. */
export const IS_V7 = `event_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'`

/** How UUIDv7s of the moment `msBefore` milliseconds before `clock` begin: ids below it are older. */
function lowestId(clock: string, msBefore: string): string {
  return `overlay(lpad(to_hex(floor(extract(epoch from ${clock}) * 1000 - ${msBefore})::bigint), 12, '0')
             placing '-' from 9 for 0)`
}

/** `swept` is where expired rows are deleted: the table, or its default partition. */
export function inboxSql(table: string, swept: string): InboxSql {
  return {
    table,
    // $1 consumer, $2 id, $3 retention in ms. The clock is read while the table is locked (hence
    // not now(), which is the transaction's start): a partition dropped before that moment holds
    // only ids that are expired by it, and none can be dropped until this transaction ends.
    receive: `
insert into ${table} (consumer, event_id)
select $1, event_id
  from (select $2::text collate "C" as event_id) as given
 where not (${IS_V7} and event_id < ${lowestId('clock_timestamp()', '$3::float8')})
on conflict (consumer, event_id) do nothing
returning 1`,

    // $1 consumer, $2 id, $3 retention in ms
    seen: `
select exists (select from ${table} where consumer = $1 and event_id = $2) as seen,
       ${IS_V7} and event_id < ${lowestId('clock_timestamp()', '$3::float8')} as expired
  from (select $2::text collate "C" as event_id) as given`,

    // $1 consumer, $2 ids, $3 retention in ms; gives the places of those that are new. In the order
    // of the ids, so that two polls with the same messages wait for each other and never deadlock.
    receiveAll: `
with given as (
  select event_id collate "C" as event_id, min(n)::integer as n
    from unnest($2::text[]) with ordinality as u (event_id, n)
   group by 1
), received as (
  insert into ${table} (consumer, event_id)
  select $1, event_id
    from given
   where not (${IS_V7} and event_id < ${lowestId('clock_timestamp()', '$3::float8')})
   order by event_id
  on conflict (consumer, event_id) do nothing
  returning event_id
)
select n from given join received using (event_id)`,

    // $1 consumer, $2 ids, $3 retention in ms; one row for each id, in their order. A lateral join with
    // a limit looks every id up in the index: "exists" may be planned as a scan of the whole table.
    seenAll: `
select known.found is not null as seen,
       ${IS_V7} and event_id < ${lowestId('clock_timestamp()', '$3::float8')} as expired
  from (select event_id collate "C" as event_id, n
          from unnest($2::text[]) with ordinality as u (event_id, n)) as given
  left join lateral (
         select true as found from ${table} as i
          where i.consumer = $1 and i.event_id = given.event_id
          limit 1) as known on true
 order by n`,

    // $1 consumer, $2 ids
    forget: `
delete from ${table} where consumer = $1 and event_id = any($2::text[])`,

    // $1 retention in ms, $2 rows at the most. now(), since a volatile clock cannot use the index.
    deleteExpired: `
with expired as (
  select event_id, consumer
    from ${swept}
   where event_id < ${lowestId('now()', '$1::float8')}
     and ${IS_V7}
   order by event_id
   limit $2
     for update skip locked
), gone as (
  delete from ${swept} as i
   using expired
   where i.event_id = expired.event_id
     and i.consumer = expired.consumer
  returning 1
)
select count(*)::integer as count from gone`,

    // $1 retention in ms, $2 rows at the most. The same condition as the index "others".
    deleteOthers: `
with expired as (
  select event_id, consumer
    from ${swept}
   where received_at < now() - $1::float8 * interval '1 millisecond'
     and not (${IS_V7})
   order by received_at
   limit $2
     for update skip locked
), gone as (
  delete from ${swept} as i
   using expired
   where i.event_id = expired.event_id
     and i.consumer = expired.consumer
  returning 1
)
select count(*)::integer as count from gone`,
  }
}

/**
 * Makes sure that this transaction cannot commit: the handler failed, and a caller who swallows its
 * error must not keep the inbox row, or the message would count as done.
 */
export const failTransaction = `
do $$ begin raise exception 'the handler of an inbox message failed: nothing may be committed'; end $$`

/** The table's definition; `name` is the table's without its schema. */
export function createInbox(inbox: { table: string; name: string; partitioned: boolean }): string {
  const { table, name } = inbox
  // event_id first: new UUIDv7s go to the right edge of the index, and the expired are its left edge.
  const parent = `create table if not exists ${table} (
  consumer text not null,
  event_id text collate "C" not null,
  received_at timestamptz not null default now(),
  primary key (event_id, consumer)
)`
  const others = `-- Ids that carry no time; nearly empty where all producers use UUIDv7.
create index if not exists ${name}_others on ${table} (received_at)
  where not (${IS_V7});\n`
  if (!inbox.partitioned) return `${parent};\n${others}`
  return `${parent} partition by range (event_id);\n${others}
-- Takes ids of other kinds, and everything if no partition was made in time.
create table if not exists ${table}_default partition of ${table} default;\n`
}
