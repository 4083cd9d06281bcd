import type { DemoChapter, DemoStep } from '@posthorn/system'

interface Order {
  readonly id: string
  readonly status: string
}

const ORDERS = [
  { sku: 'LAMP', amount: 4_900, status: 'COMPLETED', what: 'The lamp is paid and on its way' },
  {
    sku: 'OUT-OF-STOCK',
    amount: 2_500,
    status: 'COMPENSATED',
    what: 'There was nothing to reserve, so nothing was paid or shipped',
  },
  {
    sku: 'CHAIR',
    amount: 9_902,
    status: 'COMPENSATED',
    what: 'The card was declined, so the reserved chair went back into stock',
  },
] as const

const orders: DemoStep = {
  id: 'orders',
  title: 'Three orders',
  about:
    'Each order is a saga: reserve stock, take payment, book the shipment. One goes through, one is ' +
    'out of stock, one is declined; what was done before a failure is undone.',
  look: [
    { label: 'Orders and sagas', path: '/sagas' },
    { label: 'Their events', path: '/outboxes/sagas.events' },
  ],
  async play({ api, run, tell }) {
    const placed = await Promise.all(
      ORDERS.map(({ sku, amount }) =>
        api.post<Order>('/api/v1/orders', {
          json: { items: [{ sku, quantity: 1 }], amount, currency: 'EUR' },
          headers: { 'idempotency-key': `demo-${run}-${sku}` },
        }),
      ),
    )
    for (const [i, { id }] of placed.entries()) {
      const { status, what } = ORDERS[i] ?? ORDERS[0]
      await api.until<Order>(`/api/v1/orders/${id}`, (order) => order.status === status)
      tell(`${what}: ${status}.`)
    }
  },
}

export const demo: DemoChapter = {
  simulators: ['gateway'],
  firstRequest: {
    path: '/api/v1/orders',
    json: { items: [{ sku: 'LAMP', quantity: 2 }], amount: 4200, currency: 'EUR' },
  },
  steps: () => [orders],
}
