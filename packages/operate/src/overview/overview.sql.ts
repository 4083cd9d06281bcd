import { type TimeSort, ALERT_COLUMNS, directionOf } from '@posthorn/engine/internal'
import { sql, type Statement } from '@posthorn/engine'

/** What is known beside the outboxes' own tables; times are text, as JSON has them. */
export interface SurroundingsRow {
  readonly now: Date
  readonly business_now: Date
  readonly causes: readonly {
    readonly source: string
    readonly code: string
    readonly destination: string | null
    readonly open: number
    readonly since: string
    readonly detail: string
  }[]
  readonly destinations: readonly DestinationAnswers[]
}

/** How often a destination answered and did not in the last minute. */
export interface DestinationAnswers {
  readonly outbox: string
  /** `transport:topic`. */
  readonly destination: string
  readonly answered: number
  readonly unanswered: number
}

/** Failing destinations that an overview names. */
const MOST_FAILING = 20

/** Alerts that say how an outbox is, acknowledged or not. */
const CONDITIONS = ['DESTINATION_DOWN', 'OUTBOX_BEHIND', 'OUTBOX_STALLED']

/** One statement for all outboxes; each part goes by its table's key or reads a small table. */
export const selectSurroundings: Statement = sql`
    select now() as now,
           posthorn.now() as business_now,
           (select coalesce(jsonb_agg(to_jsonb(cause) order by since), '[]')
              from (select source, code, case when code = 'DESTINATION_DOWN' then subject end as destination,
                           count(*) filter (where acknowledged_at is null) as open,
                           min(raised_at) as since, (array_agg(detail order by id desc))[1] as detail
                      from (select * from posthorn.alert
                             where acknowledged_at is null and recovered_at is null
                            union all
                            select * from posthorn.alert
                             where acknowledged_at is not null and recovered_at is null
                               and code = any(${CONDITIONS}::text[])) as standing
                     group by 1, 2, 3) as cause) as causes,
           (select coalesce(jsonb_agg(to_jsonb(failing) order by unanswered / (answered + unanswered) desc,
                                                                 unanswered desc), '[]')
              -- The minute before this one counts as far as it is one of the last sixty seconds.
              from (select outbox, name as destination, round(sum(yes * part))::float8 as answered,
                           round(sum(no * part))::float8 as unanswered
                      from (select *, case when at = date_trunc('minute', now()) then 1
                                           else 1 - extract(second from now()) / 60 end as part
                              from (select outbox, at, key as name, value::bigint as yes, 0 as no
                                      from posthorn.pulse cross join lateral jsonb_each_text(answered)
                                     where at >= date_trunc('minute', now()) - interval '1 minute'
                                    union all
                                    select outbox, at, key, 0, value::bigint
                                      from posthorn.pulse cross join lateral jsonb_each_text(unanswered)
                                     where at >= date_trunc('minute', now()) - interval '1 minute') as counted
                           ) as weighed
                     group by 1, 2
                    having round(sum(no * part)) > 0
                     order by sum(no * part) / sum((yes + no) * part) desc, sum(no * part) desc
                     limit ${MOST_FAILING}) as failing) as destinations`

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
           p.delivered, p.failed, p.postponed, p.dead, p.lost,
           coalesce(w.waiting, z.zero) as waiting, coalesce(w.due, z.zero) as due,
           coalesce(w.retrying, z.zero) as retrying,
           coalesce(w.oldest_due_seconds, z.zero) as oldest_due_seconds,
           coalesce(w.oldest_undelivered_seconds, z.zero) as oldest_undelivered_seconds,
           extract(epoch from least(s.ends, now()) - s.starts)::float8 as seconds
      from stretches as s
     cross join lateral (
       select coalesce(sum(delivered), 0)::float8 as delivered, coalesce(sum(failed), 0)::float8 as failed,
              coalesce(sum(postponed), 0)::float8 as postponed,
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
      -- Behind a sample in which nothing waited, none means that this is still so.
      left join lateral (
       select case when waiting = 0 then 0::float8 end as zero
         from posthorn.sample
        where outbox = s.outbox and at < s.ends
        order by at desc
        limit 1
     ) as z on true
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

/** What a list of alerts is narrowed to; null matches all. */
interface AlertConditions {
  readonly source: string | null
  readonly code: string | null
  readonly tenant: string | null
  /** Alerts older than this one. */
  readonly before: string | null
  readonly sort: TimeSort
  readonly limit: number
}

/** The states of an alert as conditions: each alert fits just one. */
const STATES = {
  open: sql`acknowledged_at is null and recovered_at is null`,
  acknowledged: sql`acknowledged_at is not null and recovered_at is null`,
  recovered: sql`recovered_at is not null`,
  any: sql`true`,
}

export function selectAlerts(
  state: keyof typeof STATES,
  { source, code, tenant, before, sort, limit }: AlertConditions,
): Statement {
  const { beyond, order } = directionOf(sort === 'newest' ? '-id' : 'id')
  return sql`
    select ${ALERT_COLUMNS}
      from posthorn.alert
     where ${STATES[state]}
       and (${source}::text is null or source = ${source})
       and (${code}::text is null or code = ${code})
       and (${tenant}::text is null or tenant = ${tenant})
       and (${before}::bigint is null or id ${beyond} ${before}::bigint)
     order by alert.id ${order}
     limit ${limit}`
}

export function selectAlert(id: string): Statement {
  return sql`select ${ALERT_COLUMNS} from posthorn.alert where id = ${id}::bigint`
}

/**
 * Acknowledges it, with its trace in the audit, unless it is acknowledged already or another
 * tenant's: then there is no row.
 */
export function acknowledge(id: string, by: string, tenant: string | null): Statement {
  return sql`
    with acknowledged as (
      update posthorn.alert
         set acknowledged_at = now(), acknowledged_by = ${by},
             recovered_at = case when occurrence is null then recovered_at
                            else coalesce(recovered_at, now()) end
       where id = ${id}::bigint and acknowledged_at is null
         and (${tenant}::text is null or tenant = ${tenant})
      returning *
    ),
    noted as (
      insert into posthorn.operation (operation, outbox, subject, tenant, actor)
      select 'acknowledge', source, subject, tenant, ${by} from acknowledged
    )
    select ${ALERT_COLUMNS} from acknowledged`
}

export const countOpenAlerts: Statement = sql`
  select source, count(*)::int as count
    from posthorn.alert
   where acknowledged_at is null and recovered_at is null
   group by source
   order by source`

/** What the statistics know of tables; of a partitioned one, all its partitions together. */
export function selectTables(tables: readonly string[]): Statement {
  return sql`
    select wanted as "table",
           sum(pg_table_size(part.relid))::float8 as bytes,
           sum(pg_indexes_size(part.relid))::float8 as index_bytes,
           coalesce(sum(s.n_live_tup), 0)::float8 as live_rows,
           coalesce(sum(s.n_dead_tup), 0)::float8 as dead_rows,
           max(greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed_at,
           max(greatest(s.last_analyze, s.last_autoanalyze)) as analyzed_at
      from unnest(${tables}::text[]) as wanted
     cross join lateral (
       -- Of a table that has no partitions the tree is empty.
       select to_regclass(wanted)::oid as relid
       union
       select tree.relid::oid from pg_partition_tree(to_regclass(wanted)) as tree
     ) as part
      left join pg_stat_all_tables as s on s.relid = part.relid
     where part.relid is not null
     group by wanted
     order by wanted`
}

/** Who keeps vacuum from removing dead rows, the worst first. */
export const selectHorizons: Statement = sql`
  select holder, name, transactions::float8 as transactions, seconds
    from (select 'session' as holder,
                 concat_ws(' ', nullif(application_name, ''), 'pid', pid, state) as name,
                 greatest(age(backend_xmin), age(backend_xid)) as transactions,
                 extract(epoch from now() - xact_start)::float8 as seconds
            from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
             and (backend_xmin is not null or backend_xid is not null)
          union all
          select 'prepared', gid, age(transaction), extract(epoch from now() - prepared)::float8
            from pg_prepared_xacts
           where database = current_database()
          union all
          select 'slot', slot_name::text, greatest(age(xmin), age(catalog_xmin)), null
            from pg_replication_slots
           where xmin is not null or catalog_xmin is not null) as held
   order by transactions desc nulls last, seconds desc nulls last
   limit 5`

/** Every group that was measured or has something set aside. */
export const selectConsumers: Statement = sql`
  select topic, group_name as "group", l.transport, l.lag::float8 as lag, l.sampled_at,
         coalesce(m.retrying, 0) as retrying, coalesce(m.parked, 0) as parked,
         coalesce(m.dead, 0) as dead, m.oldest_dead_at
    from posthorn.consumer_lag as l
    full join (
      select topic, group_name,
             count(*) filter (where state = 'retry')::int as retrying,
             count(*) filter (where state = 'parked')::int as parked,
             count(*) filter (where state = 'dead')::int as dead,
             min(died_at) as oldest_dead_at
        from posthorn.consumer_message
       group by topic, group_name
    ) as m using (topic, group_name)
   order by topic, group_name`

/** Whether a process has just looked at a group's lag. */
export function selectFreshLag(group: { topic: string; group: string }, forMs: number): Statement {
  return sql`
    select lag::float8 as lag from posthorn.consumer_lag
     where topic = ${group.topic} and group_name = ${group.group}
       and sampled_at > now() - ${forMs}::float8 * interval '1 millisecond'`
}

export function upsertLag(
  { topic, group, transport }: { topic: string; group: string; transport: string },
  lag: number,
): Statement {
  return sql`
    with sampled as (
      insert into posthorn.consumer_sample (topic, group_name, lag)
      values (${topic}, ${group}, ${lag})
      on conflict (topic, group_name, at) do update set lag = greatest(consumer_sample.lag, excluded.lag)
    )
    insert into posthorn.consumer_lag (topic, group_name, transport, lag)
    values (${topic}, ${group}, ${transport}, ${lag})
    on conflict (topic, group_name)
    do update set transport = excluded.transport, lag = excluded.lag, sampled_at = now()`
}
