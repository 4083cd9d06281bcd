import { sagaEvents, type SagaEvents } from '@posthorn/saga'

/** The outbox `sagas.events`, by the broker and the topic of the configuration. */
export function orderEvents(transport: string, topic: string): SagaEvents {
  // The archive keeps them until their saga goes: see retention.ts.
  return sagaEvents({ transport, topic, archive: '3650d', label: ['payload.orderId', 'step'] })
}
