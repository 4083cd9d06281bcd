import { defineOutbox, exponential } from '@posthorn/engine'
import { defineInbox } from '@posthorn/engine/inbox'

/** A row of `shop.outbox`. */
export interface ShopEvent {
  id: string
  type: string
  payload: { orderId: number }
  status: string
  attempts: number
  due_at: Date
  error: string | null
}

/** Messages of the shop, on their way to the topic `orders`. */
export const shopEvents = defineOutbox<ShopEvent>({
  name: 'shop.events',
  table: 'shop.outbox',
  states: { ready: 'pending', retry: 'failed', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', error: 'error' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('2s', { attempts: 5 }),
  destination: { transport: 'topics', topic: 'orders' },
  message: ({ id, type, payload }) => ({ id, type, payload }),
})

/** Which messages were done already. */
export const shopInbox = defineInbox({ table: 'shop.inbox', retention: '30d' })
