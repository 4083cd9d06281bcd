import type { ErrorCode } from '../errors.ts'
import type { State } from '../outbox/definition.ts'
import { bare, bareTable, beside, schemaOf } from '../database/sql-names.ts'
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import type { OpenBreaker } from '../relay/attempt/breaker.ts'
import type { PaceFigures } from '../relay/session/session.sql.ts'
import { BUCKETS, newestBuckets } from '../relay/settle/bucket.sql.ts'
import { waitsCondition, anyOf, literal } from '../outbox/clauses.sql.ts'
import { undoneSql } from '../relay/log/log-moves.sql.ts'
import { stalledSince } from './watchdog.sql.ts'
import { prepare, type Prepared } from '../database/prepared.ts'

/** Up to this many rows a table is counted by reading it; beyond, what is finished is estimated. */
export const SMALL_TABLE = 200_000

/** Rows that are looked at to count what one partial index finds: some milliseconds' worth. */
export const MOST_COUNTED = 5_000

/** What the statement answers with; `stats.ts` makes words of it. */
export interface StatsRow {
  /** Counts of what the partial indexes find, up to `MOST_COUNTED` and one by each. */
  readonly live: readonly LiveCount[]
  /** How many rows each index has, as last seen by VACUUM or ANALYZE. */
  readonly indexed: Record<string, number>
  /** How many waited when that was last counted, in the last three minutes; null if it was not. */
  readonly sampled: number | null
  /** Exact counts of the others; null in a large table. */
  readonly finished: Record<string, number> | null
  /** Exact counts of what is quarantined; null in a large table without an index for it. */
  readonly quarantined: Record<string, number> | null
  /** All rows, estimated. */
  readonly rows: number
  /** Which part of the rows is in a state, as the last ANALYZE saw it; null in a small table. */
  readonly shares: Record<string, number> | null
  readonly oldest_due: number
  /** Since when the one that has been dead longest is; null if none is. */
  readonly dead_since: Date | null
  readonly delivered: number
  readonly failed: number
  readonly alive: readonly AliveRow[]
  readonly paused: boolean
  readonly stalled_since: Date | null
  readonly held_keys: number
  readonly blocked_keys: number
}

/** A relay that was heard of in the last 15 s; times are text, as JSON has them. */
interface AliveRow {
  readonly relay: string
  readonly version: string | null
  readonly started_at: string
  readonly seen_at: string
  readonly breakers: readonly OpenBreaker[]
  readonly pace: Partial<PaceFigures>
  readonly lag_ms: number
}

export interface LiveCount {
  readonly index: string
  /** Whether it finds what waits. */
  readonly waits: boolean
  readonly state: string
  readonly n: number
  /** Of those, what waits and is due … */
  readonly due: number
  /** … what waits for its next attempt after one that failed … */
  readonly retrying: number
  /** … and what was claimed and not tried. */
  readonly postponed: number
  /** Real seconds since the oldest that should be delivered was written; null if there is none. */
  readonly oldest: number | null
}

/** States that are found by a partial index, however many rows are finished. */
export function liveStates({ states, confirmWithinMs }: ResolvedDefinition): State[] {
  const { ready, retry, claimed, sent, dead } = states
  const found = [ready, retry, claimed, confirmWithinMs === undefined ? undefined : sent, dead]
  return unique(found)
}

/** States that only reading the table can count. */
export function finishedStates(definition: ResolvedDefinition): State[] {
  const { sent, confirmed, failing, cancelled } = definition.states
  const live = liveStates(definition)
  return unique([sent, confirmed, failing, cancelled]).filter((state) => !live.includes(state))
}

function unique(states: readonly (State | undefined)[]): State[] {
  return [...new Set(states.filter((state) => state !== undefined))]
}

/**
 * All numbers of one outbox. A subquery inside `case` runs only if its branch is taken: with ten
 * million finished rows nothing here reads the table from end to end.
 */
