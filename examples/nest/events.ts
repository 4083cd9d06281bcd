import { outbox } from '@posthorn/engine'

export interface Events {
  'order.placed': { readonly order: number; readonly item: string }
}

export const events = outbox<Events>('shop.outbox', { order: 'key' })
