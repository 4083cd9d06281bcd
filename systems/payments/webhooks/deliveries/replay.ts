import type { Queryable, Transaction } from '@posthorn/engine'
import { replay } from '@posthorn/operate'
import { webhookDeliveries } from '../outbox.ts'
import type { WebhookDelivery } from './delivery.ts'
import {
  makeRetriesDue,
  reviveDeliveries,
  selectMissed,
  selectRetries,
  type MissedFilter,
} from './queries.ts'

/** Deliveries of one replay at the most: call again for more. */
export const MOST_AT_ONCE = 10_000

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
  return selectMissed(db, { endpointId, since, until, limit: MOST_AT_ONCE })
}

/** What waits for another attempt, of the same time. */
export function findRetries(
  db: Queryable,
  window: Omit<MissedFilter, 'limit'>,
): Promise<readonly string[]> {
  return selectRetries(db, { ...window, limit: MOST_AT_ONCE })
}

/** Attempts them at once; their count of attempts goes on. Returns how many. */
export async function hastenRetries(tx: Transaction, ids: readonly string[]): Promise<number> {
  tx.ringLater(webhookDeliveries.bell)
  return makeRetriesDue(tx, ids)
}

function idsOf(deliveries: Chosen): string[] {
  return deliveries.map(({ id }) => id)
}
