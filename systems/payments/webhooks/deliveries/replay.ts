import type { Transaction } from '@posthorn/engine'
import { replay } from '@posthorn/operate'
import { webhookDeliveries } from '../outbox.ts'
import type { WebhookDelivery } from './delivery.ts'
import { makeRetriesDue, reviveDeliveries } from './queries.ts'

type Chosen = readonly Pick<WebhookDelivery, 'id' | 'status'>[]

/** Sends finished deliveries again, with their attempts back at zero. Returns how many. */
export async function replayDeliveries(
  tx: Transaction,
  deliveries: Chosen,
  by: string,
): Promise<number> {
  const byState = Map.groupBy(deliveries, ({ status }) => status === 'abandoned')
  const idsOf = (isDead: boolean) => (byState.get(isDead) ?? []).map(({ id }) => id)
  const replayed = await replay(tx, webhookDeliveries, { filter: { ids: idsOf(true) }, by })
  const revived = await reviveDeliveries(tx, { ids: idsOf(false), by })
  tx.ringLater(webhookDeliveries.bell)
  return replayed.length + revived.length
}

/** Attempts them at once; their count of attempts goes on. Returns how many. */
export async function hastenRetries(tx: Transaction, ids: readonly string[]): Promise<number> {
  tx.ringLater(webhookDeliveries.bell)
  return makeRetriesDue(tx, ids)
}
