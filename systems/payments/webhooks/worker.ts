import {
  retryLater,
  type Delivery,
  type ErrorCode,
  type Failure,
  type Queryable,
} from '@posthorn/engine'
import {
  publicKeyOf,
  type Answered,
  type WebhookTarget,
  type WebhookCode,
} from '@posthorn/transports/webhook'
import type { Pool } from 'pg'
import type { Sealing, Receivers } from '@posthorn/system'
import { selectBodies, selectPlaces, type Place } from './deliveries/queries.ts'
import { ENDPOINT_DISABLED } from './deliveries/settling.ts'
import { selectSending, takeRequests, type Sending } from './endpoints/queries.ts'
import { retryInMs } from './endpoints/retry.ts'
import { OpenedWords, openUrl, secretOwner } from './endpoints/sealed.ts'

type Resolved = WebhookTarget | Answered

/**
 * Puts off what an endpoint's rate does not allow now, the last ones first. Endpoints without a rate
 * cost nothing here.
 */
async function paceDeliveries(
  db: Queryable,
  batch: readonly Delivery[],
  { resolved, endpoints }: { resolved: readonly Resolved[]; endpoints: readonly Sending[] },
): Promise<Resolved[]> {
  const result = [...resolved]
  const limited = endpoints.filter((each) => each.rate_per_second !== null)
  if (limited.length === 0) return result
  const rates = new Map(limited.map((each) => [each.id, each.rate_per_second]))
  const paced = batch.flatMap(({ destination: { topic } }, at) => {
    const target = resolved[at]
    const rate = rates.get(topic)
    if (target === undefined || 'kind' in target || rate === undefined || rate === null) return []
    return [{ at, topic, rate, place: target.place ?? 0 }]
  })
  if (paced.length === 0) return result
  const byTopic = Map.groupBy(paced, ({ topic }) => topic)
  const wanted = [...byTopic].map(([endpointId, all]) => ({
    ...{ endpointId, count: all.length },
    rate: all[0]?.rate ?? 1,
  }))
  for (const { endpoint_id: id, granted, slot_ms: slotMs } of await takeRequests(db, wanted)) {
    // In the order of their keys: what is put off is behind what goes.
    const all = (byTopic.get(id) ?? []).toSorted((a, b) => a.place - b.place)
    for (const [i, { at, rate }] of all.slice(granted).entries()) {
      result[at] = putOff(slotMs + ((i + 1) * 1_000) / rate)
    }
  }
  return result
}

function putOff(ms: number): Answered {
  const code: WebhookCode = 'WEBHOOK_PACED'
  const error = { code, message: "the endpoint's rate is used up for now" }
  return retryLater(error, { after: `${Math.ceil(ms)}ms`, charge: false })
}

export interface ResolveOptions {
  readonly pool: Pool
  readonly sealing: Sealing
  /** Those that the host plays itself are given their secrets. */
  readonly receivers: Receivers | undefined
}

/** How long a delivery waits before it is looked at again, where nothing tells it sooner. */
const AGAIN_MS = 1_000

/** Finds out where claimed deliveries go, and which of them need not be sent, or not yet. */
export function resolveDeliveries({ pool, sealing, receivers }: ResolveOptions) {
  const db: Queryable = pool
  const opened = new OpenedWords(sealing)
  return async (batch: readonly Delivery[]): Promise<(WebhookTarget | Answered)[]> => {
    const ids = batch.map(({ message }) => message.id)
    const keyed = batch.filter(({ message }) => message.key !== undefined)
    const topics = [...new Set(batch.map(({ destination }) => destination.topic))]
    const [endpoints, bodies, places] = await Promise.all([
      selectSending(db, topics),
      selectBodies(db, ids),
      keyed.length === 0
        ? []
        : selectPlaces(
            db,
            keyed.map(({ message }) => message.id),
          ),
    ])
    const targets = new Map<string, WebhookTarget>()
    for (const endpoint of endpoints) {
      const target = targetOf(endpoint, opened)
      await receivers?.introduce(target.url, target.secrets.map(sharedPartOf))
      targets.set(endpoint.id, target)
    }
    const bodyOf = new Map(bodies.map(({ id, body }) => [id, body]))
    const waitsOf = new Map(endpoints.map(({ id, retry_waits: waits }) => [id, waits]))
    const resolved = batch.map(({ message, destination }) => {
      const target = targets.get(destination.topic)
      if (!target) return disabledAnswer()
      const body = bodyOf.get(message.id)
      const waits = waitsOf.get(destination.topic) ?? []
      const failures = destination.options?.['failures']
      const isOwn = waits.length > 0 && typeof failures === 'number'
      if (body === undefined && !isOwn) return target
      return {
        ...target,
        ...(body !== undefined && { body }),
        ...(isOwn && { retryInMs: retryInMs(waits, failures) }),
      }
    })
    const ordered = keyed.length === 0 ? resolved : inOrder(batch, resolved, places)
    return paceDeliveries(db, batch, { resolved: ordered, endpoints })
  }
}

function targetOf(endpoint: Sending, opened: OpenedWords): WebhookTarget {
  const { id, secrets, timeout_ms: timeoutMs } = endpoint
  return {
    url: openUrl(endpoint, opened),
    secrets: secrets.map((word) => opened.open(word, secretOwner(id))),
    ...(timeoutMs !== null && { timeoutMs }),
  }
}

/** A merchant with a key pair gets the public key only. */
function sharedPartOf(secret: string): string {
  return secret.startsWith('whsk_') ? publicKeyOf(secret) : secret
}

function disabledAnswer(): Answered {
  const error = { code: ENDPOINT_DISABLED, message: 'the endpoint is disabled' }
  return retryLater(error, { after: `${AGAIN_MS}ms`, charge: false })
}

/**
 * Gives the deliveries of a key their places, and holds back those behind one that is not sent now,
 * whether it waits elsewhere or is of this batch.
 */
function inOrder(
  batch: readonly Delivery[],
  resolved: readonly (WebhookTarget | Answered)[],
  places: readonly Place[],
): (WebhookTarget | Answered)[] {
  const result = [...resolved]
  const placeOf = new Map(places.map((place) => [place.id, place]))
  const keyed = batch.flatMap(({ message, destination }, at) => {
    const place = placeOf.get(message.id)
    return place ? [{ at, place, name: JSON.stringify([destination.topic, message.key]) }] : []
  })
  const blocked = new Set<string>()
  for (const { at, place, name } of keyed.toSorted((a, b) => a.place.position - b.place.position)) {
    const each = result[at]
    if (each === undefined) continue
    if (blocked.has(name) || place.behind_ms !== null) {
      result[at] = heldBack(place.behind_ms ?? AGAIN_MS)
      blocked.add(name)
    } else if (!('kind' in each)) result[at] = { ...each, place: place.position }
    else if (each.kind !== 'delivered') blocked.add(name)
  }
  return result
}

function heldBack(behindMs: number): Answered {
  const error: Failure<ErrorCode> = {
    code: 'HELD_BACK',
    message: 'an earlier webhook of the same key has to go first',
  }
  // The one before wakes it when it is through; this is for the case that its relay dies.
  const after = `${Math.round(Math.max(behindMs, 0) + AGAIN_MS)}ms` as const
  return retryLater(error, { after, charge: false })
}
