import { defineOutbox, exponential } from '@posthorn/engine'

/** A row of `shop.outbox`, as far as this application looks at it. */
export interface ShopEvent {
  id: string
  type: string
  payload: unknown
  status: string
  attempts: number
  due_at: Date
  error: string | null
}

export const shopEvents = defineOutbox<ShopEvent>({
  name: 'shop.events',
  table: 'shop.outbox',
  states: { ready: 'pending', retry: 'failed', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', error: 'error' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('2s', { attempts: 5 }),
  destination: { transport: 'print', topic: 'orders' },
  message: ({ id, type, payload }) => ({ id, type, payload }),
})
