import { migrationsFrom } from '@posthorn/engine'
import { sagaMigrations, sagas } from '@posthorn/saga'
import { SIMULATED, createGateway } from '@posthorn/gateway'
import { gateway as simulatedGateway } from '@posthorn/gateway/simulators'
import { defineSystem } from '@posthorn/system'
import { demo } from './demo.ts'
import { heldOrderSaga, orderSaga } from './order-saga.ts'
import { orderEvents } from './outbox.ts'
import { PAYMENTS, cashier } from './payment/cashier.ts'
import { orderRetention } from './retention.ts'
import { orderKeys, orderRoutes } from './routes.ts'
import { oldestStuck } from './queries.ts'
import { sagaRoutes } from './sagas/routes.ts'
import { signalRoutes, steeringRoutes } from './sagas/steering.ts'
import { orderSettings } from './settings.ts'
import { SHIPMENTS, shipper } from './shipment/shipper.ts'
import { STOCK, stockKeeper } from './stock/reservation.ts'
import { ANSWERS, answers } from './events.ts'
import { followOrders, followSagaEvents, followSagas, searchOrders } from './things/queries.ts'

/** Calls that one attempt at a payment makes, one after the other: a charge, and three lookups. */
const CALLS = 4

/** Orders as durable sagas: stock, payment and shipment, each by a participant of its own. */
export const orders = defineSystem({
  name: 'orders',
  demo,
  settings: orderSettings,
  web: new URL('./web/', import.meta.url),
  async migrations() {
    const { name, migrations } = await sagaMigrations()
    const own = await migrationsFrom(name, new URL('./migrations/', import.meta.url))
    // One set: they share a schema, and the orders' tables need the sagas'.
    return { name, migrations: [...migrations, ...own.migrations] }
  },
  open({ pool, log, settings, baseUrl }) {
    const { SAGAS_BROKER: transport, SAGAS_TOPIC: topic } = settings
    const events = orderEvents(transport, topic)
    const gateway = createGateway({ settings, baseUrl })
    const kinds = { order: orderSaga({ pool, gateway }), held: heldOrderSaga({ pool, gateway }) }
    const flow = sagas(pool, [kinds.order, kinds.held], { events })
    const participants = { pool, events, transport, log }
    // A second for what is not the network's.
    const callMs = CALLS * settings.GATEWAY_TIMEOUT_MS + 1_000
    return {
      outboxes: flow.outboxes,
      transports: flow.transports,
      consumers: [
        stockKeeper(participants, settings.SAGAS_OPENING_STOCK),
        cashier({ ...participants, gateway, callMs }),
        shipper(participants),
        answers(pool, transport, topic),
      ],
      queues: [STOCK, PAYMENTS, SHIPMENTS, ANSWERS].map((group) => ({ transport, topic, group })),
      measures: [
        {
          name: 'posthorn_sagas_oldest_stuck_seconds',
          help: 'How long the oldest saga has been stuck',
          async read() {
            const ages = await oldestStuck(pool)
            return Object.entries(ages).map(([type, value]) => ({ labels: { type }, value }))
          },
        },
      ],
      searches: [searchOrders],
      follows: [followOrders, followSagaEvents, followSagas],
      retention: orderRetention({ keys: orderKeys }),
      simulators: settings.GATEWAY_URL === SIMULATED ? [simulatedGateway()] : [],
      routes(app) {
        orderRoutes(app, { pool, sagas: kinds })
        sagaRoutes(app, pool)
        steeringRoutes(app, pool)
        signalRoutes(app, { pool, keys: orderKeys, flow })
      },
    }
  },
})
