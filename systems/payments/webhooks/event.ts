import { enqueueAll, type Transaction } from '@posthorn/engine'
import type { WebhookPayload } from './deliveries/delivery.ts'
import { filtersFor, type Subscribed } from './endpoints/endpoint.ts'
import { selectSubscribed } from './endpoints/queries.ts'
import { matchesFilter } from './filters/filter.ts'
import { insertTallies } from './health/queries.ts'
import { webhookDeliveries } from './outbox.ts'

/** Something that happened to a merchant. */
export interface WebhookEvent {
  readonly org: string
  /** Its own: announced again, it is not delivered again. */
  readonly id: string
  /** E.g. `payment.succeeded`. */
  readonly type: string
  readonly data: unknown
  /** Sent byte for byte instead of what the fields above make: JSON of an event from elsewhere. */
  readonly body?: string
  /** When it happened. Default now. */
  readonly createdAt?: Date
  /** What it is about: an ordered endpoint gets the events of one key one after the other. */
  readonly key?: string
  /** An endpoint that it is about and that does not get it. */
  readonly except?: string
}

/**
 * Writes an event down for every endpoint of its merchant that wants it, by its types and its filter,
 * in the caller's transaction.
 * For a disabled one it is kept as `skipped_disabled`. Returns the ids of new deliveries.
 */
export async function enqueueEvent(tx: Transaction, event: WebhookEvent): Promise<string[]> {
  const { org, type } = event
  const subscribed = await selectSubscribed(tx, { org, filters: filtersFor(type) })
  const endpoints = subscribed.filter(({ id }) => id !== event.except)
  const payload = payloadOf(event)
  const [wanted, filtered] = splitByFilter(endpoints, payload)
  await insertTallies(
    tx,
    filtered.map(({ id: endpointId }) => ({ endpointId, filtered: 1 })),
  )
  return enqueuePayload(tx, wanted, { event, payload })
}

/** The same for chosen endpoints, regardless of their types and filters. */
export async function enqueueFor(
  tx: Transaction,
  endpoints: readonly Subscribed[],
  event: WebhookEvent,
): Promise<string[]> {
  return enqueuePayload(tx, endpoints, { event, payload: payloadOf(event) })
}

function payloadOf({ id, type, data, body, createdAt = new Date() }: WebhookEvent): WebhookPayload {
  return body === undefined
    ? { id, type, createdAt: createdAt.toISOString(), data: data ?? null }
    : (JSON.parse(body) as WebhookPayload)
}

function splitByFilter(
  endpoints: readonly Subscribed[],
  payload: WebhookPayload,
): [wanted: Subscribed[], filtered: Subscribed[]] {
  const isWanted = ({ filter }: Subscribed) => filter === null || matchesFilter(filter, payload)
  return [endpoints.filter(isWanted), endpoints.filter((each) => !isWanted(each))]
}

async function enqueuePayload(
  tx: Transaction,
  endpoints: readonly Subscribed[],
  { event, payload }: { event: WebhookEvent; payload: WebhookPayload },
): Promise<string[]> {
  const { org, id, type, body, key = '' } = event
  const enqueued = await enqueueAll(
    tx,
    webhookDeliveries,
    endpoints.map((endpoint) => ({
      org_id: org,
      endpoint_id: endpoint.id,
      event_id: id,
      event_type: type,
      order_key: endpoint.ordered ? key : null,
      payload,
      max_attempts: endpoint.retry_attempts,
      ...(body !== undefined && { body }),
      status: endpoint.status === 'enabled' ? ('pending' as const) : ('skipped_disabled' as const),
    })),
  )
  const skipped = endpoints.filter((each, i) => each.status === 'disabled' && enqueued[i]?.created)
  await insertTallies(
    tx,
    skipped.map((endpoint) => ({ endpointId: endpoint.id, skipped: 1 })),
  )
  return enqueued.filter(({ created }) => created).map((each) => each.id)
}
