import { sql, type Statement } from '../database/sql-tag.ts'

/** What relays wrote down about one destination of late. */
export interface DestinationReport {
  readonly outbox: string
  /** `transport:topic`. */
  readonly destination: string
  /** Since when the breaker of a relay is open; null if none is. */
  readonly open_since: Date | null
  /** The last failure before it opened. */
  readonly cause: { readonly code: string; readonly message: string } | null
  /** Attempts of this minute and the last one … */
  readonly answered: number
  readonly unanswered: number
  /** … and of the last ten minutes. */
  readonly answered_long: number
  readonly unanswered_long: number
  /** Whether its alert stands. */
  readonly stands: boolean
  /** Whether any relay of the outbox is alive to say so. */
  readonly heard: boolean
  /** Whether anything waited in the outbox when it was last counted. */
  readonly waits: boolean
}

/**
 * Destinations that did not answer of late, or whose alert stands. Reads what heartbeats wrote, no messages. What
 * shares the name `other` is left out: nobody could say which destination it is.
 */
export function selectDestinations(outboxes: readonly string[]): Statement {
  return sql`
    with alive as (
      select outbox, seen_at, breakers
        from posthorn.relay
       where outbox = any(${outboxes}::text[]) and seen_at > now() - interval '30 s'
    ),
    broken as (
      select outbox, b ->> 'destination' as destination,
             min(seen_at - (b ->> 'openMs')::float8 * interval '1 ms') as open_since,
             (array_agg(b -> 'cause' order by seen_at desc))[1] as cause
        from alive cross join lateral jsonb_array_elements(breakers) as b
       group by 1, 2
    ),
    answers as (
      select outbox, name as destination,
             coalesce(sum(yes) filter (where is_recent), 0)::float8 as answered,
             coalesce(sum(no) filter (where is_recent), 0)::float8 as unanswered,
             sum(yes)::float8 as answered_long, sum(no)::float8 as unanswered_long
        from (select outbox, key as name, value::bigint as yes, 0 as no,
                     at >= date_trunc('minute', now()) - interval '1 minute' as is_recent
                from posthorn.pulse cross join lateral jsonb_each_text(answered)
               where outbox = any(${outboxes}::text[])
                 and at >= date_trunc('minute', now()) - interval '10 minutes'
              union all
              select outbox, key, 0, value::bigint,
                     at >= date_trunc('minute', now()) - interval '1 minute'
                from posthorn.pulse cross join lateral jsonb_each_text(unanswered)
               where outbox = any(${outboxes}::text[])
                 and at >= date_trunc('minute', now()) - interval '10 minutes') as counted
       where name <> 'other'
       group by 1, 2
      having sum(no) > 0
    ),
    standing as (
      select source as outbox, subject as destination
        from posthorn.alert
       where source = any(${outboxes}::text[]) and code = 'DESTINATION_DOWN' and recovered_at is null
    )
    select outbox, destination, open_since, cause,
           coalesce(answered, 0) as answered, coalesce(unanswered, 0) as unanswered,
           coalesce(answered_long, 0) as answered_long, coalesce(unanswered_long, 0) as unanswered_long,
           exists (select from standing as s
                    where s.outbox = found.outbox and s.destination = found.destination) as stands,
           exists (select from alive as a where a.outbox = found.outbox) as heard,
           coalesce((select waiting > 0 from posthorn.sample as s
                      where s.outbox = found.outbox order by s.at desc limit 1), true) as waits
      from (select outbox, destination from broken
            union select outbox, destination from answers
            union select outbox, destination from standing) as found
      left join broken using (outbox, destination)
      left join answers using (outbox, destination)`
}
