import { enqueueAll, type Transaction } from '@posthorn/engine'
import type { WebhookPayload } from './deliveries/delivery.ts'
import { filtersFor, type Subscribed } from './endpoints/endpoint.ts'
import { selectSubscribed } from './endpoints/queries.ts'
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
}

/**
 * Writes an event down for every endpoint of its merchant that wants it, in the caller's transaction.
 * For a disabled one it is kept as `skipped_disabled`. Returns the ids of new deliveries.
 */
export async function enqueueEvent(tx: Transaction, event: WebhookEvent): Promise<string[]> {
  const { org, type } = event
  const endpoints = await selectSubscribed(tx, { org, filters: filtersFor(type) })
  return enqueueFor(tx, endpoints, event)
}

/** The same for chosen endpoints, regardless of their filters. */
export async function enqueueFor(
  tx: Transaction,
  endpoints: readonly Subscribed[],
  { org, id, type, data, body, createdAt = new Date(), key = '' }: WebhookEvent,
): Promise<string[]> {
  const payload: WebhookPayload =
    body === undefined
      ? { id, type, createdAt: createdAt.toISOString(), data: data ?? null }
      : (JSON.parse(body) as WebhookPayload)
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
  const created = enqueued.map((each) => each.created)
  const skipped = endpoints.filter(({ status }, i) => status === 'disabled' && created[i])
  await insertTallies(
    tx,
    skipped.map((endpoint) => ({ endpointId: endpoint.id, skipped: 1 })),
  )
  return enqueued.filter((each) => each.created).map((each) => each.id)
}
