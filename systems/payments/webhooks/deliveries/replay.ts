import type { Queryable, Transaction } from '@posthorn/engine'
import { replay } from '@posthorn/engine/operate'
import { webhookDeliveries } from '../outbox.ts'
import type { WebhookDelivery } from './delivery.ts'
import { reviveDeliveries, selectMissed, type MissedFilter } from './queries.ts'

/** Deliveries of one replay at the most: call again for more. */
const MOST = 10_000

type Chosen = readonly Pick<WebhookDelivery, 'id' | 'status'>[]

/** Sends finished deliveries again, with their attempts back at zero. Returns how many. */
export async function replayDeliveries(
  tx: Transaction,
  deliveries: Chosen,
  by: string,
): Promise<number> {
  const [dead, other] = [
    deliveries.filter(({ status }) => status === 'abandoned'),
    deliveries.filter(({ status }) => status !== 'abandoned'),
  ]
  const replayed = await replay(tx, webhookDeliveries, { filter: { ids: idsOf(dead) }, by })
  const revived = await reviveDeliveries(tx, { ids: idsOf(other), by })
  tx.ringLater(webhookDeliveries.bell)
  return replayed.length + revived.length
}

/** What an endpoint missed in a time: abandoned, or skipped while it was disabled. */
export function findMissed(
  db: Queryable,
  { endpointId, since, until }: Omit<MissedFilter, 'limit'>,
): Promise<Chosen> {
  return selectMissed(db, { endpointId, since, until, limit: MOST })
}

function idsOf(deliveries: Chosen): string[] {
  return deliveries.map(({ id }) => id)
}
