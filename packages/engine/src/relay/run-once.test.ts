import { describe, expect, test } from 'vitest'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { delivered, retryLater } from '../outbox/outcome.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'

interface Events {
  event: { n: number }
}

const destination = { transport: 'fake', topic: 'events' } as const
const claim = { batch: 10 }
const byRow = outbox<Events>('once.by_row', { destination, claim })
const byKey = outbox<Events>('once.by_key', { destination, claim, order: 'key' })
const logged = outbox<Events>('once.logged', { destination, claim, order: 'key', storage: 'log' })

const db = await testDatabase()

async function started(events: typeof byRow) {
  const transport = fakeTransport()
  const parts = { outboxes: [events], transports: { fake: transport }, log: silentLog }
  const app = posthorn({ pool: db.pool, ...parts })
  await app.setUp()
  const tables = events.log === undefined ? events.table : `${events.table}, ${events.log}`
  await db.pool.query(`truncate ${tables}, posthorn.held_key, posthorn.bucket`)
  return { app, transport }
}

const nOf = (payload: unknown) => (payload as { n: number }).n

describe.each([
  ['by row', byRow],
  ['by key', byKey],
  ['from a log', logged],
] as const)('one run of an outbox that is claimed %s', (_, events) => {
  test('delivers everything that is due, in the order of each key', async () => {
    const { app, transport } = await started(events)
    const messages = [...Array(240).keys()].map((n) => ({ n, key: `key-${n % 20}` }))
    await app.transaction(async (tx) => {
      for (const { n, key } of messages) await events.enqueue(tx, 'event', { n }, { key })
      for (let n = 1_000; n < 1_006; n += 1)
        await events.enqueue(tx, 'event', { n }, { key: 'one' })
      await events.enqueue(tx, 'event', { n: 9_999 }, { key: 'later', delay: '1h' })
    })
    expect(await app.runOnce()).toBeGreaterThanOrEqual(246)
    const arrived = transport.arrived.map(({ key, payload }) => ({ key, n: nOf(payload) }))
    expect(arrived).toHaveLength(246)
    if (events === byRow) return
    for (const group of Map.groupBy(arrived, ({ key }) => key).values()) {
      const order = group.map(({ n }) => n)
      expect(order).toEqual(order.toSorted((one, other) => one - other))
    }
  })

  test('ends where each message leads to another', async () => {
    const { app, transport } = await started(events)
    const put = (n: number) =>
      app.transaction((tx) => events.enqueue(tx, 'event', { n }, { key: `key-${n % 7}` }))
    transport.answer = async ({ payload }) => {
      await put(nOf(payload) + 100)
      return delivered()
    }
    for (let n = 0; n < 30; n += 1) await put(n)
    expect(await app.runOnce()).toBeLessThan(200)
    const first = transport.arrived.map(({ payload }) => nOf(payload)).filter((n) => n < 30)
    expect(first.toSorted((one, other) => one - other)).toEqual([...Array(30).keys()])
  })

  test('ends where every message is due again at once', async () => {
    const { app, transport } = await started(events)
    transport.answer = () => retryLater(new Error('not now'), { after: '0ms' })
    await app.transaction(async (tx) => {
      for (let n = 0; n < 30; n += 1) await events.enqueue(tx, 'event', { n }, { key: `key-${n}` })
    })
    await app.runOnce()
    const ids = new Set(transport.attempted.map(({ id }) => id))
    expect(ids.size).toBe(30)
  })
})

test('one run tries what a dead relay left in several outboxes, one after the other', async () => {
  const boxes = ['one', 'two', 'three'].map((name) =>
    outbox<Events>(`once.left_${name}`, { destination, claim }),
  )
  const transport = fakeTransport()
  transport.answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return delivered()
  }
  const parts = { outboxes: boxes, transports: { fake: transport }, log: silentLog }
  const app = await posthorn({ pool: db.pool, ...parts }).setUp()
  for (const [n, box] of boxes.entries()) {
    await app.transaction((tx) => box.enqueue(tx, 'event', { n }))
    await db.pool.query(
      `update ${box.table} set claim_token = gen_random_uuid(), claimed_until = now() - interval '1 s'`,
    )
  }
  expect(await app.runOnce()).toBe(3)
  expect(transport.arrived.map(({ payload }) => nOf(payload)).toSorted((a, b) => a - b)).toEqual([
    0, 1, 2,
  ])
})
