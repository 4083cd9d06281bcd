// What the watchdog looks at: for each part of an outbox the message that should go next and is in no relay's
// hands. Nothing here is shared with the claims: a mistake in them must not hide itself.
import { literal, waitsCondition } from '../outbox/clauses.sql.ts'
import { storageOf, type ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import { sql, type Statement } from '../database/sql-tag.ts'
import { BUCKETS, newestBuckets } from '../relay/settle/bucket.sql.ts'
import { lastSeq } from '../relay/log/log.sql.ts'
import { undoneSql } from '../relay/log/log-moves.sql.ts'

/** Messages of one bucket that are looked at to find one that is due. */
const LOOKED_AT = 10

/**
 * Notes the head of every part, with the time since when it is the same, and forgets parts without one. A
 * message that was tried has another due time or token, so it is another head.
 */
export function noteHeads(definition: ResolvedDefinition): Prepared {
  const { name, order } = definition
  return prepare(
    () => `with head as materialized (
  select part, min(head) as head
    from (${order ? keyHeads(definition) : rowHead(definition)}
          union all
          ${otherStorage(definition)}) as found
   group by part
),
gone as (
  delete from posthorn.watch as w
   where w.outbox = '${name}' and not exists (select from head where head.part = w.part)
)
insert into posthorn.watch as w (outbox, part, head)
select '${name}', part, head from head
    on conflict (outbox, part) do update
       set head = excluded.head,
           since = case when w.head = excluded.head then w.since else clock_timestamp() end
returning extract(epoch from clock_timestamp() - w.since)::float8 as seconds`,
  )
}

/** Relays agree on a storage when they start. If the outbox is kept another way, no relay reads what is there. */
function otherStorage(definition: ResolvedDefinition): string {
  return `select 'storage', storage from posthorn.outbox
            where name = '${definition.name}' and storage <> '${storageOf(definition)}'`
}

/** By row, the most urgent message. */
function rowHead(definition: ResolvedDefinition): string {
  const { table, columns } = definition
  const urgency = columns.priority === undefined ? '' : `${columns.priority} nulls last, `
  return `(select '' as part, concat_ws(' ', ${columns.id}, ${columns.dueAt}, claim_token) as head
             from ${table}
            where ${waitsCondition(definition)} and ${columns.dueAt} <= posthorn.now()
              and (claimed_until is null or claimed_until < now())
            order by ${urgency}${columns.dueAt}, ${columns.id}
            limit 1)`
}

/** By key, for each bucket without a run in flight: its first message, its first waiting key, its first logged one. */
function keyHeads(definition: ResolvedDefinition): string {
  const { name, table, columns, log } = definition
  const isDue = `${columns.dueAt} <= posthorn.now()`
  const buckets = `(select n as bucket
              from generate_series(0, ${BUCKETS - 1}) as n
             where not exists (
                   select from posthorn.bucket as b
                     join posthorn.session as s on s.id = b.session and s.until > now()
                    where b.outbox = '${name}' and b.bucket = n and b.run_size is not null))`
  const heads = [
    `select 'flow ' || b.bucket as part, lpad(head.seq::text, 20, '0') as head
            from ${buckets} as b
           cross join lateral (
             select first.seq
               from (select seq, ${columns.dueAt} from ${table}
                      where bucket = b.bucket and ${waitsCondition(definition)} and not held
                      order by seq limit ${LOOKED_AT}) as first
              where ${isDue} order by first.seq limit 1) as head`,
    `select 'held ' || h.bucket, concat_ws(' ', h.due_at, h.version, md5(h.key))
            from posthorn.held_key as h
            join ${buckets} as b using (bucket)
           where h.outbox = '${name}' and h.due_at <= posthorn.now()`,
  ]
  if (log !== undefined) {
    heads.push(`select 'log ' || logged.bucket, lpad(logged.seq::text, 20, '0')
            from (${undoneSql(definition, `m.bucket, m.seq, m.${columns.dueAt}`, `limit ${LOOKED_AT}`)}) as logged
            join ${buckets} as b using (bucket)
           where ${isDue.replace(columns.dueAt, `logged.${columns.dueAt}`)}`)
    // Behind a cursor that is ahead of the sequence every message looks as if it had gone by.
    heads.push(`select 'cursor ' || number, (b).log_seen_seq::text
            from ${newestBuckets(name)} as c
           where greatest((b).log_seen_seq, (b).log_since) > ${lastSeq(log)} and exists (select from ${log})`)
  }
  return heads.join('\n          union all\n          ')
}

/** What explains that nothing is claimed, or that it takes longer. */
export interface Circumstances {
  readonly paused: boolean
  /** A relay does not try one of its destinations at the moment. */
  readonly broken: boolean
  /** Messages are in the hands of a relay. */
  readonly busy: boolean
  readonly relays: number
}

export function selectCircumstances(definition: ResolvedDefinition): Prepared {
  const { name, order } = definition
  return prepare(
    () => `select exists (select from posthorn.pause where outbox = '${name}') as paused,
       exists (select from posthorn.relay
                where outbox = '${name}' and seen_at > now() - interval '1 minute'
                  and jsonb_array_length(breakers) > 0) as broken,
       exists (${order ? keysInHand(name) : rowsInHand(definition)}) as busy,
       (select count(*)::int from posthorn.relay
         where outbox = '${name}' and seen_at > now() - interval '15 s') as relays`,
  )
}

function keysInHand(name: string): string {
  return `select from posthorn.bucket as b
                 join posthorn.session as s on s.id = b.session and s.until > now()
                where b.outbox = '${name}' and b.run_size is not null`
}

/** What is claimed is among the oldest of those that wait, or has a state of its own. */
function rowsInHand(definition: ResolvedDefinition): string {
  const { table, columns, states } = definition
  const where =
    states.claimed === undefined
      ? waitsCondition(definition)
      : `${columns.status} = ${literal(states.claimed)}`
  return `select from (select claimed_until from ${table} where ${where}
                              order by ${columns.dueAt} limit 1000) as oldest
                where claimed_until > now()`
}

/** Ends the alerts of messages that were stuck and do not wait any more. */
export function recoverStuck(definition: ResolvedDefinition): Prepared {
  const { name, table, columns } = definition
  return prepare(
    () => `update posthorn.alert as a
   set recovered_at = now()
 where a.source = '${name}' and a.code = 'MESSAGE_STUCK' and a.recovered_at is null
   and not exists (
     select from ${table}
      where ${columns.id} = a.subject::${columns.idType} and ${waitsCondition(definition)})`,
  )
}

/** SQL of the time since when an outbox is known to stand still; null if it does not. */
export function stalledSince({ name }: Pick<ResolvedDefinition, 'name'>): string {
  return `select min(raised_at) from posthorn.alert
         where source = '${name}' and subject = '${name}' and code = 'OUTBOX_STALLED'
           and recovered_at is null`
}

export function selectStalled(definition: ResolvedDefinition): Prepared {
  return prepare(() => `select (${stalledSince(definition)}) as since`)
}

/** How long the oldest message has been due, and how long is usual. */
export interface Backlog {
  /** The lesser of the last two samples; null where they could not be counted. */
  readonly seconds: number | null
  /** What 95 of 100 samples of the last week did not exceed; 0 where `seconds` is no concern. */
  readonly usual: number
  /** Something else says why. */
  readonly explained: boolean
  readonly stands: boolean
}

export function selectBacklog(outbox: string, youngSeconds: number): Statement {
  return sql`
    select seconds,
           case when seconds >= ${youngSeconds}::float8 then coalesce((
             select percentile_cont(0.95) within group (order by oldest_due_seconds)
               from posthorn.sample
              where outbox = ${outbox} and at > now() - interval '7 days' and at < now() - interval '1 hour'), 0)
             else 0 end as usual,
           exists (select from posthorn.pause where outbox = ${outbox})
             or exists (select from posthorn.alert
                         where source = ${outbox} and recovered_at is null
                           and code in ('DESTINATION_DOWN', 'OUTBOX_STALLED')) as explained,
           exists (select from posthorn.alert
                    where source = ${outbox} and recovered_at is null and code = 'OUTBOX_BEHIND') as stands
      from (select case when count(*) = 2 then min(oldest_due_seconds) else 0 end as seconds
              from (select oldest_due_seconds from posthorn.sample
                     where outbox = ${outbox} and at > now() - interval '3 minutes'
                     order by at desc limit 2) as last) as recent`
}
