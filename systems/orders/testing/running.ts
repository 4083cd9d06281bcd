import { type Subscriber, type Transport, createNotifier, createRelay } from '@posthorn/engine'
import { type TestDatabase, testDatabase } from '@posthorn/engine/testing'
import { gateway } from '@posthorn/gateway/simulators'
import { afterAll, expect } from 'vitest'
import { askWith, json } from '@posthorn/system/testing/ask'
import { serveSystem, signTestToken, type TestCaller } from '@posthorn/system/testing/serve'
import { orders } from '../index.ts'
import { topicMigrations } from '@posthorn/transports/postgres'
import { selectWrongStock } from './queries.ts'

export type Client = ReturnType<typeof clientOf>

export interface Charged {
  readonly charges: { id: string; idempotencyKey: string; status: string; amount: number }[]
  readonly refunds: { chargeId: string; amount: number }[]
}

export type Running = Awaited<ReturnType<typeof runOrders>>

/** The system's routes behind a real server, with the simulated gateway; closed after the file's tests. */
export async function runOrders(db: TestDatabase, env: Record<string, string> = {}) {
  // No system here takes its webhooks.
  const outside = [gateway()]
  const served = await serveSystem(orders, { pool: db.pool, env, outside })
  const { app, url, system, sim } = served
  const notifier = createNotifier(db.pool, system.outboxes)
  afterAll(async () => {
    await app.close()
    await notifier.close()
  })
  return {
    ...served,
    as: async (caller?: TestCaller) => clientOf(url, await signTestToken(caller)),
    /** What the gateway has of an order. */
    async ledger(orderId: string): Promise<Charged> {
      const { charges, refunds } = await sim<Charged>('GET', '/gateway/ledger')
      const mine = charges.filter(({ idempotencyKey }) => idempotencyKey.endsWith(orderId))
      const ids = new Set(mine.map(({ id }) => id))
      return { charges: mine, refunds: refunds.filter(({ chargeId }) => ids.has(chargeId)) }
    },
    fault: (order: object) => sim('POST', '/gateway/faults', order),
  }
}

/** Runs the sagas and all participants on a broker; what it returns stops them and closes the broker. */
export async function runParticipants(
  { system }: Running,
  { db, broker, name }: { db: TestDatabase; broker: Transport & Subscriber; name: string },
): Promise<() => Promise<void>> {
  const relay = createRelay({
    pool: db.connect(),
    outboxes: [...system.outboxes],
    transports: { ...system.transports, [name]: broker },
  })
  for (const consumer of system.consumers ?? []) await broker.subscribe(consumer)
  await relay.start()
  return async () => {
    await relay.stop()
    await broker.close()
  }
}

function clientOf(url: string, token: string) {
  const get = askWith(`${url}/api/v1`, token)
  const post = (path: string, body?: object, headers?: Record<string, string>) =>
    get(path, json('POST', body, headers))
  return {
    ...{ get, post },
    /** Places an order and returns its id and its saga's. */
    async order(fields = {}) {
      const items = [{ sku: 'LAMP', quantity: 2 }]
      const answer = await post('/orders', { items, amount: 4_200, currency: 'EUR', ...fields })
      if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
      return answer.body as { id: string; sagaId: string }
    },
    status: async (id: string) => String((await get(`/orders/${id}`)).body.status),
  }
}

/** A database with the tables of this system and of the Postgres topics. */
export async function orderDatabase(): Promise<TestDatabase> {
  return testDatabase({ migrations: [await topicMigrations(), await orders.migrations()] })
}

/** What is reserved is what the orders hold, sku by sku, and nothing came or went. */
export async function expectStockAddsUp({ pool }: TestDatabase): Promise<void> {
  expect(await selectWrongStock(pool, 1_000_000)).toEqual([])
}