export function selectStats(definition: ResolvedDefinition): Prepared {
  const { name, table, columns } = definition
  const searches = liveSearches(definition)
  const live = searches.map((search) => countSql(definition, search))
  const small = `(select rows from size) < ${SMALL_TABLE}`
  const indexes = searches.map(({ index }) => `'${beside(table, `_${index}`)}'`)
  return prepare(
    () => `with size as (
  -- As the planner does it: rows a page, as last seen, times the pages there are now. A table
  -- that was never analysed is taken to have 60 rows on a page.
  select pg_relation_size(oid) / current_setting('block_size')::float8
         * case when reltuples >= 0 and relpages > 0 then reltuples / relpages else 60 end as rows
    from pg_class
   where oid = '${table}'::regclass
)
select (select coalesce(jsonb_agg(to_jsonb(each)), '[]')
          from (${live.join('\n                union all\n                ')}) as each) as live,
       (select coalesce(jsonb_object_agg(relname, greatest(reltuples, 0)), '{}')
          from pg_class
         where oid in (${indexes.map((index) => `to_regclass(${index})`).join(', ')})) as indexed,
       sample.waiting::float8 as sampled,
       case when ${small}
         then ${asObject(groupSql(definition, anyOf(columns.status, finishedStates(definition))))}
       end as finished,
       ${quarantineSql(definition, small)} as quarantined,
       (select rows from size) as rows,
       case when not ${small}
         then (select coalesce(jsonb_object_agg(state, share), '{}')
                 from pg_stats,
                      unnest(most_common_vals::text::text[], most_common_freqs) as seen (state, share)
                where schemaname = '${bare(schemaOf(table))}' and tablename = '${bareTable(table)}'
                  and attname = '${bare(columns.status)}' and not inherited)
       end as shares,
       coalesce(greatest(0, extract(epoch from posthorn.now() - ${oldestDue(definition)})), 0)::float8
         as oldest_due,
       ${deadSince(definition)} as dead_since,
       pulse.delivered, pulse.failed,
       (select coalesce(jsonb_agg(to_jsonb(r) order by started_at, relay), '[]') from posthorn.relay as r
         where outbox = '${name}' and seen_at > now() - interval '15 s') as alive,
       exists (select from posthorn.pause where outbox = '${name}') as paused,
       (${stalledSince(definition)}) as stalled_since,
       held.held_keys, held.blocked_keys
  from (${lastMinute(definition)}) as pulse,
       (select count(due_at)::int as held_keys, (count(*) - count(due_at))::int as blocked_keys
          from posthorn.held_key
         where outbox = '${name}') as held
  left join lateral (
    select waiting from posthorn.sample
     where outbox = '${name}' and at > now() - interval '3 minutes' and waiting is not null
     order by at desc limit 1) as sample on true`,
  )
}

/** The same counts without a bound, for a table that is small enough to be read. */
export function selectLive(definition: ResolvedDefinition): Prepared {
  const live = liveSearches(definition).map((search) =>
    countSql(definition, { ...search, limit: '' }),
  )
  return prepare(() => live.join('\nunion all\n'))
}

/** Rows that are looked at, once a minute, to see what part of them is tried again. */
const MOST_SAMPLED = 20_000

/** What the first of those that wait are like, and what is claimed. */
export function selectKinds(definition: ResolvedDefinition): Prepared {
  const { claimed } = definition.states
  const kinds = liveSearches(definition)
    .filter(({ waits, state }) => waits || (claimed !== undefined && state === claimed))
    .map((search) => countSql(definition, { ...search, limit: `limit ${MOST_SAMPLED}` }))
  return prepare(() => kinds.join('\nunion all\n'))
}

/** How much waits and since when, however much that is; to be run where scans are switched off. */
export function selectWaiting(definition: ResolvedDefinition): Prepared {
  const { columns } = definition
  return prepare(
    () => `select sum(n)::float8 as waiting, sum(due)::float8 as due, min(oldest) as oldest_due_at
  from (${liveSearches(definition)
    .filter(({ waits }) => waits)
    .map(
      ({ where }) => `select count(*) as n,
               count(*) filter (where ${columns.dueAt} <= (select posthorn.now())) as due,
               min(${columns.dueAt}) as oldest
          from ${definition.table}
         where ${where}`,
    )
    .concat(definition.log === undefined ? [] : [waitingInLog(definition)])
    .join('\n        union all\n        ')}) as each`,
  )
}

