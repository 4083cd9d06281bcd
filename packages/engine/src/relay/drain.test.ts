import { expect, onTestFinished, test } from 'vitest'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { delivered } from '../outbox/outcome.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'

/* A function that runs on a schedule: it works for a while and leaves nothing behind. */

interface Events {
  event: { n: number }
}

const destination = { transport: 'fake', topic: 'events' } as const
const byRow = outbox<Events>('drain.by_row', { destination })
const byKey = outbox<Events>('drain.by_key', { destination, order: 'key' })
const logged = outbox<Events>('drain.logged', { destination, order: 'key', storage: 'log' })
const outboxes = [byRow, byKey, logged]

const db = await testDatabase()

async function setUp() {
  const pool = db.connect({ idleTimeoutMillis: 20, application_name: 'function' })
  const transport = fakeTransport()
  const parts = { outboxes, transports: { fake: transport }, log: silentLog, drain: '1s' } as const
  const app = await posthorn({ pool, ...parts }).setUp()
  onTestFinished(() => app.stop())
  return { app, transport }
}

const nOf = (payload: unknown) => (payload as { n: number }).n

async function countLeft() {
  const { rows } = await db.pool.query(
    `select (select count(*)::int from posthorn.session) as sessions,
            (select count(*)::int from pg_stat_activity
              where datname = current_database() and application_name = 'function') as connections`,
  )
  return rows[0]
}

test('a drain delivers what is due and what follows from it, and leaves nothing behind', async () => {
  const { app, transport } = await setUp()
  const put = (n: number) =>
    app.transaction(async (tx) => {
      for (const box of outboxes) await box.enqueue(tx, 'event', { n }, { key: `${n % 7}` })
    })
  for (let n = 0; n < 30; n += 1) await put(n)
  await app.transaction((tx) =>
    byRow.enqueue(tx, 'event', { n: 9_999 }, { key: 'late', delay: '1h' }),
  )
  transport.answer = async ({ payload }) => {
    const n = nOf(payload)
    // The first of each outbox leads to another.
    if (n === 0) await app.transaction((tx) => byKey.enqueue(tx, 'event', { n: 500 }, { key: 'x' }))
    return delivered()
  }
  const { claimed, dueInMs } = await app.drain({ for: '60s' })
  expect(transport.arrived.map(({ payload }) => nOf(payload)).filter((n) => n < 500)).toHaveLength(
    90,
  )
  expect(transport.arrived.filter(({ payload }) => nOf(payload) === 500)).toHaveLength(3)
  expect(claimed).toBeGreaterThanOrEqual(93)
  expect(dueInMs).toBeGreaterThan(3_500_000)
  expect(dueInMs).toBeLessThanOrEqual(3_600_000)
  await expect.poll(countLeft).toEqual({ sessions: 0, connections: 0 })
  await db.pool.query('truncate drain.by_row')
  expect(await app.drain({ for: '10s' })).toEqual({ claimed: 0, dueInMs: Infinity })
})

test('a drain ends when its time is up, and says that there is more', async () => {
  const { app, transport } = await setUp()
  const put = (n: number) => app.transaction((tx) => byRow.enqueue(tx, 'event', { n }))
  transport.answer = async ({ payload }) => {
    await put(nOf(payload) + 1)
    return delivered()
  }
  await put(1)
  const began = performance.now()
  const { dueInMs } = await app.drain({ for: '700ms' })
  expect(dueInMs).toBe(0)
  expect(performance.now() - began).toBeGreaterThanOrEqual(700)
  expect(transport.arrived.length).toBeGreaterThan(1)
  await expect.poll(countLeft).toEqual({ sessions: 0, connections: 0 })
  await db.pool.query('truncate drain.by_row')
})

test('a message that hangs holds up no other of a drain', async () => {
  const all = Promise.withResolvers<void>()
  let arrived = 0
  const handled = outbox<Events>('drain.handled', { order: 'key' })
  const handlers = handled.handle(
    {
      event: async ({ payload: { n } }) => {
        if (n === 0) await all.promise
        if ((arrived += 1) === 299) all.resolve()
      },
    },
    { transaction: false },
  )
  const app = await posthorn({ pool: db.pool, handlers, log: silentLog }).setUp()
  await app.transaction((tx) =>
    handled.enqueueAll(
      tx,
      [...Array(300).keys()].map((n) => ({ type: 'event', payload: { n }, key: `${n}` })),
    ),
  )
  expect(await app.drain({ for: '60s' })).toEqual({ claimed: 300, dueInMs: Infinity })
  expect(arrived).toBe(300)
})

test('a drain of a relay that runs leaves it running', async () => {
  const { app, transport } = await setUp()
  await app.start()
  await app.transaction((tx) => byRow.enqueue(tx, 'event', { n: 1 }))
  expect(await app.drain({ for: '30s' })).toMatchObject({ dueInMs: Infinity })
  expect(transport.arrived).toHaveLength(1)
  await app.transaction((tx) => byRow.enqueue(tx, 'event', { n: 2 }))
  await expect.poll(() => transport.arrived.length).toBe(2)
})

test('a start during a drain waits for its end, and then runs', async () => {
  const { app, transport } = await setUp()
  await app.transaction((tx) => byRow.enqueue(tx, 'event', { n: 1 }))
  const drained = app.drain({ for: '30s' })
  await app.start()
  await drained
  expect(transport.arrived).toHaveLength(1)
  await app.transaction((tx) => byRow.enqueue(tx, 'event', { n: 2 }))
  await expect.poll(() => transport.arrived.length).toBe(2)
})
