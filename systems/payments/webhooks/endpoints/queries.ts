import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Endpoint } from './endpoint.ts'
import type { EndpointHealth } from './health.ts'

/** Endpoints that a merchant may have: an event is written once for each of them. */
const MOST_ENDPOINTS = 200
/** Secrets that sign at once at the most, however often an endpoint's is renewed. */
const MOST_SECRETS = 10

const COLUMNS = sql`id, org_id, url, event_types, ordered, status, disabled_at, disabled_reason,
           created_at, updated_at`

export interface NewEndpoint {
  readonly id: string
  readonly org: string
  readonly url: string
  readonly eventTypes: readonly string[]
  readonly ordered: boolean
}

/** Undefined if the merchant has as many as there may be. */
export async function insertEndpoint(
  tx: Transaction,
  { id, org, url, eventTypes, ordered }: NewEndpoint,
): Promise<Endpoint | undefined> {
  // Held until the end, so that two at once do not both count the last free place.
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(
             jsonb_build_array('webhook endpoints', ${org}::text)::text, 0))`)
  const { rows } = await tx.query<Endpoint>(sql`
    insert into payments.webhook_endpoints (id, org_id, url, event_types, ordered)
    select ${id}, ${org}, ${url}, ${eventTypes}::text[], ${ordered}::boolean
     where (select count(*) from payments.webhook_endpoints
             where org_id = ${org} and deleted_at is null) < ${MOST_ENDPOINTS}::int
    returning ${COLUMNS}`)
  return rows[0]
}

export async function findEndpoint(
  db: Queryable,
  { org, id }: { org: string; id: string },
): Promise<Endpoint | undefined> {
  const { rows } = await db.query<Endpoint>(sql`
    select ${COLUMNS} from payments.webhook_endpoints
     where id = ${id} and org_id = ${org} and deleted_at is null`)
  return rows[0]
}

/** The same, held against changes by others until the transaction ends. */
export async function lockEndpoint(
  tx: Transaction,
  { org, id }: { org: string; id: string },
): Promise<Endpoint | undefined> {
  const { rows } = await tx.query<Endpoint>(sql`
    select ${COLUMNS} from payments.webhook_endpoints
     where id = ${id} and org_id = ${org} and deleted_at is null
       for update`)
  return rows[0]
}

/** Newest first, those before `before`. */
export async function selectEndpoints(
  db: Queryable,
  page: { org: string; status: string | null; before: string | null; limit: number },
): Promise<Endpoint[]> {
  const { rows } = await db.query<Endpoint>(sql`
    select ${COLUMNS} from payments.webhook_endpoints
     where org_id = ${page.org} and deleted_at is null
       and (${page.status}::text is null or status = ${page.status})
       and (${page.before}::uuid is null or id < ${page.before}::uuid)
     order by id desc
     limit ${page.limit}`)
  return rows
}

/** Deliveries of a merchant that say how its endpoints are doing: an index away, however many there are. */
const RECENT = 1_000

/** Of each endpoint that something was owed to of late. */
export async function selectHealth(db: Queryable, org: string): Promise<EndpointHealth[]> {
  const { rows } = await db.query<EndpointHealth>(sql`
    with recent as (
      select * from payments.webhook_deliveries
       where org_id = ${org}
       order by id desc
       limit ${RECENT}::int
    ),
    broken as (
      select breaker ->> 'destination' as destination
        from posthorn.relay
       cross join lateral jsonb_array_elements(breakers) as breaker
       where outbox = 'payments.webhook-deliveries' and seen_at > now() - interval '15 s'
    )
    select endpoint_id,
           count(*) filter (where status = 'delivered')::int as delivered,
           count(*) filter (where status = 'pending')::int as waiting,
           count(*) filter (where status = 'failed')::int as failing,
           count(*) filter (where status = 'abandoned')::int as abandoned,
           count(*) filter (where status = 'skipped_disabled')::int as skipped,
           max(delivered_at) as last_delivered_at,
           (array_agg(id order by id desc)
             filter (where status in ('failed', 'abandoned')))[1] as last_failed_id,
           (array_agg(error order by id desc)
             filter (where status in ('failed', 'abandoned')))[1] as last_error,
           (array_agg(error_code order by id desc)
             filter (where status in ('failed', 'abandoned')))[1] as last_error_code,
           exists (select from broken where destination = 'webhooks:' || endpoint_id)
             as breaker_open
      from recent
     group by endpoint_id`)
  return rows
}

export interface EndpointChange {
  readonly id: string
  readonly url: string | null
  readonly eventTypes: readonly string[] | null
  readonly ordered: boolean | null
}

export async function updateEndpoint(tx: Transaction, change: EndpointChange): Promise<Endpoint> {
  const { rows } = await tx.query<Endpoint>(sql`
    update payments.webhook_endpoints
       set url = coalesce(${change.url}, url),
           event_types = coalesce(${change.eventTypes}::text[], event_types),
           ordered = coalesce(${change.ordered}::boolean, ordered),
           updated_at = posthorn.now()
     where id = ${change.id}
    returning ${COLUMNS}`)
  return rows[0] as Endpoint
}

export async function markEnabled(tx: Transaction, id: string): Promise<Endpoint> {
  const { rows } = await tx.query<Endpoint>(sql`
    update payments.webhook_endpoints
       set status = 'enabled', disabled_at = null, disabled_reason = null,
           updated_at = posthorn.now()
     where id = ${id}
    returning ${COLUMNS}`)
  return rows[0] as Endpoint
}

/** Those that were enabled until now. */
export async function markDisabled(
  tx: Transaction,
  { ids, reason }: { ids: readonly string[]; reason: string },
): Promise<Endpoint[]> {
  const { rows } = await tx.query<Endpoint>(sql`
    update payments.webhook_endpoints
       set status = 'disabled', disabled_at = posthorn.now(), disabled_reason = ${reason},
           updated_at = posthorn.now()
     where id = any(${ids}::uuid[]) and status = 'enabled'
    returning ${COLUMNS}`)
  return rows
}

export async function markDeleted(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`
    update payments.webhook_endpoints
       set deleted_at = posthorn.now(), updated_at = posthorn.now()
     where id = ${id}`)
  await tx.query(sql`delete from payments.webhook_secrets where endpoint_id = ${id}`)
}

/** Every endpoint of a merchant that wants an event, the disabled ones too. */
export async function selectSubscribed(
  tx: Transaction,
  { org, filters }: { org: string; filters: readonly string[] },
): Promise<Pick<Endpoint, 'id' | 'ordered' | 'status'>[]> {
  const { rows } = await tx.query<Pick<Endpoint, 'id' | 'ordered' | 'status'>>(sql`
    select id, ordered, status from payments.webhook_endpoints
     where org_id = ${org} and deleted_at is null and event_types && ${filters}::text[]
     order by id`)
  return rows
}

/** What a relay needs to know of an endpoint; `secrets` are sealed, newest first. */
export interface Signing {
  readonly id: string
  readonly url: string
  readonly secrets: readonly string[]
}

/** Of those that are enabled. */
export async function selectSigning(db: Queryable, ids: readonly string[]): Promise<Signing[]> {
  const { rows } = await db.query<Signing>(sql`
    select e.id, e.url,
           array(select s.sealed from payments.webhook_secrets s
                  where s.endpoint_id = e.id
                    and (s.expires_at is null or s.expires_at > posthorn.now())
                  order by s.expires_at is null desc, s.created_at desc, s.id desc
                  limit ${MOST_SECRETS}::int) as secrets
      from payments.webhook_endpoints e
     where e.id = any(${ids}::uuid[]) and e.status = 'enabled' and e.deleted_at is null`)
  return rows
}

export async function insertSecret(
  tx: Transaction,
  secret: { id: string; endpointId: string; sealed: string },
): Promise<void> {
  await tx.query(sql`
    insert into payments.webhook_secrets (id, endpoint_id, sealed)
    values (${secret.id}, ${secret.endpointId}, ${secret.sealed})`)
}

/** The current one signs for another day. */
export async function expireSecrets(tx: Transaction, endpointId: string): Promise<void> {
  await tx.query(sql`
    update payments.webhook_secrets
       set expires_at = posthorn.now() + interval '24 hours'
     where endpoint_id = ${endpointId} and expires_at is null`)
}
