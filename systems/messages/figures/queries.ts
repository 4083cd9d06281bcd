import { sql, type Queryable } from '@posthorn/engine'

/** Messages of an organisation that were created in a time. */
export interface Period {
  readonly orgId: string
  readonly since: Date
  readonly until: Date
  /** As accounts are listed: an id, or the channel of one of the settings. */
  readonly account: string | null
}

/** Messages that are looked at at the most: the newest ones. */
const MOST = 100_000

/** By the ids, which have their time in them, so that old messages are not read. */
const inPeriod = ({ orgId, since, until, account }: Period) => sql`
      select created_at, status, error_code, sent_at, delivered_at, read_at
        from messages.outbound_message
       where org_id = ${orgId}
         and id >= messages.first_id_at(${since}) and id <= messages.first_id_at(${until})
         and (${account}::text is null or coalesce(account_id::text, channel) = ${account})
       order by id desc
       limit ${MOST}`

export interface PointRow {
  readonly at: Date
  readonly created: number
  readonly sent: number
  readonly delivered: number
  readonly read: number
  readonly failed: number
  readonly delivery_median: number | null
  readonly delivery_p95: number | null
}

/** What became of the messages that were created in each stretch of the period. */
export async function selectPoints(
  db: Queryable,
  period: Period,
  seconds: number,
): Promise<PointRow[]> {
  const { rows } = await db.query<PointRow>(sql`
    with looked as (${inPeriod(period)}),
    points as (
      select date_bin(${seconds} * interval '1 second', created_at, ${period.since}) as at,
             count(*)::int as created,
             count(sent_at)::int as sent,
             count(delivered_at)::int as delivered,
             count(read_at)::int as read,
             (count(*) filter (where status = 'FAILED'))::int as failed,
             percentile_cont(array[0.5, 0.95])
               within group (order by extract(epoch from delivered_at
                                                         - least(sent_at, delivered_at))::float8)
               as delivery
        from looked
       where created_at >= ${period.since} and created_at < ${period.until}
       group by 1
    )
    select s.at, coalesce(created, 0) as created, coalesce(sent, 0) as sent,
           coalesce(delivered, 0) as delivered, coalesce(read, 0) as read,
           coalesce(failed, 0) as failed,
           delivery[1] as delivery_median, delivery[2] as delivery_p95
      from generate_series(${period.since}::timestamptz, ${period.until}::timestamptz
                             - interval '1 microsecond', ${seconds} * interval '1 second') as s (at)
      left join points on points.at = s.at
     order by s.at`)
  return rows
}

export interface ErrorRow {
  readonly code: string
  readonly count: number
}

/** Why messages of the period failed, the most frequent first. */
export async function selectErrors(db: Queryable, period: Period): Promise<ErrorRow[]> {
  const { rows } = await db.query<ErrorRow>(sql`
    with looked as (${inPeriod(period)})
    select error_code as code, count(*)::int as count
      from looked
     where status = 'FAILED' and error_code is not null
       and created_at >= ${period.since} and created_at < ${period.until}
     group by error_code
     order by count(*) desc, error_code
     limit 12`)
  return rows
}
