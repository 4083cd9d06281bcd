import type { Outbox, Transaction } from '@posthorn/engine'
import { cancel, replay } from '@posthorn/engine/operate'
import { recordAudit } from './audit.ts'
import type { MessageState, OutboundMessage } from './message.ts'
import { findMessage, lockMessage, type MessageKey } from './queries.ts'

/** Who wants something done to which message. */
export interface MessageOrder extends MessageKey {
  readonly by: string
}

export type Ordered =
  | { readonly kind: 'done'; readonly message: OutboundMessage }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalidState'; readonly status: MessageState }
  /** What was to be sent is no longer kept. */
  | { readonly kind: 'contentsRemoved' }

/** Ends a message that still waits. */
export async function cancelMessage(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  order: MessageOrder,
): Promise<Ordered> {
  const message = await lockMessage(tx, order)
  if (!message) return { kind: 'missing' }
  if (message.status !== 'QUEUED') return { kind: 'invalidState', status: message.status }
  await cancel(tx, outbox, { ids: [order.id], by: order.by })
  return apply(tx, order, { action: 'CANCELLED', details: 'Message cancelled' })
}

/** Sends a failed message again, as if it had never been tried. */
export async function retryMessage(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  order: MessageOrder,
): Promise<Ordered> {
  const message = await lockMessage(tx, order)
  if (!message) return { kind: 'missing' }
  if (message.status !== 'FAILED') return { kind: 'invalidState', status: message.status }
  if (message.contents_removed_at !== null) return { kind: 'contentsRemoved' }
  await replay(tx, outbox, { filter: { ids: [order.id] }, by: order.by })
  return apply(tx, order, { action: 'RETRIED', details: 'Message queued again' })
}

async function apply(
  tx: Transaction,
  order: MessageOrder,
  event: { action: 'CANCELLED' | 'RETRIED'; details: string },
): Promise<Ordered> {
  const { orgId, id: entityId, by: actor } = order
  await recordAudit(tx, [{ orgId, entity: 'OUTBOUND_MESSAGE', entityId, actor, ...event }])
  const message = await findMessage(tx, order)
  return message ? { kind: 'done', message } : { kind: 'missing' }
}
