import type { State } from '../definition.ts'
import type { Shape } from '../statements.ts'
import { BUCKETS } from './bucket.ts'
import { waiting } from './claim.ts'
import type { Prepared } from './prepared.ts'
import { anyOf, literal, prepare } from './prepared.ts'

/** Up to this many rows a table is counted by reading it; beyond, what is finished is estimated. */
export const SMALL_TABLE = 200_000

/** What the statement answers with; `stats.ts` makes words of it. */
export interface StatsRow {
  /** Exact counts of the states that have a partial index. */
  readonly live: Record<string, number>
  /** Exact counts of the others; null in a large table. */
  readonly finished: Record<string, number> | null
  /** Exact counts of what is quarantined; null in a large table without an index for it. */
  readonly quarantined: Record<string, number> | null
  /** All rows, estimated. */
  readonly rows: number
  /** Which part of the rows is in a state, as the last ANALYZE saw it; null in a small table. */
  readonly shares: Record<string, number> | null
  readonly oldest_due: number
  readonly delivered: number
  readonly failed: number
  readonly relays: number
  readonly paused: boolean
  readonly held_keys: number
  readonly blocked_keys: number
}

/** States that are found by a partial index, however many rows are finished. */
export function liveStates({ states, confirmWithinMs }: Shape): State[] {
  const { ready, retry, claimed, sent, dead } = states
  const found = [ready, retry, claimed, confirmWithinMs === undefined ? undefined : sent, dead]
  return unique(found)
}

/** States that only reading the table can count. */
export function finishedStates(shape: Shape): State[] {
  const { sent, confirmed, failing, cancelled } = shape.states
  const live = liveStates(shape)
  return unique([sent, confirmed, failing, cancelled]).filter((state) => !live.includes(state))
}

function unique(states: readonly (State | undefined)[]): State[] {
  return [...new Set(states.filter((state) => state !== undefined))]
}

/**
 * All numbers of one outbox. A subquery inside `case` runs only if its branch is taken: with ten
 * million finished rows nothing here reads the table from end to end.
 */
export function selectStats(shape: Shape): Prepared {
  const { name, table, columns } = shape
  const live = liveConditions(shape).map((condition) => counted(shape, condition))
  const small = `(select rows from size) < ${SMALL_TABLE}`
  return prepare(
    () => `with size as (
  -- As the planner does it: rows a page, as last seen, times the pages there are now. A table
  -- that was never analysed is taken to have 60 rows on a page.
  select pg_relation_size(oid) / current_setting('block_size')::float8
         * case when reltuples >= 0 and relpages > 0 then reltuples / relpages else 60 end as rows
    from pg_class
   where oid = '${table}'::regclass
)
select (select coalesce(jsonb_object_agg(state, n), '{}')
          from (select state, sum(n) as n
                  from (${live.join('\n                        union all\n                        ')}) as each
                 group by state) as live) as live,
       case when ${small}
         then ${asObject(counted(shape, anyOf(columns.status, finishedStates(shape))))}
       end as finished,
       ${quarantined(shape, small)} as quarantined,
       (select rows from size) as rows,
       case when not ${small}
         then (select coalesce(jsonb_object_agg(state, share), '{}')
                 from pg_stats,
                      unnest(most_common_vals::text::text[], most_common_freqs) as seen (state, share)
                where schemaname = '${table.split('.')[0]}' and tablename = '${table.split('.')[1]}'
                  and attname = '${columns.status}' and not inherited)
       end as shares,
       coalesce(greatest(0, extract(epoch from posthorn.now() - ${oldestDue(shape)})), 0)::float8
         as oldest_due,
       pulse.delivered, pulse.failed,
       (select count(*)::int from posthorn.relay
         where outbox = '${name}' and seen_at > now() - interval '15 s') as relays,
       exists (select from posthorn.pause where outbox = '${name}') as paused,
       held.held_keys, held.blocked_keys
  from (${lastMinute(shape)}) as pulse,
       (select count(due_at)::int as held_keys, (count(*) - count(due_at))::int as blocked_keys
          from posthorn.held_key
         where outbox = '${name}') as held`,
  )
}

/** One condition for each partial index, so that the planner need not guess. */
function liveConditions(shape: Shape): string[] {
  const { columns, states, order } = shape
  const { ready, retry } = states
  const waits = order
    ? [`${waiting(shape)} and not held`, `held and ${waiting(shape)}`]
    : [waiting(shape)]
  const others = liveStates(shape).filter((state) => state !== ready && state !== retry)
  return [...waits, ...others.map((state) => `${columns.status} = ${literal(state)}`)]
}

function counted({ table, columns }: Shape, condition: string): string {
  return `select ${columns.status}::text as state, count(*) as n from ${table} where ${condition} group by ${columns.status}`
}

function asObject(rows: string): string {
  return `(select coalesce(jsonb_object_agg(state, n), '{}') from (${rows}) as counted)`
}

/** Where messages are never dead, a bad one stays in its state and is set aside by a column. */
function quarantined(shape: Shape, small: string): string {
  const { table, retry, columns, states } = shape
  if (retry.attempts !== undefined) return `'{}'::jsonb`
  const word = anyOf(columns.status, [states.ready, states.retry])
  return `case when ${small} or exists (
         select from pg_index
          where indrelid = '${table}'::regclass
            and pg_get_expr(indpred, indrelid) like '%(quarantined_at IS NOT NULL)%')
         then ${asObject(counted(shape, `${word} and quarantined_at is not null`))}
       end`
}

/** When the message that waits longest became due; nobody has taken it. */
function oldestDue(shape: Shape): string {
  const { name, table, columns, order } = shape
  if (!order) {
    return `(
         select ${columns.dueAt} from ${table}
          where ${waiting(shape)} and ${columns.dueAt} <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
          order by ${columns.dueAt} limit 1)`
  }
  // The first few of each bucket's flow that are not in flight, and each bucket's first key.
  return `(
         select min(due_at)
           from generate_series(0, ${BUCKETS - 1}) as number
           left join posthorn.bucket as b on b.outbox = '${name}' and b.bucket = number
          cross join lateral (
            (select ${columns.dueAt} as due_at from ${table}
              where bucket = number and ${waiting(shape)} and not held
                and seq > case when b.until > now() and b.run_key is null then coalesce(b.run_upto, 0) else 0 end
              order by seq limit 10)
            union all
            (select due_at from posthorn.held_key
              where outbox = '${name}' and bucket = number and due_at is not null
              order by due_at limit 1)) as head
          where due_at <= posthorn.now())`
}

/**
 * Relays write into a row a minute. The last sixty seconds are this minute and as much of the one
 * before as is missing, taken to have been even.
 */
function lastMinute({ name }: Shape): string {
  return `select coalesce(sum(delivered * part), 0)::float8 as delivered,
               coalesce(sum((failed + dead) * part), 0)::float8 as failed
          from (select delivered, failed, dead,
                       case when at = date_trunc('minute', now()) then 1
                            else 1 - extract(second from now()) / 60 end as part
                  from posthorn.pulse
                 where outbox = '${name}'
                   and at >= date_trunc('minute', now()) - interval '1 minute') as minutes`
}
