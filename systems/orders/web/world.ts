import type { SystemWorld } from '@posthorn/dashboard/testing'

export const world: SystemWorld = {
  views: [
    ['orders', '/sagas', 'OUT_OF_STOCK'],
    ['sagas', '/sagas?list=sagas', 'COMPENSATED'],
    ['saga', '/sagas/:saga', 'reserve'],
  ],
  async fill({ create, reaches }) {
    const order = { items: [{ sku: 'OUT-OF-STOCK', quantity: 1 }], amount: 1_000, currency: 'EUR' }
    const { sagaId: saga = '' } = await create('/api/v1/orders', order)
    await reaches(`/api/v1/sagas/${saga}`, 'COMPENSATED')
    return { saga }
  },
}
