import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, nullable, NullableText, resource, time, type RowOf } from '@posthorn/system'
import { Type } from 'typebox'

/** How an endpoint is doing, by everything that went to it in the last days. */
export const EndpointHealth = Type.Object({
  endpointId: Type.String(),
  delivered: Type.Integer(),
  failedAttempts: Type.Integer({
    description: 'Failed attempts, including the last ones of abandoned deliveries',
  }),
  waiting: Type.Integer({
    description: 'Deliveries waiting for their first attempt now; counted up to 1000',
  }),
  failing: Type.Integer({
    description: 'Deliveries waiting for another attempt now; counted up to 1000',
  }),
  abandoned: Type.Integer(),
  skipped: Type.Integer(),
  filtered: Type.Integer({ description: "Events that the endpoint's filter excluded" }),
  successRate: nullable(Type.Number(), {
    description: 'Share of successful attempts in this period, from 0 to 1; null without attempts',
  }),
  lastDeliveredAt: nullable(time({ format: 'date-time' })),
  lastFailure: nullable(
    Type.Object({ deliveryId: Type.String(), code: NullableText, error: NullableText }),
  ),
  breakerOpen: Type.Boolean({
    description:
      'True while the breaker is open: most recent attempts failed, so only occasional probes are sent',
  }),
})

interface HealthRow extends RowOf<typeof EndpointHealth, 'successRate' | 'lastFailure'> {
  readonly last_failed_id: string | null
  readonly last_error: string | null
  readonly last_error_code: string | null
}

export const healthResource = resource(EndpointHealth, {
  successRate({ delivered, failed_attempts: failed }: HealthRow) {
    return delivered + failed === 0 ? null : delivered / (delivered + failed)
  },
  lastFailure: ({ last_failed_id: deliveryId, last_error_code: code, last_error: error }) =>
    deliveryId === null ? null : { deliveryId, code, error },
})

/** What was done for an endpoint at one time. */
export interface Tally {
  readonly endpointId: string
  readonly delivered?: number
  /** Attempts, the last ones of deliveries among them. */
  readonly failed?: number
  readonly abandoned?: number
  readonly skipped?: number
  /** Events that its filter did not let through. */
  readonly filtered?: number
  /** The last of those that failed. */
  readonly deliveryId?: string
  readonly errorCode?: string
  readonly error?: string
}

/** In one row, however many endpoints there are: it is written with every batch. */
export async function insertTallies(tx: Transaction, tallies: readonly Tally[]): Promise<void> {
  if (tallies.length === 0) return
  await tx.query(sql`
    insert into payments.webhook_tallies (counts) values (${JSON.stringify(tallies)}::jsonb)`)
}

/** The endpoints of a tally as rows. */
const COUNTS = sql`as c ("endpointId" uuid, "delivered" integer, "failed" integer,
              "abandoned" integer, "skipped" integer, "filtered" integer, "deliveryId" uuid,
              "errorCode" text, "error" text)`

const COUNTED = sql`c."endpointId" as endpoint_id, coalesce(c."delivered", 0) as delivered,
             coalesce(c."failed", 0) as failed, coalesce(c."abandoned", 0) as abandoned,
             coalesce(c."skipped", 0) as skipped, coalesce(c."filtered", 0) as filtered,
             c."deliveryId" as delivery_id, c."errorCode" as error_code, c."error" as error`

/** Tallies of one sum at the most. */
export const MOST_TALLIES = 2_000

