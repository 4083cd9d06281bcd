import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first, listIds, one, some } from '@posthorn/system'
import type { Filter } from '../filters/filter.ts'
import type { StoredUrl } from './sealed.ts'
import type { Endpoint, Signing, Subscribed } from './endpoint.ts'
import type { RetryPolicy } from './retry.ts'

/** Endpoints that a merchant may have: an event is written once for each of them. */
const MOST_ENDPOINTS = 200
/** Secrets that sign at once at the most, however often an endpoint's is renewed. */
const MOST_SECRETS = 10

const COLUMNS = sql`id, org_id, url, url_query, event_types, ordered, retry_waits, retry_attempts, timeout_ms,
           rate_per_second, signing, filter, failing_since, status, disabled_at, disabled_reason, created_at,
           updated_at,
           array(select s.public_key from payments.webhook_secrets s
                  where s.endpoint_id = webhook_endpoints.id and s.public_key is not null
                    and (s.expires_at is null or s.expires_at > posthorn.now())
                  order by s.expires_at is null desc, s.created_at desc, s.id desc) as public_keys`

/** What a merchant decides about an endpoint. */
export interface EndpointSettings extends StoredUrl {
  readonly eventTypes: readonly string[]
  readonly ordered: boolean
  readonly retry: RetryPolicy | null
  readonly timeoutMs: number | null
  readonly ratePerSecond: number | null
  readonly filter: Filter | null
}