/** Outboxes that are to be sampled: something waits, or did when they were last looked at, or is wrong. */
export function selectStirring(definitions: readonly ResolvedDefinition[]): Prepared {
  const branches = definitions.map((definition) => {
    const { name, table, log } = definition
    const waits = liveSearches(definition)
      .filter((search) => search.waits)
      .map(({ where }) => `exists (select from ${table} where ${where})`)
    if (log !== undefined) {
      waits.push(`exists (select from (${undoneSql(definition, 'm.seq', 'limit 1')}) as logged)`)
    }
    return `select '${name}' as outbox
 where ${waits.join('\n    or ')}
    or exists (select from posthorn.watch where outbox = '${name}')
    or exists (select from posthorn.alert where source = '${name}' and recovered_at is null
                  and code in ('OUTBOX_STALLED', 'OUTBOX_BEHIND', 'MESSAGE_STUCK'))
    or (select waiting from posthorn.sample where outbox = '${name}' order by at desc limit 1)
       is distinct from 0`
  })
  return prepare(() => branches.join('\nunion all\n'))
}

function waitingInLog(definition: ResolvedDefinition): string {
  return `select count(*), count(*) filter (where due_at <= (select posthorn.now())), min(due_at)
          from (${undoneSql(definition, `m.${definition.columns.dueAt} as due_at`, '')}) as undone`
}

/** What one partial index finds. */
interface Search {
  readonly index: string
  readonly where: string
  /** The index's own order: a planner that must keep it has no reason to read the whole table. */
  readonly order: string
  readonly waits: boolean
  /** The one state that it finds, where it is one that does not wait. */
  readonly state?: State
  readonly limit?: string
}

/** One search for each partial index, so that the planner need not guess. */
function liveSearches(definition: ResolvedDefinition): Search[] {
  const { columns, states, order, fair } = definition
  const { dueAt, id } = columns
  const isWaiting = waitsCondition(definition)
  const due = `${fair ? `${fair.by}, ` : ''}${dueAt}, ${id}`
  const waits: Omit<Search, 'waits'>[] = order
    ? [
        { index: 'flow', where: `${isWaiting} and not held`, order: 'bucket, seq' },
        { index: 'held', where: `held and ${isWaiting}`, order: `(${order.key}::text), seq` },
      ]
    : [{ index: 'due', where: isWaiting, order: due }]
  const orders = new Map<State | undefined, [index: string, order: string]>([
    [states.dead, ['dead', columns.createdAt ?? id]],
    [states.sent, ['sent', columns.sentAt ?? id]],
    [states.claimed, ['claimed', 'claimed_until']],
  ])
  const others = liveStates(definition)
    .filter((state) => state !== states.ready && state !== states.retry)
    .map((state) => {
      const [index, by] = orders.get(state) ?? ['', id]
      const where = `${columns.status} = ${literal(state)}`
      return { index, where, order: by, waits: false, state }
    })
  return [...waits.map((search) => ({ ...search, waits: true })), ...others]
}

function countSql(definition: ResolvedDefinition, search: Search): string {
  const { table, columns, states } = definition
  const { index, where, order, waits, limit = `limit ${MOST_COUNTED + 1}` } = search
  const isClaimed = states.claimed !== undefined && search.state === states.claimed
  const due = waits ? `${columns.dueAt} <= (select posthorn.now())` : 'false'
  const failed = waits ? failedCondition(definition) : String(isClaimed)
  const postponed = waits ? postponedCondition(definition) : 'false'
  const written = columns.createdAt === undefined ? 'null' : columns.createdAt
  return `select '${bareTable(table)}_${index}' as index, ${waits} as waits, state, count(*)::int as n, count(*) filter (where due)::int as due,
                       count(*) filter (where ${waits} and failed and not due)::int as retrying,
                       count(*) filter (where postponed and not due)::int as postponed,
                       extract(epoch from now() - min(written::timestamptz) filter (where due or failed or postponed))::float8 as oldest
                  from (select ${columns.status}::text as state, ${due} as due, ${failed} as failed, ${postponed} as postponed, ${written} as written
                          from ${table}
                         where ${where}
                         order by ${order} ${limit}) as found
                 group by state`
}

/** Codes of the engine with which a message waits although nobody tried it. */
const NOT_TRIED: readonly ErrorCode[] = ['BREAKER_OPEN', 'HELD_BACK', 'PAYLOAD_KEY_MISSING']

/** Whether an attempt was counted: then the message is tried again, whatever keeps it waiting now. */
function countedCondition({ columns, counter, states }: ResolvedDefinition): string {
  const counted = `${counter.column} > 0`
  if (states.retry === undefined || states.retry === states.ready) return counted
  return `${counted} or ${columns.status} = ${literal(states.retry)}`
}

/**
 * Whether a message that waits was claimed and not tried. Where every failed attempt is counted, whatever left an
 * error without a count was not tried; elsewhere the code says it.
 */
