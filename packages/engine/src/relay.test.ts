import { expect, test } from 'vitest'
import { createRelay } from './relay.ts'
import { enqueue, enqueueAll } from './enqueue.ts'
import { testDatabase } from './testing/index.ts'
import { familyEvents, outboxTables, webhookDeliveries } from './testing/outboxes.ts'
import { delivered } from './outcome.ts'
import type { Delivery } from './transport.ts'
import { transaction } from './transaction.ts'
import { uuid } from './uuid.ts'

const db = await testDatabase({ sql: outboxTables })

function recorder() {
  const got: Delivery[] = []
  return {
    got,
    deliver: async (batch: readonly Delivery[]) => {
      got.push(...batch)
      return batch.map(() => delivered())
    },
    close: async () => undefined,
  }
}

test('by row', async () => {
  const topics = recorder()
  const relay = createRelay({
    pool: db.pool,
    outboxes: [webhookDeliveries],
    transports: { topics },
  })
  await relay.start()
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      webhookDeliveries,
      Array.from({ length: 1000 }, (_, i) => ({ endpoint_id: 'e', payload: { i } })),
    ),
  )
  await expect.poll(() => topics.got.length, { timeout: 5000 }).toBe(1000)
  await relay.stop()
  const { rows } = await db.pool.query(
    'select status, count(*) from payments.webhook_deliveries group by 1',
  )
  expect(rows).toEqual([{ status: 'delivered', count: '1000' }])
})

test('by key', async () => {
  const topics = recorder()
  const relay = createRelay({ pool: db.pool, outboxes: [familyEvents], transports: { topics } })
  await relay.start()
  const keys = Array.from({ length: 20 }, () => uuid())
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      familyEvents,
      Array.from({ length: 1000 }, (_, i) => ({
        event_type: 'x',
        aggregate_type: 'f',
        aggregate_id: keys[i % 20]!,
        payload: { i },
      })),
    ),
  )
  await expect.poll(() => topics.got.length, { timeout: 5000 }).toBe(1000)
  await relay.stop()
  const { rows } = await db.pool.query(
    'select status, count(*) from families.outbox_events group by 1',
  )
  expect(rows).toEqual([{ status: 1, count: '1000' }])
})
