import { expect, onTestFinished, test } from 'vitest'
import type { Duration } from '../duration.ts'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { delivered } from '../outbox/outcome.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'

/* A serverless database suspends only while nobody is connected. */

interface Events {
  event: { n: number }
}

const destination = { transport: 'fake', topic: 'events' } as const
const byRow = outbox<Events>('sleepy.by_row', { destination })
const byKey = outbox<Events>('sleepy.by_key', { destination, order: 'key' })

const db = await testDatabase()
const patience = { timeout: 15_000 }

/** A relay that sleeps soon, with a pool that is its own. */
async function start({ atMost }: { atMost: Duration } = { atMost: '1h' }) {
  const pool = db.connect({ idleTimeoutMillis: 20, application_name: 'sleepy' })
  const transport = fakeTransport()
  const app = await posthorn({
    pool,
    outboxes: [byRow, byKey],
    transports: { fake: transport },
    log: silentLog,
    sleepAfter: '300ms',
    sleepAtMost: atMost,
  }).setUp()
  onTestFinished(() => app.stop())
  await db.pool.query('truncate sleepy.by_row, sleepy.by_key, posthorn.held_key')
  await app.start()
  return { app, transport }
}

async function countConnections() {
  const { rows } = await db.pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and application_name = 'sleepy'`,
  )
  return rows[0]?.count
}

const untilAsleep = () => expect.poll(countConnections, patience).toBe(0)

/** As another process would: nothing rings here. */
const enqueueElsewhere = (n: number) =>
  db.pool.query(`select posthorn.enqueue('sleepy.by-row', 'event', $1)`, [{ n }])

test('an idle relay closes its connections, and an enqueue of this process wakes it', async () => {
  const { app, transport } = await start()
  for (let n = 1; n <= 3; n += 1) {
    await untilAsleep()
    await app.transaction((tx) => byKey.enqueue(tx, 'event', { n }, { key: '7' }))
    await expect.poll(() => transport.arrived.length, patience).toBe(n)
  }
  await untilAsleep()
  const sessions = async () => (await db.pool.query('select from posthorn.session')).rowCount
  await expect.poll(sessions, patience).toBe(0)
})

test('asleep it does not hear another process, until it is woken', async () => {
  const { app, transport } = await start()
  await untilAsleep()
  await enqueueElsewhere(1)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect({ arrived: transport.arrived.length, connections: await countConnections() }).toEqual({
    arrived: 0,
    connections: 0,
  })
  app.wake()
  await expect.poll(() => transport.arrived.length, patience).toBe(1)
})

test('it wakes when the next message is due', async () => {
  const { app, transport } = await start()
  await app.transaction((tx) => byRow.enqueue(tx, 'event', { n: 1 }, { delay: '3s' }))
  const began = performance.now()
  await untilAsleep()
  expect(transport.arrived).toEqual([])
  await expect.poll(() => transport.arrived.length, patience).toBe(1)
  expect(performance.now() - began).toBeGreaterThan(2_500)
})

test('it sleeps no longer than it may', async () => {
  const { transport } = await start({ atMost: '1500ms' })
  await untilAsleep()
  await enqueueElsewhere(1)
  await expect.poll(() => transport.arrived.length, patience).toBe(1)
})

test('a transaction that is only announced is looked for after waking', async () => {
  const { transport } = await start()
  await untilAsleep()
  byRow.bell.arm()
  await expect.poll(countConnections, patience).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 200))
  await enqueueElsewhere(1)
  await expect.poll(() => transport.arrived.length, patience).toBe(1)
})

test('it stays awake while a message is in hand', async () => {
  const { app, transport } = await start()
  const { promise, resolve } = Promise.withResolvers<void>()
  transport.answer = async () => {
    await promise
    return delivered()
  }
  await app.transaction((tx) => byRow.enqueue(tx, 'event', { n: 1 }))
  await expect.poll(() => transport.attempted.length, patience).toBe(1)
  await new Promise((later) => setTimeout(later, 1_000))
  expect(await countConnections()).toBeGreaterThan(0)
  resolve()
  await expect.poll(() => transport.arrived.length, patience).toBe(1)
  await untilAsleep()
})

test('a sleeping relay stops, starts, drains and runs once', async () => {
  const { app, transport } = await start()
  await untilAsleep()
  await app.stop()
  await enqueueElsewhere(1)
  await app.start()
  await expect.poll(() => transport.arrived.length, patience).toBe(1)
  await untilAsleep()
  await enqueueElsewhere(2)
  await app.runOnce()
  expect(transport.arrived).toHaveLength(2)
  await untilAsleep()
  await enqueueElsewhere(3)
  expect(await app.drain({ for: '30s' })).toMatchObject({ dueInMs: Infinity })
  expect(transport.arrived).toHaveLength(3)
  await untilAsleep()
})
