import { Pool, type PoolConfig } from 'pg'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import {
  createNotifier,
  createRelay,
  defineOutbox,
  enqueue,
  outboxTableSql,
  schedule,
  silentLog,
  transaction,
  type OutboxDefinition,
  type Relay,
} from '../index.ts'
import { announce, createAnnouncementFeed } from '@posthorn/operate'
import { fakeTransport, testDatabase } from '../testing/index.ts'

interface Job {
  id: string
  status: string
  attempts: number
  due_at: Date
}

const definition = {
  name: 'listener.jobs',
  table: 'listener.job',
  states: { ready: 'ready', sent: 'sent' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  // The poll is far away: what arrives sooner was heard.
  claim: { every: '60s', lease: '60s' },
  retry: schedule(['1s'], { then: 'repeat-last' }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: ({ id }: Job) => ({ id, type: 'job', payload: {} }),
} satisfies OutboxDefinition<Job>
const here = defineOutbox<Job>(definition)
// The same outbox in another process: its bell is not heard here.
const elsewhere = defineOutbox<Job>(definition)

const database = await testDatabase({
  sql: `create schema listener;
    create table listener.job (id uuid primary key, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(here)}`,
})
const { hostname, port, username, password } = new URL(database.url)
const parts: PoolConfig = { host: hostname, port: Number(port), user: username }
const secret = decodeURIComponent(password)

/** A pool that was given its settings one by one, as most are. */
function poolOf(config: PoolConfig): Pool {
  const pool = new Pool({ ...parts, database: database.name, max: 5, ...config })
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  return pool
}

const started: Relay[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
})

const passwords: [string, PoolConfig['password']][] = [
  ['a password', secret],
  ['a function that gets one', () => Promise.resolve(secret)],
]

test.each(passwords)('a relay whose pool has %s hears other processes', async (_, given) => {
  const pool = poolOf({ password: given })
  const fake = fakeTransport()
  const relay = createRelay({ pool, outboxes: [here], transports: { fake } })
  await relay.start()
  onTestFinished(() => relay.stop())
  await new Promise((resolve) => setTimeout(resolve, 500))
  const notifier = createNotifier(database.pool, [elsewhere])
  await transaction(database.pool, (tx) => enqueue(tx, elsewhere, {}))
  await expect.poll(() => fake.arrived.length).toBe(1)
  await notifier.close()
  await relay.stop()
})

test.each(passwords)('announcements are heard through a pool that has %s', async (_, given) => {
  const feed = createAnnouncementFeed({ pool: poolOf({ password: given }) })
  onTestFinished(() => feed.close())
  const batches = feed.subscribe()[Symbol.asyncIterator]()
  // The first says that it listens.
  expect((await batches.next()).value).toEqual([{ topic: '*', id: '*' }])
  await announce(database.pool, { topic: 'jobs', id: '1' })
  expect((await batches.next()).value).toEqual([{ topic: 'jobs', id: '1' }])
  await feed.close()
})

test('a relay that cannot listen says so as an error, and listens when it can', async () => {
  let isGood = true
  const pool = poolOf({ password: () => (isGood ? secret : 'wrong'), max: 1 })
  // The pool has its connection; the one for listening is refused.
  await pool.query('select 1')
  isGood = false
  const errors: string[] = []
  const relay = createRelay({
    pool,
    outboxes: [here],
    transports: { fake: fakeTransport() },
    log: { ...silentLog, error: (_, message) => void errors.push(message) },
  })
  started.push(relay)
  await relay.start()
  expect(errors).toEqual(['listen failed; polling and connecting again'])
  isGood = true
  const listeners = `select from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`
  await expect.poll(async () => (await database.pool.query(listeners)).rows.length).toBe(1)
  await relay.stop()
})
