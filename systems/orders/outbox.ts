import { enqueue, type Message, type Transaction } from '@posthorn/engine'
import { SAGA_ID_HEADER, sagaEvents, type SagaEvents } from '@posthorn/saga'

/** The outbox `sagas.events`, by the broker and the topic of the configuration. */
export function orderEvents(transport: string, topic: string): SagaEvents {
  // The archive keeps them until their saga goes: see retention.ts.
  return sagaEvents({ transport, topic, archive: '3650d', label: ['payload.orderId', 'step'] })
}

export interface ReplyInit {
  /** Who answers. */
  readonly from: string
  readonly type: string
  readonly payload: object
}

/** Answers a command in the transaction that makes the answer true. */
export async function reply(
  tx: Transaction,
  { events, to }: { events: SagaEvents; to: Message },
  { from, type, payload }: ReplyInit,
): Promise<void> {
  const sagaId = to.headers[SAGA_ID_HEADER] ?? ''
  await enqueue(tx, events, {
    saga_id: sagaId,
    step: from,
    topic: events.topic,
    event_type: type,
    key: sagaId,
    tenant: to.tenant ?? null,
    payload,
  })
}
