import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { transaction } from '../database/transaction.ts'
import { outboxStats } from '../maintain/stats.ts'
import { noMetrics } from '../metrics.ts'
import { defineOutbox } from '../outbox/define.ts'
import { delivered, type Outcome } from '../outbox/outcome.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { fixed } from '../outbox/retry.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'
import { createRelay } from './relay.ts'
import { Pace } from './pace.ts'

/* Which relay is slow, and at what. */

interface Event {
  id: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const outbox = defineOutbox<Event>({
  name: 'pace.events',
  table: 'pace.events',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 10, lease: '1s', every: '100ms' },
  retry: fixed('100ms', { attempts: 20 }),
  destination: { transport: 'topics', topic: 't' },
  message: (row) => ({ id: row.id, type: 'e', payload: row.n }),
})

const db = await testDatabase({
  sql: `create schema pace;
    create table pace.events (id uuid primary key, n int not null, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(outbox)}
    create table pace.pause (seconds float8 not null);
    create function pace.wait() returns trigger language plpgsql as
      $$ begin perform pg_sleep(seconds) from pace.pause; return null; end $$;
    create trigger slow after update on pace.events for each statement execute function pace.wait();`,
})

const soon = { timeout: 15_000, interval: 100 }

/** A relay that has delivered ten messages, and what is said about it. */
async function watch(name: string, answer: () => Outcome | Promise<Outcome>) {
  const transports = { topics: fakeTransport(answer) }
  const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, name })
  await relay.start()
  onTestFinished(() => relay.stop())
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outbox,
      Array.from({ length: 10 }, (_, n) => ({ n })),
    ),
  )
  return async () => {
    const [stats] = await relay.stats()
    const found = stats?.alive.find((each) => each.name === name)
    if (found === undefined) throw new TypeError('the relay says nothing')
    return found
  }
}

test('a relay says how many messages it settled, and how fast', async () => {
  const read = await watch('quick', () => delivered())
  await expect.poll(async () => (await read()).settledPerMinute, soon).toBe(10)
  const { rows } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n from pace.events where status = 'sent'`,
  )
  expect(rows).toEqual([{ n: 10 }])
  const found = await read()
  expect(found).toMatchObject({ inFlight: 0, breakers: [], version: undefined })
  expect(found.claimMs).toBeLessThan(2_000)
  expect(found.settleMs).toBeLessThan(2_000)
})

test('slow settling and slow claims show in their times, not in the lag', async () => {
  await db.pool.query('insert into pace.pause values (0.4)')
  onTestFinished(async () => void (await db.pool.query('delete from pace.pause')))
  const read = await watch('slow to settle', () => delivered())
  await expect.poll(async () => (await read()).settledPerMinute, soon).toBeGreaterThan(0)
  const { settleMs, claimMs, lagMs } = await read()
  expect(settleMs).toBeGreaterThanOrEqual(400)
  expect(claimMs).toBeGreaterThanOrEqual(400)
  expect(lagMs).toBeLessThan(300)
})

test('a handler that blocks the event loop shows in the lag', async () => {
  const read = await watch('blocked', () => {
    const until = performance.now() + 100
    while (performance.now() < until);
    return delivered()
  })
  await expect.poll(async () => (await read()).settledPerMinute, soon).toBe(10)
  // Ten at a time, less what was left of the timer's hundred.
  await expect.poll(async () => (await read()).lagMs, soon).toBeGreaterThan(100)
})

test('messages that wait for their destination are in flight', async () => {
  const answered = Promise.withResolvers<void>()
  const read = await watch('waiting', () => answered.promise.then(() => delivered()))
  await expect.poll(async () => (await read()).inFlight, soon).toBe(10)
  expect(await read()).toMatchObject({ settledPerMinute: 0 })
  answered.resolve()
  await expect.poll(read, soon).toMatchObject({ inFlight: 0, settledPerMinute: 10 })
})

test('figures end after a minute, and an idle relay has nothing to say', () => {
  let now = 0
  const pace = new Pace('o', noMetrics, () => now)
  const work = (messages: number, ms: number) => {
    pace.claimed(now)
    now += ms
    pace.settled(messages, now - ms)
  }
  expect(pace.figures(0)).toBeUndefined()
  for (let n = 0; n < 100; n += 1) work(2, n < 90 ? 4 : 50)
  expect(pace.figures(0)).toMatchObject({ settled: 200, inFlight: 0, claimMs: 0 })
  const { settleMs = 0 } = pace.figures(0) ?? {}
  expect(settleMs).toBeGreaterThan(32)
  expect(settleMs).toBeLessThanOrEqual(50)
  now += 58_000
  work(1, 0)
  expect(pace.figures(0)?.settled).toBe(201)
  now += 2_000
  expect(pace.figures(0)).toMatchObject({ settled: 1, settleMs: 0 })
  pace.claimed(now)
  now += 61_000
  expect(pace.figures(3)).toEqual({ settled: 0, inFlight: 3 })
  expect(pace.figures(0)).toBeUndefined()
})

test('an idle heartbeat writes no figures', async () => {
  const relay = createRelay({
    pool: db.pool,
    outboxes: [outbox],
    transports: { topics: fakeTransport() },
    name: 'idle',
  })
  await relay.start()
  onTestFinished(() => relay.stop())
  await sleep(800)
  const { alive } = await outboxStats(db.pool, outbox)
  expect(alive).toMatchObject([{ name: 'idle', settledPerMinute: 0, inFlight: 0 }])
  const { rows } = await db.pool.query(`select pace from posthorn.session where relay = 'idle'`)
  expect(rows).toEqual([{ pace: {} }])
})