/** Undefined if the merchant has as many as there may be. */
export async function insertEndpoint(
  tx: Transaction,
  endpoint: EndpointSettings & { id: string; org: string; signing: Signing },
): Promise<Endpoint | undefined> {
  const { id, org, url, eventTypes, ordered, retry, timeoutMs, ratePerSecond } = endpoint
  // Held until the end, so that two at once do not both count the last free place.
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(
             jsonb_build_array('webhook endpoints', ${org}::text)::text, 0))`)
  return first<Endpoint>(tx)(sql`
    insert into payments.webhook_endpoints
           (id, org_id, url, url_query, event_types, ordered, retry_waits, retry_attempts, timeout_ms,
            rate_per_second, signing, filter)
    select ${id}, ${org}, ${url}, ${endpoint.url_query}::text, ${eventTypes}::text[], ${ordered}::boolean,
           ${retry?.waits}::integer[], ${retry?.attempts}::smallint,
           ${timeoutMs}::integer, ${ratePerSecond}::integer,
           ${endpoint.signing},
           ${endpoint.filter && JSON.stringify(endpoint.filter)}::jsonb
     where (select count(*) from payments.webhook_endpoints
             where org_id = ${org} and deleted_at is null) < ${MOST_ENDPOINTS}::int
    returning ${COLUMNS}`)
}

/** Where endpoints are, by their ids; of deleted ones too, as long as something is owed to them. */
export async function selectUrls(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; url: string }>(sql`
    select id, split_part(url, '?', 1) as url from payments.webhook_endpoints where id::text = any(${ids}::text[])`)
  return new Map(rows.map(({ id, url }) => [id, url]))
}

export const findEndpoint = (db: Queryable, { org, id }: { org: string; id: string }) =>
  first<Endpoint>(db)(sql`
    select ${COLUMNS} from payments.webhook_endpoints
     where id = ${id} and org_id = ${org} and deleted_at is null`)

/** The same, held against changes by others until the transaction ends. */
export const lockEndpoint = (tx: Transaction, { org, id }: { org: string; id: string }) =>
  first<Endpoint>(tx)(sql`
    select ${COLUMNS} from payments.webhook_endpoints
     where id = ${id} and org_id = ${org} and deleted_at is null
       for update`)

/** Newest first, those before `before`. */
export const selectEndpoints = (
  db: Queryable,
  page: { org: string; status?: string | undefined; before: string | undefined; limit: number },
) =>
  all<Endpoint>(db)(sql`
    select ${COLUMNS} from payments.webhook_endpoints
     where org_id = ${page.org} and deleted_at is null
       and (${page.status}::text is null or status = ${page.status})
       and (${page.before}::uuid is null or id < ${page.before}::uuid)
     order by id desc
     limit ${page.limit}`)

/** The endpoints that charts show at the most: the newest. */
const MOST_CHARTED = 200

export const selectEndpointIds = (db: Queryable, org: string) =>
  listIds(db)(sql`
    select id from payments.webhook_endpoints
     where org_id = ${org} and deleted_at is null
     order by id desc
     limit ${MOST_CHARTED}`)

export const updateEndpoint = (
  tx: Transaction,
  id: string,
  { url, eventTypes, ordered, retry, timeoutMs, ratePerSecond, ...rest }: EndpointSettings,
) =>
  one<Endpoint>(tx)(sql`
    update payments.webhook_endpoints
       set url = ${url}, url_query = ${rest.url_query}, event_types = ${eventTypes}::text[], ordered = ${ordered}::boolean,
           retry_waits = ${retry?.waits}::integer[],
           retry_attempts = ${retry?.attempts}::smallint,
           timeout_ms = ${timeoutMs}::integer, rate_per_second = ${ratePerSecond}::integer,
           filter = ${rest.filter && JSON.stringify(rest.filter)}::jsonb,
           updated_at = posthorn.now()
     where id = ${id}
    returning ${COLUMNS}`)

export const markSigning = (tx: Transaction, { id, signing }: { id: string; signing: Signing }) =>
  one<Endpoint>(tx)(sql`
    update payments.webhook_endpoints
       set signing = ${signing}, updated_at = posthorn.now()
     where id = ${id}
    returning ${COLUMNS}`)

export const markEnabled = (tx: Transaction, id: string) =>
  one<Endpoint>(tx)(sql`
    update payments.webhook_endpoints
       set status = 'enabled', disabled_at = null, disabled_reason = null,
           failing_since = null, last_failed_at = null, warned_at = null,
           updated_at = posthorn.now()
     where id = ${id}
    returning ${COLUMNS}`)

/** Those that were enabled until now. */
export const markDisabled = (
  tx: Transaction,
  { ids, reason }: { ids: readonly string[]; reason: string },
) =>
  all<Endpoint>(tx)(sql`
    update payments.webhook_endpoints
       set status = 'disabled', disabled_at = posthorn.now(), disabled_reason = ${reason},
           updated_at = posthorn.now()
     where id = any(${ids}::uuid[]) and status = 'enabled'
    returning ${COLUMNS}`)

export async function markDeleted(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`
    update payments.webhook_endpoints
       set deleted_at = posthorn.now(), url_query = null, updated_at = posthorn.now()
     where id = ${id}`)
  await tx.query(sql`delete from payments.webhook_secrets where endpoint_id = ${id}`)
}

/** Every endpoint of a merchant that wants an event, the disabled ones too. */
export const selectSubscribed = (
  tx: Transaction,
  { org, filters, limit }: { org: string; filters: readonly string[]; limit: number | null },
) =>
  all<Subscribed>(tx)(sql`
    select id, ordered, status, retry_attempts, filter from payments.webhook_endpoints
     where org_id = ${org} and deleted_at is null and event_types && ${filters}::text[]
     order by id
     limit ${limit}::int`)

/** Whether events of a merchant still wait for their deliveries to be written. */
export const isFanningOut = (tx: Transaction, org: string) =>
  some(tx)(sql`select from payments.fan_outs where key = ${org} and status = 'pending' limit 1`)

/** What a relay needs to know of an endpoint; `secrets` are sealed, newest first. */
export interface Sending extends Pick<
  Endpoint,
  'id' | 'url' | 'url_query' | 'retry_waits' | 'timeout_ms' | 'rate_per_second'
> {
  readonly secrets: readonly string[]
}

/** Of those that are enabled. */
export const selectSending = (db: Queryable, ids: readonly string[]) =>
  all<Sending>(db)(sql`
    select e.id, e.url, e.url_query, e.retry_waits, e.timeout_ms, e.rate_per_second,
           array(select s.sealed from payments.webhook_secrets s
                  where s.endpoint_id = e.id
                    and (s.expires_at is null or s.expires_at > posthorn.now())
                  order by s.expires_at is null desc, s.created_at desc, s.id desc
                  limit ${MOST_SECRETS}::int) as secrets
      from payments.webhook_endpoints e
     where e.id = any(${ids}::uuid[]) and e.status = 'enabled' and e.deleted_at is null`)

export const insertSecret = (
  tx: Transaction,
  secret: { id: string; endpointId: string; sealed: string; publicKey: string | null },
) =>
  tx.query(sql`
    insert into payments.webhook_secrets (id, endpoint_id, sealed, public_key)
    values (${secret.id}, ${secret.endpointId}, ${secret.sealed}, ${secret.publicKey})`)

/** The current one signs for another day. */
export const expireSecrets = (tx: Transaction, endpointId: string) =>
  tx.query(sql`
    update payments.webhook_secrets
       set expires_at = posthorn.now() + interval '24 hours'
     where endpoint_id = ${endpointId} and expires_at is null`)

/** Requests that relays want to send to an endpoint with a rate. */
export interface Wanted {
  readonly endpointId: string
  readonly rate: number
  readonly count: number
}

/** How many of them may go now, and when the first of the others may. */
export interface Granted {
  readonly endpoint_id: string
  readonly granted: number
  readonly slot_ms: number
}

/**
 * Takes requests from what the endpoints' rates allow, by one bucket for all relays: as many as a
 * second's worth at once, refilled by real time. Those beyond get slots one after the other, behind
 * the ones that were put off before.
 */
export const takeRequests = (db: Queryable, wanted: readonly Wanted[]) =>
  all<Granted>(db)(sql`
    insert into payments.webhook_rates as r
           (endpoint_id, tokens, refilled_at, granted, slot, next_slot)
    select w."endpointId", w."rate" - least(w."count", w."rate"), now(),
           least(w."count", w."rate"), now(),
           now() + greatest(0, w."count" - w."rate") * interval '1 second' / w."rate"
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w ("endpointId" uuid, "rate" integer, "count" integer)
     -- In one order, so that two relays cannot deadlock.
     order by w."endpointId"
        on conflict (endpoint_id) do update
       set (tokens, refilled_at, granted, slot, next_slot) = (
             select b.filled - b.granted, clock_timestamp(), b.granted,
                    greatest(r.next_slot, clock_timestamp()),
                    greatest(r.next_slot, clock_timestamp())
                      + (b.count - b.granted) * interval '1 second' / b.rate
               from (select a.*, least(a.count, floor(a.filled)::int) as granted
                       from (select w."rate" as rate, w."count" as count,
                                    least(w."rate", r.tokens + w."rate" * extract(epoch from
                                      clock_timestamp() - r.refilled_at)::float8) as filled
                               from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
                                 as w ("endpointId" uuid, "rate" integer, "count" integer)
                              where w."endpointId" = r.endpoint_id) as a) as b)
    returning endpoint_id, granted,
              greatest(0, extract(epoch from slot - clock_timestamp()) * 1000)::float8 as slot_ms`)
