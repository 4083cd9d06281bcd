import { outbox, type Outbox } from '@posthorn/engine'

/** For POSTHORN_CONFIG: outboxes of a user, and nothing else. */
export const outboxes = [
  outbox<{ 'order.placed': { order: number } }>('market.outbox', { order: 'key' }),
] as unknown as readonly Outbox[]
