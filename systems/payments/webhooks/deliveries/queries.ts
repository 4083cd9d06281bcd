import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import {
  all,
  count,
  directionOf,
  first,
  listIds,
  type EventDelivery,
  type RowOf,
} from '@posthorn/system'
import type { Static } from 'typebox'
import type {
  Attempt,
  AttemptRow,
  DeliveryQuery,
  RunResource,
  WebhookDelivery,
} from './delivery.ts'
import type { RetryRun } from './settling.ts'

export const findDelivery = (db: Queryable, { org, id }: { org: string; id: string }) =>
  first<WebhookDelivery>(db)(sql`
    select * from payments.webhook_deliveries where id = ${id} and org_id = ${org}`)

export type DeliveryPage = Static<typeof DeliveryQuery> & {
  readonly org: string
  /** Behind this one, in the order of `sort`. */
  readonly before: string | null
}

export function selectDeliveries(db: Queryable, page: DeliveryPage): Promise<WebhookDelivery[]> {
  const { beyond, order } = directionOf(page.sort)
  return all<WebhookDelivery>(db)(sql`
    select * from payments.webhook_deliveries
     where org_id = ${page.org}
       and (${page.status}::text is null or status = ${page.status})
       and (${page.endpointId}::uuid is null or endpoint_id = ${page.endpointId}::uuid)
       and (${page.eventId}::text is null or event_id = ${page.eventId})
       and (${page.eventType}::text is null or event_type = ${page.eventType})
       and (${page.since}::timestamptz is null or created_at >= ${page.since}::timestamptz)
       and (${page.until}::timestamptz is null or created_at < ${page.until}::timestamptz)
       and (${page.before}::uuid is null or id ${beyond} ${page.before}::uuid)
     order by id ${order}
     limit ${page.limit}`)
}

/** The deliveries of events to a merchant's endpoints, whichever state they are in. */
export async function selectEventDeliveries(
  db: Queryable,
  { org, ids }: { readonly org: string; readonly ids: readonly string[] },
): Promise<EventDelivery[]> {
  if (ids.length === 0) return []
  return all<EventDelivery>(db)(sql`
    select d.id, d.event_id as "eventId", e.url, d.status, d.attempts,
           d.delivered_at as "deliveredAt"
      from payments.webhook_deliveries as d
      join payments.webhook_endpoints as e on e.id = d.endpoint_id
     where d.org_id = ${org} and d.event_id = any(${ids}::text[])
     order by d.id
     limit 1000`)
}

/** The texts of those deliveries that are sent as they came, by their ids. */
export const selectBodies = (db: Queryable, ids: readonly string[]) =>
  all<{ id: string; body: string }>(db)(sql`
    select id, body
      from payments.webhook_deliveries
     where id = any(${ids}::uuid[]) and body is not null`)

/** What waits for an endpoint and is not under way. */
export const selectWaiting = (
  tx: Transaction,
  { endpointId, limit }: { endpointId: string; limit: number },
) =>
  listIds(tx)(sql`
    select id from payments.webhook_deliveries
     where endpoint_id = ${endpointId} and status in ('pending', 'failed')
     order by id
     limit ${limit}`)

export interface MissedFilter {
  readonly endpointId: string
  readonly since: Date
  readonly until: Date | null
}

/** Deliveries of one replay at the most: call again for more. */
export const MOST_AT_ONCE = 10_000

/** What an endpoint missed in a time, abandoned or skipped while it was disabled; oldest first. */
export const selectMissed = (db: Queryable, { endpointId, since, until }: MissedFilter) =>
  all<Pick<WebhookDelivery, 'id' | 'status'>>(db)(sql`
    select id, status from payments.webhook_deliveries
     where endpoint_id = ${endpointId} and status in ('abandoned', 'skipped_disabled')
       and created_at >= ${since}
       and (${until}::timestamptz is null or created_at < ${until}::timestamptz)
     order by created_at, id
     limit ${MOST_AT_ONCE}`)

/** What waits for another attempt at an endpoint, of a time. */
export const selectRetries = (db: Queryable, { endpointId, since, until }: MissedFilter) =>
  listIds(db)(sql`
    select id from payments.webhook_deliveries
     where endpoint_id = ${endpointId} and status = 'failed' and claim_token is null
       and created_at >= ${since}
       and (${until}::timestamptz is null or created_at < ${until}::timestamptz)
     order by id
     limit ${MOST_AT_ONCE}`)

export const makeRetriesDue = (tx: Transaction, ids: readonly string[]) =>
  count(tx)(sql`
    update payments.webhook_deliveries
       set next_attempt_at = least(next_attempt_at, posthorn.now())
     where id = any(${ids}::uuid[]) and status = 'failed' and claim_token is null
    returning id`)

/**
 * Lets what was skipped, or delivered and is wanted once more, wait for a first attempt again, with
 * its transition. The engine's own replay is for what is dead.
 */
