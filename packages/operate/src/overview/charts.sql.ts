import { sql, type Statement } from '@posthorn/engine'

/** The stretches of a chart: each as long as the others, the present one last. */
export interface ChartBounds {
  readonly outboxes: readonly string[]
  readonly from: Date
  readonly stretchSeconds: number
}

/** The present moment and where its stretch began. */
export function selectPresent(stretchSeconds: number): Statement {
  return sql`
    select now() as now,
           date_bin(${stretchSeconds} * interval '1 s', now(), 'epoch'::timestamptz) as last`
}

export interface ChartCountRow {
  readonly outbox: string
  readonly at: Date
  readonly delivered: number
  readonly failed: number
  readonly postponed: number
  readonly dead: number
}

/** By the key of the table: it costs what the minutes of these outboxes are. */
export function selectChartCounts({ outboxes, from, stretchSeconds }: ChartBounds): Statement {
  return sql`
    select outbox, date_bin(${stretchSeconds} * interval '1 s', at, 'epoch'::timestamptz) as at,
           sum(delivered)::float8 as delivered, sum(failed)::float8 as failed,
           sum(postponed)::float8 as postponed, sum(dead)::float8 as dead
      from posthorn.pulse
     where outbox = any(${outboxes}::text[]) and at >= ${from}
     group by 1, 2`
}

export interface ChartDetailRow {
  readonly outbox: string
  readonly at: Date
  readonly kind: 'latency' | 'code' | 'answered' | 'unanswered'
  readonly name: string
  readonly n: number
}

/** What a minute's row keeps by name. */
export function selectChartDetails({ outboxes, from, stretchSeconds }: ChartBounds): Statement {
  return sql`
    select p.outbox, date_bin(${stretchSeconds} * interval '1 s', p.at, 'epoch'::timestamptz) as at,
           d.kind, d.name, sum(d.n)::float8 as n
      from posthorn.pulse as p
     cross join lateral (
       select 'latency' as kind, key as name, value::bigint as n from jsonb_each_text(p.latency)
       union all
       select 'code', key, value::bigint from jsonb_each_text(p.codes)
       union all
       select 'answered', key, value::bigint from jsonb_each_text(p.answered)
       union all
       select 'unanswered', key, value::bigint from jsonb_each_text(p.unanswered)
     ) as d
     where p.outbox = any(${outboxes}::text[]) and p.at >= ${from}
     group by 1, 2, 3, 4`
}

/** Only what went to some destinations of one outbox. */
export function selectDestinationDetails(
  { from, stretchSeconds }: Pick<ChartBounds, 'from' | 'stretchSeconds'>,
  { outbox, destinations }: { outbox: string; destinations: readonly string[] },
): Statement {
  return sql`
    select p.outbox, date_bin(${stretchSeconds} * interval '1 s', p.at, 'epoch'::timestamptz) as at,
           d.kind, d.name, sum(d.n)::float8 as n
      from posthorn.pulse as p
     cross join unnest(${destinations}::text[]) as wanted
     cross join lateral (
       values ('answered', wanted, (p.answered ->> wanted)::bigint),
              ('unanswered', wanted, (p.unanswered ->> wanted)::bigint)
     ) as d (kind, name, n)
     where p.outbox = ${outbox} and p.at >= ${from} and d.n > 0
     group by 1, 2, 3, 4`
}

export interface ChartSampleRow {
  readonly outbox: string
  readonly at: Date
  readonly waiting: number | null
  readonly oldest_due_seconds: number | null
  readonly oldest_undelivered_seconds: number | null
}

/**
 * The most of each stretch: a peak must not disappear in a wide one. Behind a sample in which nothing waited,
 * none means that this is still so, until the next one.
 */
export function selectChartSamples({ outboxes, from, stretchSeconds }: ChartBounds): Statement {
  return sql`
    with known as (
      select outbox, at, waiting, oldest_due_seconds, oldest_undelivered_seconds,
             lead(at, 1, now()) over (partition by outbox order by at) as next_at
        from (select s.* from posthorn.sample as s
               where s.outbox = any(${outboxes}::text[]) and s.at >= ${from}
              union all
              select last.* from unnest(${outboxes}::text[]) as name
               cross join lateral (
                 select s.* from posthorn.sample as s
                  where s.outbox = name and s.at < ${from} order by s.at desc limit 1) as last) as s
    )
    select outbox, date_bin(${stretchSeconds} * interval '1 s', each.at, 'epoch'::timestamptz) as at,
           max(waiting)::float8 as waiting, max(oldest_due_seconds) as oldest_due_seconds,
           max(oldest_undelivered_seconds) as oldest_undelivered_seconds
      from known
     cross join lateral (
       select known.at
       union all
       select n from generate_series(known.at + interval '1 minute', next_at - interval '1 minute',
                                     interval '1 minute') as n
        where known.waiting = 0) as each (at)
     where each.at >= ${from}
     group by 1, 2`
}

/** Marks that one chart shows at the most, the newest. */
const MOST_MARKS = 200

/**
 * What people and deployments did: relays that began together are one mark. An outbox's chart shows
 * its own and those of all.
 */
export function selectChartMarks({ outboxes, from }: ChartBounds): Statement {
  return sql`
    select at, kind, outbox, text, actor
      from (
        select at, operation as kind, outbox, coalesce(reason, '') as text, actor
          from posthorn.operation
         where operation in ('pause', 'resume') and at >= ${from} and outbox = any(${outboxes}::text[])
        union all
        select at, 'clock', null, subject, actor
          from posthorn.operation
         where operation = 'advance-clock' and at >= ${from}
        union all
        select started_at, 'replay', outbox, wanted::text, actor
          from posthorn.replay
         where started_at >= ${from} and outbox = any(${outboxes}::text[])
        union all
        select at, 'deploy', null, coalesce(version, ''), null
          from posthorn.relay_start
         where at >= ${from}
         group by at, version
      ) as marks
     order by at desc
     limit ${MOST_MARKS}`
}

export interface LagRow {
  readonly topic: string
  readonly group_name: string
  readonly at: Date
  readonly lag: number
}

export function selectLagHistory({
  from,
  stretchSeconds,
}: Pick<ChartBounds, 'from' | 'stretchSeconds'>): Statement {
  return sql`
    select topic, group_name,
           date_bin(${stretchSeconds} * interval '1 s', at, 'epoch'::timestamptz) as at,
           max(lag)::float8 as lag
      from posthorn.consumer_sample
     where at >= ${from}
     group by 1, 2, 3
     order by 1, 2, 3`
}
