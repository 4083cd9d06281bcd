import {
  defineOutbox,
  exponential,
  migrationsFrom,
  type Outbox,
  type OutboxRow,
} from '@posthorn/engine'

/** Every column that a filter can go by, and one that is secret. */
export const shopEvents: Outbox = defineOutbox<OutboxRow>({
  name: 'shop.events',
  table: 'shop.event',
  states: { ready: 'waiting', sent: 'sent', retry: 'failed', dead: 'dead', cancelled: 'cancelled' },
  columns: {
    dueAt: 'due_at',
    createdAt: 'created_at',
    type: 'type',
    tenant: 'org_id',
    error: 'error',
    errorCode: 'error_code',
  },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('1s', { attempts: 3 }),
  secrets: ['card'],
  destination: { transport: 'topics', topic: 'shop.events' },
  message: (row) => ({ id: String(row['id']), type: String(row['type']), payload: row['payload'] }),
})

/** In order by key; what is behind a dead message waits. */
export const shopOrders: Outbox = defineOutbox<OutboxRow>({
  name: 'shop.orders',
  table: 'shop.order_event',
  states: { ready: 'waiting', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', createdAt: 'created_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  order: { key: 'order_id', dead: 'block' },
  retry: exponential('1s', { attempts: 3 }),
  destination: { transport: 'topics', topic: 'shop.orders' },
  message: (row) => ({
    id: String(row['id']),
    type: 'order',
    key: String(row['order_id']),
    payload: {},
  }),
})

export function shopMigrations() {
  return migrationsFrom('shop', new URL('./migrations/', import.meta.url))
}

/** Two steps; the second takes some seconds, so that a demo can be stopped in its midst. */
const demo = {
  simulators: [],
  steps: () => [
    {
      id: 'look',
      title: 'A look',
      about: 'The outboxes are listed.',
      look: [{ label: 'Outboxes', path: '/outboxes' }],
      async play({ api, tell }: Stage) {
        await api.get('/api/v1/outboxes')
        tell('The shop has two outboxes.')
      },
    },
    {
      id: 'wait',
      title: 'A wait',
      about: 'The shop looks ten times.',
      look: [],
      async play({ api, tell }: Stage) {
        let looks = 0
        await api.until('/api/v1/outboxes', () => (looks += 1) > 10)
        tell('The shop has waited.')
      },
    },
  ],
}

interface Stage {
  readonly api: {
    get(path: string): Promise<unknown>
    until(path: string, isDone: () => boolean): Promise<unknown>
  }
  tell(sentence: string): void
}

/** For POSTHORN_CONFIG: a user's system. */
export const systems = [
  {
    name: 'shop',
    settings: { type: 'object', properties: {}, required: [] },
    migrations: shopMigrations,
    demo,
    open: () => ({ outboxes: [shopEvents, shopOrders] }),
  },
]