export function postponedCondition(definition: ResolvedDefinition): string {
  const { columns, counter } = definition
  const { errorCode } = columns
  const isCounted = counter.unreachable === 'charged' && counter.bumps !== 'on-retry-claim'
  const codes = NOT_TRIED.map((code) => `'${code}'`).join(', ')
  const says = errorCode === undefined ? 'false' : `coalesce(${errorCode} in (${codes}), false)`
  return `(not (${countedCondition(definition)}) and ${isCounted ? leftError(definition) : says})`
}

/** Whether the last attempt failed: one that could not reach its destination may not be counted, but leaves its error. */
export function failedCondition(definition: ResolvedDefinition): string {
  const untold = `${leftError(definition)} and not ${postponedCondition(definition)}`
  return `(${countedCondition(definition)} or ${untold})`
}

function leftError({ columns }: ResolvedDefinition): string {
  const left = [columns.errorCode, columns.error].filter((column) => column !== undefined)
  return `(${left.map((column) => `${column} is not null`).join(' or ') || 'false'})`
}

/** Dead ones that are looked at to say since when there are any. */
const MOST_DEAD = 20

/** When the first of the oldest died, by its transitions; where none is kept, when it was written. */
function deadSince({ name, table, columns, states }: ResolvedDefinition): string {
  if (states.dead === undefined) return 'null::timestamptz'
  const written = columns.createdAt === undefined ? 'null' : columns.createdAt
  return `(
         select min(coalesce(died.at, d.written::timestamptz))
           from (select ${columns.id}::text as id, ${written} as written from ${table}
                  where ${columns.status} = ${literal(states.dead)}
                  order by ${columns.createdAt ?? columns.id} limit ${MOST_DEAD}) as d
           left join lateral (
             select max(t.at) as at from posthorn.transition as t
              where t.message_id = d.id and t.outbox = '${name}'
                and t.to_state = ${literal(states.dead)}::text) as died on true)`
}

function groupSql({ table, columns }: ResolvedDefinition, condition: string): string {
  return `select ${columns.status}::text as state, count(*) as n from ${table} where ${condition} group by ${columns.status}`
}

function asObject(rows: string): string {
  return `(select coalesce(jsonb_object_agg(state, n), '{}') from (${rows}) as counted)`
}

/** Where messages are never dead, a bad one stays in its state and is set aside by a column. */
function quarantineSql(definition: ResolvedDefinition, small: string): string {
  const { table, retry, columns, states } = definition
  if (retry.attempts !== undefined) return `'{}'::jsonb`
  const word = anyOf(columns.status, [states.ready, states.retry])
  return `case when ${small} or exists (
         select from pg_index
          where indrelid = '${table}'::regclass
            and pg_get_expr(indpred, indrelid) like '%(quarantined_at IS NOT NULL)%')
         then ${asObject(groupSql(definition, `${word} and quarantined_at is not null`))}
       end`
}

/** When the longest waiting unclaimed message became due. */
function oldestDue(definition: ResolvedDefinition): string {
  const { name, table, columns, order } = definition
  if (!order) {
    return `(
         select ${columns.dueAt} from ${table}
          where ${waitsCondition(definition)} and ${columns.dueAt} <= posthorn.now()
            and (claimed_until is null or claimed_until < now())
          order by ${columns.dueAt} limit 1)`
  }
  // The first few of each bucket's flow that are not in flight, and each bucket's first key.
  return `(
         select min(due_at)
           from generate_series(0, ${BUCKETS - 1}) as number
           left join ${newestBuckets(name)} as c using (number)
          cross join lateral (
            (select ${columns.dueAt} as due_at from ${table}
              where bucket = number and ${waitsCondition(definition)} and not held
                and seq > case when (c.b).session in (select id from posthorn.session where until > now()) then coalesce((c.b).run_upto, 0) else 0 end
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
function lastMinute({ name }: ResolvedDefinition): string {
  return `select coalesce(sum(delivered * part), 0)::float8 as delivered,
               coalesce(sum((failed + dead) * part), 0)::float8 as failed
          from (select delivered, failed, dead,
                       case when at = date_trunc('minute', now()) then 1
                            else 1 - extract(second from now()) / 60 end as part
                  from posthorn.pulse
                 where outbox = '${name}'
                   and at >= date_trunc('minute', now()) - interval '1 minute') as minutes`
}