export const reviveDeliveries = (
  tx: Transaction,
  { ids, by }: { ids: readonly string[]; by: string },
) =>
  listIds(tx)(sql`
    with picked as (
      select id, status from payments.webhook_deliveries
       where id = any(${ids}::uuid[]) and status in ('skipped_disabled', 'delivered')
       order by id
         for update
    ),
    revived as (
      update payments.webhook_deliveries as d
         set status = 'pending', attempts = 0, lost_claims = 0, delivered_at = null,
             error = null, error_code = null, next_attempt_at = posthorn.now()
        from picked
       where d.id = picked.id
      returning d.id, picked.status as from_state, d.org_id
    ),
    noted as (
      insert into posthorn.transition
             (outbox, message_id, from_state, to_state, attempt, code, actor, tenant)
      select 'payments.webhook-deliveries', id::text, from_state, 'pending', 0, 'REPLAYED',
             ${by}, org_id
        from revived
    )
    select id from revived`)

export const selectAttempts = (
  db: Queryable,
  page: { deliveryId: string; before: string | undefined; limit: number },
) =>
  all<Omit<AttemptRow, 'payload'>>(db)(sql`
    select id, attempt_no, request_url, request_headers, response_status, response_headers,
           response_body, response_encoding, response_truncated, duration_ms, error_class, error,
           started_at
      from payments.webhook_attempts
     where delivery_id = ${page.deliveryId}
       and (${page.before}::uuid is null or id < ${page.before}::uuid)
     order by id desc
     limit ${page.limit}`)

/** Requests and their answers, with the transaction that settles them. */
export async function insertAttempts(tx: Transaction, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(sql`
    insert into payments.webhook_attempts
           (id, delivery_id, attempt_no, started_at, request_url, request_headers,
            response_status, response_headers, response_body, response_encoding,
            response_truncated, duration_ms, error_class, error)
    select a."id", a."deliveryId", a."attemptNo", coalesce(a."startedAt", now()),
           a."url", a."requestHeaders", a."status", a."responseHeaders", a."body", a."encoding",
           a."truncated", a."durationMs", a."errorClass", a."error"
      from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as
           a ("id" uuid, "deliveryId" uuid, "attemptNo" integer,
              "startedAt" timestamptz, "url" text, "requestHeaders" jsonb, "status" integer,
              "responseHeaders" jsonb, "body" text, "encoding" text, "truncated" boolean,
              "durationMs" integer, "errorClass" text, "error" text)`)
}

/** A delivery's place in its key's order, and how long the one before it still waits. */
export interface Place {
  readonly id: string
  readonly position: number
  /** Null: nothing waits before it but what is in the same batch. */
  readonly behind_ms: number | null
}

export const selectPlaces = (db: Queryable, ids: readonly string[]) =>
  all<Place>(db)(sql`
    select d.id, d.position::float8 as position, (
             select (extract(epoch from max(b.next_attempt_at) - posthorn.now()) * 1000)::float8
               from payments.webhook_deliveries b
              where b.endpoint_id = d.endpoint_id and b.order_key = d.order_key
                and b.position < d.position and b.status in ('pending', 'failed')
                and b.id <> all(${ids}::uuid[])
           ) as behind_ms
      from payments.webhook_deliveries d
     where d.id = any(${ids}::uuid[])`)

/** Lets what was held back behind finished deliveries go on. */
export async function wakeHeld(
  tx: Transaction,
  finished: readonly { endpointId: string; key: string }[],
): Promise<void> {
  if (finished.length === 0) return
  await tx.query(sql`
    update payments.webhook_deliveries as d
       set next_attempt_at = posthorn.now()
      from jsonb_to_recordset(${JSON.stringify(finished)}::jsonb) as f ("endpointId" uuid, "key" text)
     where d.endpoint_id = f."endpointId" and d.order_key = f."key"
       and d.status in ('pending', 'failed') and d.error_code = 'HELD_BACK'
       and d.claim_token is null`)
}

export async function insertRuns(
  tx: Transaction,
  id: string,
  runs: readonly RetryRun[],
): Promise<void> {
  if (runs.length === 0) return
  await tx.query(sql`
    insert into payments.webhook_retry_runs (id, org_id, processed, success, failed)
    select ${id}, r.org, r.processed, r.success, r.failed
      from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb)
        as r (org text, processed integer, success integer, failed integer)`)
}

export const selectRuns = (
  db: Queryable,
  page: { org: string; before: string | undefined; limit: number },
) =>
  all<RowOf<typeof RunResource>>(db)(sql`
    select id, processed, success, failed, ran_at from payments.webhook_retry_runs
     where org_id = ${page.org} and (${page.before}::uuid is null or id < ${page.before}::uuid)
     order by id desc
     limit ${page.limit}`)