/** Sums tallies up into the hours of their endpoints, and says what they were of each. */
export const sumTallies = (tx: Transaction) =>
  all<Summed>(tx)(sql`
    with picked as (
      delete from payments.webhook_tallies
       where id in (select id from payments.webhook_tallies
                     order by id
                     limit ${MOST_TALLIES}::int
                       for update skip locked)
      returning *
    ),
    taken as (
      select p.id, p.at, ${COUNTED}
        from picked p cross join lateral jsonb_to_recordset(p.counts) ${COUNTS}
    ),
    summed as (
      select endpoint_id, date_trunc('hour', at) as hour, sum(delivered) as delivered,
             sum(failed) as failed, sum(abandoned) as abandoned, sum(skipped) as skipped,
             sum(filtered) as filtered,
             max(at) filter (where delivered > 0) as last_delivered_at,
             max(at) filter (where failed > 0) as last_failed_at,
             (array_agg(delivery_id order by id desc) filter (where failed > 0))[1] as delivery_id,
             (array_agg(error_code order by id desc) filter (where failed > 0))[1] as error_code,
             (array_agg(error order by id desc) filter (where failed > 0))[1] as error
        from taken
       group by endpoint_id, date_trunc('hour', at)
    ),
    added as (
      insert into payments.webhook_endpoint_hours as h
             (endpoint_id, hour, delivered, failed, abandoned, skipped, filtered,
              last_delivered_at, last_failed_at, delivery_id, error_code, error)
      -- In one order, so that two at once cannot deadlock.
      select * from summed order by endpoint_id, hour
          on conflict (endpoint_id, hour) do update
         set delivered = h.delivered + excluded.delivered,
             failed = h.failed + excluded.failed,
             abandoned = h.abandoned + excluded.abandoned,
             skipped = h.skipped + excluded.skipped,
             filtered = h.filtered + excluded.filtered,
             last_delivered_at = greatest(h.last_delivered_at, excluded.last_delivered_at),
             last_failed_at = greatest(h.last_failed_at, excluded.last_failed_at),
             delivery_id = coalesce(excluded.delivery_id, h.delivery_id),
             error_code = coalesce(excluded.error_code, h.error_code),
             error = coalesce(excluded.error, h.error)
    )
    select endpoint_id, (select count(*) from picked)::int as tallies,
           max(at) filter (where delivered > 0) as delivered_at,
           max(at) filter (where failed > 0 and delivered = 0) as failed_at,
           -- The first failure that no success followed.
           min(at) filter (where failed > 0 and delivered = 0 and at > coalesce(last_good,
                                                                     '-infinity')) as first_failed_at
      from (select *, max(at) filter (where delivered > 0) over (partition by endpoint_id)
                        as last_good
              from taken) as taken
     group by endpoint_id
     order by endpoint_id`)

/** What tallies say of an endpoint. */
export interface Summed {
  readonly endpoint_id: string
  /** How many tallies there were, of all endpoints. */
  readonly tallies: number
  readonly delivered_at: Date | null
  readonly failed_at: Date | null
  readonly first_failed_at: Date | null
}

/** Endpoints whose failures were over by now; their alert is too. */
export async function noteFailing(tx: Transaction, summed: readonly Summed[]): Promise<string[]> {
  const attempted = summed.filter((each) => each.delivered_at !== null || each.failed_at !== null)
  if (attempted.length === 0) return []
  const { rows } = await tx.query<{ id: string; recovered: boolean }>(sql`
    with said as (
      select * from jsonb_to_recordset(${JSON.stringify(attempted)}::jsonb)
        as s (endpoint_id uuid, delivered_at timestamptz, failed_at timestamptz,
              first_failed_at timestamptz)
    ),
    -- In one order, so that two at once cannot deadlock.
    held as (
      select e.id, e.failing_since from payments.webhook_endpoints e
       where e.id in (select endpoint_id from said)
       order by e.id
         for no key update
    )
    update payments.webhook_endpoints e
       set failing_since = case when s.delivered_at is null then
                                     coalesce(e.failing_since, s.first_failed_at)
                                else s.first_failed_at end,
           last_failed_at = greatest(e.last_failed_at, s.failed_at),
           warned_at = case when s.delivered_at is null then e.warned_at end
      from said s join held on held.id = s.endpoint_id
     where e.id = s.endpoint_id
    returning e.id, held.failing_since is not null and s.delivered_at is not null as recovered`)
  return rows.filter(({ recovered }) => recovered).map(({ id }) => id)
}

/** An endpoint that has only failed for a while. */
export interface FailingEndpoint {
  readonly id: string
  readonly org_id: string
  readonly url: string
  readonly failing_since: Date
  readonly last_failed_at: Date
  /** False: its owner has to be warned first. */
  readonly is_over: boolean
}

