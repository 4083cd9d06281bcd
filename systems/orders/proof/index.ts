import { pace } from '../../../proof/kit/stand/load.ts'
import type { SystemProof } from '../../../proof/kit/stand/system-proof.ts'
import { orderLines } from './ledger.ts'
import { selectFailedSagas, selectOrderSums } from './queries.ts'

const PER_SECOND = 1.5

/** Orders, most of which go through; some are out of stock or declined. */
export const proof: SystemProof = {
  name: 'orders',
  env: ({ broker }) => ({ SAGAS_BROKER: broker }),
  tables: ['sagas.saga'],
  async rest(db) {
    const { running, failed } = await selectOrderSums(db)
    return { 'sagas running': running + failed }
  },
  async mend(db, client) {
    const failed = await selectFailedSagas(db)
    for (const id of failed) {
      await client.ask({ method: 'POST', path: `/api/v1/sagas/${id}/resume`, json: {} })
    }
    return failed.length
  },
  inFlight: async (db) => ({ sagas: (await selectOrderSums(db)).running }),
  lines: orderLines,
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
