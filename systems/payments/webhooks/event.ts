import { enqueueAll, type Handlers, type Transaction } from '@posthorn/engine'
import type { OrgEvent } from '@posthorn/system'
import type { WebhookPayload } from './deliveries/delivery.ts'
import { filtersFor, type Subscribed } from './endpoints/endpoint.ts'
import { isFanningOut, selectSubscribed } from './endpoints/queries.ts'
import { matchesFilter } from './filters/filter.ts'
import { insertTallies } from './health/queries.ts'
import { fanOuts, webhookDeliveries, type FanOut } from './outbox.ts'

/** Something that happened to a merchant. */
export interface WebhookEvent extends OrgEvent {
  /** Sent byte for byte instead of what the fields above make: JSON of an event from elsewhere. */
  readonly body?: string
  /** When it happened. Default now. */
  readonly createdAt?: Date
  /** An endpoint that it is about and that does not get it. */
  readonly except?: string
}

/** For more endpoints than this the caller's transaction writes one message, and a handler the deliveries. */
const FEW = 10

/**
 * Writes an event for every endpoint of its merchant that wants it, by its types and its filter, in the
 * caller's transaction. For a disabled endpoint it is kept as `skipped_disabled`. Returns the ids of new
 * deliveries; none if a handler writes them later.
 */
export async function enqueueEvent(tx: Transaction, event: WebhookEvent): Promise<string[]> {
  const { org, id, type, body, key, except } = event
  const fanOut = {
    ...{ org, id, type, payload: payloadOf(event) },
    ...(body !== undefined && { body }),
    ...(key !== undefined && { key }),
    ...(except !== undefined && { except }),
  }
  const endpoints = await selectSubscribed(tx, { org, filters: filtersFor(type), limit: FEW + 1 })
  // Events that still wait go first: an ordered endpoint gets those of one key in sequence.
  if (endpoints.length > FEW || (await isFanningOut(tx, org))) {
    await fanOuts.enqueue(tx, 'webhook.fan-out', fanOut, { key: org, tenant: org })
    return []
  }
  return writeDeliveries(tx, fanOut, endpoints)
}

/** Writes the deliveries of events that have many endpoints, one event of a merchant at a time. */
export function fanOutHandlers(): Handlers {
  return fanOuts.handle({
    async 'webhook.fan-out'({ payload: fanOut, tx }) {
      const { org, type } = fanOut
      await writeDeliveries(
        tx,
        fanOut,
        await selectSubscribed(tx, { org, filters: filtersFor(type), limit: null }),
      )
    },
  })
}

async function writeDeliveries(
  tx: Transaction,
  fanOut: FanOut,
  endpoints: readonly Subscribed[],
): Promise<string[]> {
  const [wanted, filtered] = splitByFilter(
    endpoints.filter(({ id }) => id !== fanOut.except),
    fanOut.payload,
  )
  await insertTallies(
    tx,
    filtered.map(({ id: endpointId }) => ({ endpointId, filtered: 1 })),
  )
  return enqueuePayload(tx, wanted, fanOut)
}

/** The same for chosen endpoints, regardless of their types and filters. */
export async function enqueueFor(
  tx: Transaction,
  endpoints: readonly Subscribed[],
  event: WebhookEvent,
): Promise<string[]> {
  return enqueuePayload(tx, endpoints, { ...event, payload: payloadOf(event) })
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
  { org, id, type, payload, body, key = '' }: Omit<FanOut, 'except'>,
): Promise<string[]> {
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