/**
 * Those whose failures span half of the days without a warning, or all of them. By its failures, not
 * by the time since: an endpoint to which nothing was sent has not failed meanwhile.
 */
export const selectFailing = (tx: Transaction, days: number) =>
  all<FailingEndpoint>(tx)(sql`
    select id, org_id, url, failing_since, last_failed_at,
           last_failed_at - failing_since >= ${days}::int * interval '1 day' as is_over
      from payments.webhook_endpoints
     where failing_since is not null and status = 'enabled' and deleted_at is null
       and (last_failed_at - failing_since >= ${days}::int * interval '1 day'
            or warned_at is null
               and last_failed_at - failing_since >= ${days}::int * interval '12 hours')
     order by id
     limit 100
       for update skip locked`)

export const markWarned = (tx: Transaction, id: string) =>
  tx.query(sql`
    update payments.webhook_endpoints set warned_at = posthorn.now() where id = ${id}`)

/** Deliveries of a state that waits are counted as far as this for each endpoint. */
const MOST_WAITING = 1_000

/** Of each endpoint of a merchant to which something was sent or is owed. */
export const selectHealth = (db: Queryable, { org, days }: { org: string; days: number }) =>
  all<HealthRow>(db)(sql`
    with own as (
      select id from payments.webhook_endpoints where org_id = ${org} and deleted_at is null
    ),
    counted as (
      select endpoint_id, delivered, failed, abandoned, skipped, filtered, last_delivered_at,
             last_failed_at, delivery_id, error_code, error
        from payments.webhook_endpoint_hours
       where endpoint_id in (select id from own)
         and hour > posthorn.now() - ${days}::int * interval '1 day'
       union all
      -- What has not been summed up yet.
      select endpoint_id, delivered, failed, abandoned, skipped, filtered,
             case when delivered > 0 then at end, case when failed > 0 then at end, delivery_id,
             error_code, error
        from (select t.at, ${COUNTED}
                from payments.webhook_tallies t
               cross join lateral jsonb_to_recordset(t.counts) ${COUNTS}) as fresh
       where endpoint_id in (select id from own)
    ),
    summed as (
      select endpoint_id, sum(delivered)::float8 as delivered, sum(failed)::float8 as failed,
             sum(abandoned)::float8 as abandoned, sum(skipped)::float8 as skipped,
             sum(filtered)::float8 as filtered, max(last_delivered_at) as last_delivered_at,
             (array_agg(delivery_id order by last_failed_at desc)
               filter (where last_failed_at is not null))[1] as last_failed_id,
             (array_agg(error_code order by last_failed_at desc)
               filter (where last_failed_at is not null))[1] as last_error_code,
             (array_agg(error order by last_failed_at desc)
               filter (where last_failed_at is not null))[1] as last_error
        from counted
       group by endpoint_id
    ),
    broken as (
      select breaker ->> 'destination' as destination
        from posthorn.relay
       cross join lateral jsonb_array_elements(breakers) as breaker
       where outbox = 'payments.webhook-deliveries' and seen_at > now() - interval '15 s'
    )
    select own.id as endpoint_id, coalesce(s.delivered, 0) as delivered,
           coalesce(s.failed, 0) as failed_attempts, coalesce(s.abandoned, 0) as abandoned,
           coalesce(s.skipped, 0) as skipped, coalesce(s.filtered, 0) as filtered, w.waiting, w.failing, s.last_delivered_at,
           s.last_failed_id, s.last_error_code, s.last_error,
           exists (select from broken where destination = 'webhooks:' || own.id) as breaker_open
      from own
      left join summed s on s.endpoint_id = own.id
     cross join lateral (
             select count(*) filter (where status = 'pending')::int as waiting,
                    count(*) filter (where status = 'failed')::int as failing
               from ((select status from payments.webhook_deliveries
                       where endpoint_id = own.id and status = 'pending'
                       limit ${MOST_WAITING}::int)
                     union all
                     (select status from payments.webhook_deliveries
                       where endpoint_id = own.id and status = 'failed'
                       limit ${MOST_WAITING}::int)) as waiting
           ) as w
     where s.endpoint_id is not null or w.waiting + w.failing > 0
     order by own.id`)
