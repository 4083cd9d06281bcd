import { retryLater, type Delivery, type Queryable } from '@posthorn/engine'
import type { Answered, WebhookCode, WebhookTarget } from '@posthorn/transports/webhook'
import { takeRequests, type Sending } from './queries.ts'

type Resolved = WebhookTarget | Answered

/**
 * Puts off what an endpoint's rate does not allow now, the last ones first. Endpoints without a rate
 * cost nothing here.
 */
export async function paceDeliveries(
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
