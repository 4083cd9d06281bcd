import { pace, type Load } from './load.ts'

const PER_SECOND = 1.5

/** Orders, most of which go through; some are out of stock or declined. */
export const orders: Load = {
  system: 'orders',
  run: ({ client, random, rate, over }) =>
    pace(PER_SECOND * rate, over, async (i) => {
      const luck = random.fraction()
      const sku = luck < 0.1 ? 'OUT-OF-STOCK' : `SKU-${i % 7}`
      const amount = (10 + random.below(90)) * 100 + (luck > 0.9 ? 2 : 49)
      await client.ask({
        ...{ method: 'POST', path: '/api/v1/orders', key: `order-${i}` },
        json: { items: [{ sku, quantity: 1 + random.below(3) }], amount, currency: 'EUR' },
      })
    }),
}
