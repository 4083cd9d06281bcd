import { ENTRY, OPERATION_ENTRY, TRANSITION_ENTRY } from '../audit/audit.sql.ts'
import { sql, type Statement } from '@posthorn/engine'

/** Entries whose ids are in some ranges, the lowest first. */
export function selectRanges(
  lows: readonly string[],
  highs: readonly string[],
  limit: number,
): Statement {
  return sql`
    select ${ENTRY}
      from unnest(${lows}::bigint[], ${highs}::bigint[]) as wanted (low, high)
     cross join lateral (
       (select ${TRANSITION_ENTRY}
          from posthorn.transition
         where id >= wanted.low and id <= wanted.high
         order by transition.id
         limit ${limit})
       union all
       (select ${OPERATION_ENTRY}
          from posthorn.operation
         where id >= wanted.low and id <= wanted.high
         order by operation.id
         limit ${limit})
     ) as entry
     order by entry.id
     limit ${limit}`
}

/** The last id that was given out, whether its transaction is over or not. */
export const selectLastId: Statement = sql`select last_value::text as id from posthorn.transition_id`

/** The server that answers, by the time of its start; its clock, and the last id that it has given out. */
export const selectServer: Statement = sql`
  select extract(epoch from pg_postmaster_start_time())::text as server, clock_timestamp() as at,
         (select last_value from posthorn.transition_id)::text as id`

/** Ids from one on whose entries were written later than that. */
export function selectIdsWritten(id: string, after: Date): Statement {
  return sql`
    select id::text as id from posthorn.transition where id >= ${id}::bigint and at > ${after}
    union all
    select id::text from posthorn.operation where id >= ${id}::bigint and at > ${after}`
}

export function selectIdsSince(id: string): Statement {
  return sql`
    select id::text as id from posthorn.transition where id >= ${id}::bigint
    union all
    select id::text from posthorn.operation where id >= ${id}::bigint`
}

/**
 * Transactions that may have entries which are not visible yet. A writer of a table holds this
 * lock on it from before its first id is taken until after its rows can be seen. So a transaction
 * that has written nothing here is not waited for, however long it is open.
 */
export const selectWriters: Statement = sql`
  select distinct virtualtransaction as writer
    from pg_locks
   where locktype = 'relation' and mode = 'RowExclusiveLock'
     and database = (select oid from pg_database where datname = current_database())
     and relation in ('posthorn.transition'::regclass, 'posthorn.operation'::regclass)`

/** The channel of all announcements, each a JSON object. */
const ANNOUNCEMENT_CHANNEL = 'posthorn_news'

export const listenForNews: Statement = sql`listen ${sql.id(ANNOUNCEMENT_CHANNEL)}`

export function notifyNews(payload: string): Statement {
  return sql`select pg_notify(${ANNOUNCEMENT_CHANNEL}, ${payload}::text)`
}
