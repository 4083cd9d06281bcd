import { sql, type Statement } from '../enqueue/sql-tag.ts'
import type { OpenBreaker } from './relay.ts'

/** What is known beside the outboxes' own tables; times are text, as JSON has them. */
export interface SurroundingsRow {
  readonly now: Date
  readonly business_now: Date
  readonly relays: readonly {
    readonly relay: string
    readonly outbox: string
    readonly started_at: string
    readonly seen_at: string
    readonly breakers: readonly OpenBreaker[]
  }[]
  /** Open alerts, by their source. */
  readonly alerts: Readonly<Record<string, number>>
  /** Since when the oldest of them is open. */
  readonly alerts_since: Date | null
}

/** One statement for all outboxes; each part goes by its table's key or reads a small table. */
export const selectSurroundings: Statement = sql`
    select now() as now,
           posthorn.now() as business_now,
           (select coalesce(jsonb_agg(to_jsonb(alive) order by started_at, relay), '[]')
              from (select relay, outbox, started_at, seen_at, breakers
                      from posthorn.relay
                     where seen_at > now() - interval '15 s') as alive) as relays,
           (select coalesce(jsonb_object_agg(source, n), '{}')
              from (select source, count(*) as n
                      from posthorn.alert
                     where acknowledged_at is null and recovered_at is null
                     group by source) as open) as alerts,
           (select min(raised_at) from posthorn.alert
             where acknowledged_at is null and recovered_at is null) as alerts_since`

export interface HistoryRow {
  readonly outbox: string
  readonly at: Date
  readonly delivered: number
  readonly failed: number
  readonly dead: number
  readonly lost: number
  readonly waiting: number | null
  readonly due: number | null
  readonly retrying: number | null
  readonly oldest_due_seconds: number | null
  readonly oldest_undelivered_seconds: number | null
  /** How much of the stretch is over. */
  readonly seconds: number
}

/**
 * What happened in each stretch of the last `minutes`, the present one included. Of what waited the
 * most of each stretch is taken: a peak must not disappear in a wide one.
 */
export function selectHistory(history: {
  outboxes: readonly string[]
  minutes: number
  stretchMinutes: number
}): Statement {
  const { outboxes, minutes, stretchMinutes } = history
  return sql`
    with bounds as (
      select date_bin(${stretchMinutes}::int * interval '1 minute', now(), 'epoch'::timestamptz) as last,
             ${stretchMinutes}::int * interval '1 minute' as width
    ),
    stretches as (
      select outbox, at as starts, at + width as ends
        from bounds,
             unnest(${outboxes}::text[]) as outbox,
             generate_series(last - (${minutes}::int - ${stretchMinutes}::int) * interval '1 minute', last, width) as at
    )
    select s.outbox, s.starts as at,
           p.delivered, p.failed, p.dead, p.lost,
           w.waiting, w.due, w.retrying, w.oldest_due_seconds, w.oldest_undelivered_seconds,
           extract(epoch from least(s.ends, now()) - s.starts)::float8 as seconds
      from stretches as s
     cross join lateral (
       select coalesce(sum(delivered), 0)::float8 as delivered, coalesce(sum(failed), 0)::float8 as failed,
              coalesce(sum(dead), 0)::float8 as dead, coalesce(sum(lost), 0)::float8 as lost
         from posthorn.pulse
        where outbox = s.outbox and at >= s.starts and at < s.ends
     ) as p
     cross join lateral (
       select max(waiting)::float8 as waiting, max(due)::float8 as due, max(retrying)::float8 as retrying,
              max(oldest_due_seconds) as oldest_due_seconds,
              max(oldest_undelivered_seconds) as oldest_undelivered_seconds
         from posthorn.sample
        where outbox = s.outbox and at >= s.starts and at < s.ends
     ) as w
     order by s.outbox, s.starts`
}

/**
 * How often each change of state happened of late: in the last minute, or in as much of it as the
 * last 20,000 transitions of all outboxes cover. So the cost does not grow with the traffic.
 */
export function selectPairs(outbox: string): Statement {
  return sql`
    with recent as (
      select outbox, from_state, to_state, at
        from posthorn.transition
       order by id desc
       limit 20000
    ),
    covered as (
      select case when count(*) < 20000 then 60
                  else least(60, greatest(1, extract(epoch from clock_timestamp() - min(at))))
             end::float8 as seconds
        from recent
    )
    select from_state, to_state, count(recent.at)::float8 as n, seconds
      from covered
      left join recent
        on recent.outbox = ${outbox} and recent.at > clock_timestamp() - seconds * interval '1 s'
     group by from_state, to_state, seconds`
}
