import { sql, type Queryable } from '@posthorn/engine'

export interface Period {
  readonly org: string
  readonly minutes: number
  readonly stretchSeconds: number
}

/** Payments that are looked at at the most: the newest ones. */
const MOST = 100_000

/** By the business clock, as payments are. The present stretch is the last one. */
const inPeriod = ({ org, minutes, stretchSeconds }: Period) => sql`
    bounds as materialized (
      select posthorn.now() as now,
             date_bin(${stretchSeconds} * interval '1 s', posthorn.now(), 'epoch'::timestamptz)
               - (ceil(${minutes} * 60.0 / ${stretchSeconds}) - 1) * ${stretchSeconds}
                 * interval '1 s' as since
    ), looked as (
      select p.created_at, p.status, p.settled_at, p.error_code
        from payments.payments as p
       where p.org_id = ${org} and p.created_at >= (select since from bounds)
       order by p.created_at desc
       limit ${MOST}
    )`

export interface PointRow {
  readonly at: Date
  readonly now: Date
  readonly succeeded: number
  readonly failed: number
  readonly pending: number
  readonly settle_median: number | null
  readonly settle_p95: number | null
}

/** What became of the payments that were created in each stretch. */
export async function selectPoints(db: Queryable, period: Period): Promise<PointRow[]> {
  const { stretchSeconds } = period
  const { rows } = await db.query<PointRow>(sql`
    with ${inPeriod(period)}, points as (
      select date_bin(${stretchSeconds} * interval '1 s', created_at, 'epoch'::timestamptz) as at,
             (count(*) filter (where status in ('succeeded', 'refunded')))::int as succeeded,
             (count(*) filter (where status = 'failed'))::int as failed,
             (count(*) filter (where status not in ('succeeded', 'refunded', 'failed')))::int
               as pending,
             percentile_cont(array[0.5, 0.95])
               within group (order by extract(epoch from settled_at - created_at)::float8)
               as settle
        from looked
       group by 1
    )
    select s.at, b.now, coalesce(succeeded, 0) as succeeded, coalesce(failed, 0) as failed,
           coalesce(pending, 0) as pending, settle[1] as settle_median, settle[2] as settle_p95
      from bounds as b
     cross join generate_series(b.since, b.now, ${stretchSeconds} * interval '1 s') as s (at)
      left join points on points.at = s.at
     order by s.at`)
  return rows
}

export interface CodeRow {
  readonly at: Date
  readonly code: string
  readonly count: number
}

/** Why payments of each stretch failed: the gateway's codes. */
export async function selectCodes(db: Queryable, period: Period): Promise<CodeRow[]> {
  const { rows } = await db.query<CodeRow>(sql`
    with ${inPeriod(period)}
    select date_bin(${period.stretchSeconds} * interval '1 s', created_at, 'epoch'::timestamptz) as at,
           error_code as code, count(*)::int as count
      from looked
     where status = 'failed' and error_code is not null
     group by 1, 2
     order by 1, 2`)
  return rows
}
