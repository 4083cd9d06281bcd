import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** A transition or an operation; what the one does not have is null. */
export interface AuditRow {
  readonly id: string
  readonly operation: string | null
  readonly outbox: string | null
  readonly subject: string
  readonly from_state: string | null
  readonly to_state: string | null
  readonly attempt: number | null
  readonly code: string | null
  readonly error: string | null
  readonly actor: string
  readonly reason: string | null
  readonly tenant: string | null
  readonly at: Date
}

/** What a search is narrowed to; null matches all. */
export interface AuditConditions {
  readonly outbox: string | null
  readonly messageId: string | null
  readonly actor: string | null
  readonly code: string | null
  readonly toState: string | null
  readonly since: Date | null
  readonly until: Date | null
  readonly search: string | null
  readonly tenant: string | null
}

/** A piece of the audit: ids from `from` (included) to `to` (not). */
export interface Stretch {
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** Both kinds with the same columns, to be read as one. */
export const TRANSITION_ENTRY: Statement = sql`
  id, null::text as operation, outbox, message_id as subject, from_state, to_state, attempt, code,
  error, actor, reason, tenant, at`

export const OPERATION_ENTRY: Statement = sql`
  id, operation, outbox, subject, null::text, null::text, null::integer, null::text,
  null::text, actor, reason, tenant, at`

export const ENTRY: Statement = sql`
  id::text as id, operation, outbox, subject, from_state, to_state, attempt, code, error, actor,
  reason, tenant, at`

/**
 * What was found in a stretch, newest first. Conditions that are null disappear when the statement
 * is planned, since it is planned with its values: a message's id and a code go by their indexes.
 */
export function selectEntries(
  kinds: { transitions: boolean; operations: boolean },
  c: AuditConditions,
  { from, to, limit }: Stretch,
): Statement {
  return sql`
    select ${ENTRY}
      from (
        (select ${TRANSITION_ENTRY}
           from posthorn.transition
          where ${kinds.transitions}::boolean
            and id >= ${from}::bigint and id < ${to}::bigint
            and (${c.messageId}::text is null or message_id = ${c.messageId})
            and (${c.code}::text is null or code = ${c.code})
            and (${c.outbox}::text is null or outbox = ${c.outbox})
            and (${c.actor}::text is null or actor = ${c.actor})
            and (${c.toState}::text is null or to_state = ${c.toState})
            and (${c.tenant}::text is null or tenant = ${c.tenant})
            and (${c.since}::timestamptz is null or at >= ${c.since})
            and (${c.until}::timestamptz is null or at < ${c.until})
            and (${c.search}::text is null or strpos(
                  lower(concat_ws(' ', message_id, code, error, actor, reason)), lower(${c.search})) > 0)
          order by transition.id desc
          limit ${limit})
        union all
        (select ${OPERATION_ENTRY}
           from posthorn.operation
          where ${kinds.operations}::boolean
            and id >= ${from}::bigint and id < ${to}::bigint
            and (${c.outbox}::text is null or outbox = ${c.outbox})
            and (${c.actor}::text is null or actor = ${c.actor})
            and (${c.tenant}::text is null or tenant = ${c.tenant})
            and (${c.since}::timestamptz is null or at >= ${c.since})
            and (${c.until}::timestamptz is null or at < ${c.until})
            and (${c.search}::text is null or strpos(
                  lower(concat_ws(' ', operation, subject, actor, reason)), lower(${c.search})) > 0)
          order by operation.id desc
          limit ${limit})
      ) as entry
     order by entry.id desc
     limit ${limit}`
}

/** The first id of all and the one after the last; null while there is none. */
export const selectEdges: Statement = sql`
  select least((select min(id) from posthorn.transition), (select min(id) from posthorn.operation))::text
           as low,
         greatest((select max(id) from posthorn.transition), (select max(id) from posthorn.operation))::text
           as high`

/**
 * Where a time is in the order of ids: behind the last transition before it (`behind`), up to the
 * first one since (`upto`, null if there is none). Ids and times are taken together, so that halving
 * finds it by some thirty looks into the index of ids, and none on times is needed.
 */
export function locateTime(time: Date): Statement {
  return sql`
    with recursive search (low, high) as (
      select coalesce(min(id), 0), coalesce(max(id) + 1, 0) from posthorn.transition
      union all
      select case when probe.at < ${time}::timestamptz then probe.id + 1 else search.low end,
             case when probe.at < ${time}::timestamptz then search.high else half.id end
        from search
       cross join lateral (select (search.low + search.high) / 2 as id) as half
       cross join lateral (
         select t.id, t.at from posthorn.transition as t where t.id >= half.id order by t.id limit 1
       ) as probe
       where search.low < search.high
    )
    select low::text as behind,
           (select min(id) from posthorn.transition where id >= low)::text as upto
      from search
     where low >= high`
}
