import {
  type ConsumerBatch,
  createNotifier,
  createRelay,
  schedule,
  silentLog,
} from '@posthorn/engine'
import { type AnySaga, sagas, sagaTurns } from '@posthorn/saga'
import { postgresTransport } from '@posthorn/transports/postgres'
import { Pool } from 'pg'
import { type Gateway, createGateway } from '@posthorn/gateway'
import { type Reach, reachCommits } from '@posthorn/system/testing'
import { orderSaga } from '../order-saga.ts'
import { orderEvents } from '../outbox.ts'
import { cashier } from '../payment/cashier.ts'
import { shipper } from '../shipment/shipper.ts'
import { stockKeeper } from '../stock/reservation.ts'
import { answers } from '../events.ts'

/** Each can be a process of its own. */
export const ROLES = ['relay', 'orchestrator', 'stock', 'payments', 'shipments', 'answers'] as const
export type Role = (typeof ROLES)[number]

export interface RoleOptions {
  readonly databaseUrl: string
  readonly gatewayUrl: string
  readonly reach: Reach
}

const TOPIC = 'sagas.events'
const OPENING = 1_000_000
const GATEWAY_TIMEOUT_MS = 500

/** Starts one part of the system; what it returns stops it. */
export async function startRole(role: Role, options: RoleOptions): Promise<() => Promise<void>> {
  const { databaseUrl, gatewayUrl, reach } = options
  const open = () => quiet(new Pool({ connectionString: databaseUrl, max: 8 }))
  const pool = reachCommits(open(), reach)
  const own = open()
  const events = orderEvents('topics', TOPIC)
  const topics = postgresTransport({
    pool: own,
    lease: '1s',
    poll: '100ms',
    retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
  })
  // On a busy machine a first connection may take longer than a subscription waits for one.
  await own.query('select')
  const gateway = reachGateway(gatewayUrl, reach)
  const participants = { pool, events, transport: 'topics', log: silentLog }
  const kinds = [reachSaga(orderSaga({ pool, gateway }), reach)]
  const consumers = {
    stock: () => stockKeeper(participants, OPENING),
    payments: () => cashier({ ...participants, gateway, callMs: 3 * GATEWAY_TIMEOUT_MS }),
    shipments: () => shipper(participants),
    answers: () => answers(pool, 'topics', TOPIC),
  }
  const relays = {
    relay: () => ({ outboxes: [events], transports: { topics } }),
    orchestrator: () => ({
      outboxes: [sagaTurns],
      transports: sagas(pool, kinds, { events }).transports,
    }),
  }
  const notifier = createNotifier(own, [sagaTurns, events])
  let stop = async () => {}
  if (role === 'relay' || role === 'orchestrator') {
    const { outboxes, transports } = relays[role]()
    const relay = createRelay({
      ...{ pool: own, outboxes, maintenance: 'off' },
      transports: Object.fromEntries(
        Object.entries(transports).map(([name, transport]) => [
          name,
          {
            ...transport,
            async deliver(...delivery: Parameters<typeof transport.deliver>) {
              await reach('claimed')
              const outcomes = await transport.deliver(...delivery)
              await reach('delivered')
              return outcomes
            },
          },
        ]),
      ),
    })
    await relay.start()
    stop = () => relay.stop()
  } else {
    const consumer = consumers[role]()
    await topics.subscribe({
      ...consumer,
      async handle(message, context) {
        await reach(`${message.type}: received`)
        await consumer.handle(message, context)
        await reach(`${message.type}: handled`)
      },
      ...(consumer.batch && { batch: reachBatch(consumer.batch, reach) }),
    })
  }
  return async () => {
    await stop()
    await topics.close()
    await notifier.close()
    await Promise.all([pool.end(), own.end()])
  }
}

function reachBatch({ size, handle }: ConsumerBatch, reach: Reach): ConsumerBatch {
  return {
    size,
    async handle(messages, context) {
      for (const { type } of messages) await reach(`${type}: received`)
      const results = await handle(messages, context)
      for (const { type } of messages) await reach(`${type}: handled`)
      return results
    },
  }
}

function quiet(pool: Pool): Pool {
  return pool.on('error', () => undefined)
}

function reachGateway(url: string, reach: Reach): Gateway {
  const settings = { GATEWAY_URL: url, GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS }
  const gateway = createGateway({ settings, baseUrl: () => '' })
  return {
    ...gateway,
    async charge(charge) {
      const charged = await gateway.charge(charge)
      await reach('charged')
      return charged
    },
    async refund(refund) {
      const refunded = await gateway.refund(refund)
      await reach('refunded')
      return refunded
    },
  }
}

function reachSaga(saga: AnySaga, reach: Reach): AnySaga {
  const steps = saga.steps.map((step): AnySaga['steps'][number] => ({
    ...step,
    action: async (...args) => {
      await reach(`${step.name}: begun`)
      const result = await step.action?.(...args)
      await reach(`${step.name}: done`)
      return result
    },
    compensate: step.compensate && reachCompensation(step.name, step.compensate, reach),
  }))
  return { ...saga, steps }
}

type Compensate = NonNullable<AnySaga['steps'][number]['compensate']>

function reachCompensation(name: string, compensate: Compensate, reach: Reach): Compensate {
  return async (...args) => {
    await reach(`undo ${name}: begun`)
    const result = await compensate(...args)
    await reach(`undo ${name}: done`)
    return result
  }
}
