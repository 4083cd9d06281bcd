import { beforeEach, describe, expect, test } from 'vitest'
import { fromPg } from '../../enqueue/adapters/pg.ts'
import type { Claim } from '../settle/claim.ts'
import { advanceClock, useMovableClock } from '../../database/clock.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { silentLog, type LogDetails } from '../../log.ts'
import type { Delivery } from '../../outbox/transport.ts'
import { KeySource } from './key-source.ts'
import { delivered, refused, retryLater } from '../../outbox/outcome.ts'
import { createRelay } from '../relay.ts'
import { cancel, replay, unblock } from '../../control/replay.ts'
import { exponential } from '../../outbox/retry.ts'
import { poolHandle } from '../../database/pool-handle.ts'
import { settlementOf } from '../settle/settlement.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import {
  fakeTransport,
  testDatabase,
  viewTable,
  type FakeTransport,
  testSession,
} from '../../testing/index.ts'
import { transaction } from '../../database/transaction.ts'

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
  created_at: Date
}

const outboxes = Object.fromEntries(
  (['block', 'skip', 'park'] as const).map((dead) => [
    dead,
    defineOutbox<Event>({
      name: `order.${dead}`,
      table: `orders.${dead}`,
      states: { ready: 'ready', sent: 'sent', dead: 'dead', cancelled: 'cancelled' },
      columns: { dueAt: 'due_at', createdAt: 'created_at' },
      counter: { column: 'attempts', bumps: 'on-failure' },
      claim: { batch: 50, lease: '60s' },
      order: { key: 'key', dead },
      retry: exponential('1h', { attempts: 3 }),
      destination: { transport: 'fake', topic: 't' },
      reads: ['n'],
      message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
    }),
  ]),
) as Record<'block' | 'skip' | 'park', Outbox<Event>>

const db = await testDatabase({
  sql: `create schema orders;${Object.values(outboxes)
    .map(
      (
        outbox,
      ) => `create table ${outbox.table} (id uuid primary key, key text not null, n int not null,
        status text not null default 'ready', attempts int not null default 0,
        due_at timestamptz not null default posthorn.now(), created_at timestamptz not null default now());
      ${outboxTableSql(outbox)}`,
    )
    .join('')}`,
})
await useMovableClock(db.pool)

const box = (outbox: Outbox<Event>) => outbox as unknown as Outbox
const put = (outbox: Outbox<Event>, events: [key: string, n: number][]) =>
  transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outbox,
      events.map(([key, n]) => ({ key, n })),
    ),
  )
const relayTo = (outbox: Outbox<Event>, fake: FakeTransport) =>
  createRelay({ pool: db.pool, outboxes: [outbox], transports: { fake }, mode: 'poll' })
const settleDown = async (relay: ReturnType<typeof relayTo>) => {
  for (let i = 0; i < 100 && (await relay.runOnce()) > 0; i += 1);
}
const numbers = (fake: FakeTransport, key: string) =>
  fake.arrived.filter((message) => message.key === key).map(({ payload }) => payload)
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

beforeEach(async () => {
  for (const outbox of Object.values(outboxes)) await viewTable(db.pool, box(outbox)).empty()
})

test('a failing message holds back only its own key, however many messages wait behind it', async () => {
  const { block } = outboxes
  await put(
    block,
    range(1, 300).map((n) => ['bad', n]),
  )
  await put(
    block,
    range(1, 20).map((n) => ['good', n]),
  )
  const fake = fakeTransport(({ key }) => (key === 'bad' ? retryLater('not yet') : delivered()))
  const relay = relayTo(block, fake)
  await settleDown(relay)
  expect(numbers(fake, 'good')).toEqual(range(1, 20))
  expect(fake.attempted.filter(({ key }) => key === 'bad')).toHaveLength(1)
  fake.answer = () => delivered()
  await advanceClock(db.pool, '1h')
  await settleDown(relay)
  expect(numbers(fake, 'bad')).toEqual(range(1, 300))
  const held = await db.pool.query('select from posthorn.held_key where outbox = $1', [block.name])
  expect(held.rows).toHaveLength(0)
})

test('a transport that goes on behind a failure is named', async () => {
  // What a newcomer writes: each is tried, outcomes are collected.
  const naive = {
    ...fakeTransport(),
    deliver: async (batch: readonly Delivery[]) =>
      batch.map(({ message }) => (message.payload === 1 ? retryLater('not yet') : delivered())),
  }
  const said: unknown[] = []
  const log = { ...silentLog, error: (details: LogDetails) => said.push(details['err']) }
  const { pool } = db
  const relay = createRelay({ pool, outboxes: [outboxes.block], transports: { fake: naive }, log })
  // A relay that knows how few keys there are takes several messages of one at once.
  await put(outboxes.block, [['k', 0]])
  await relay.runOnce()
  await put(outboxes.block, [
    ['k', 1],
    ['k', 2],
  ])
  await settleDown(relay)
  await relay.stop()
  expect(said).toEqual([
    expect.objectContaining({
      code: 'TRANSPORT_BROKEN',
      message: expect.stringContaining(
        'delivered 1 message(s) behind one of their key that failed',
      ),
    }),
  ])
})

test('thousands of waiting keys do not hold up one that is due', async () => {
  const { block } = outboxes
  await put(
    block,
    range(1, 2_000).map((n) => [`bad-${n}`, n]),
  )
  const fake = fakeTransport(() => retryLater('down', { after: '1h' }))
  const relay = relayTo(block, fake)
  for (let i = 0; i < 100 && fake.attempted.length < 2_000; i += 1) await relay.runOnce()
  fake.answer = () => delivered()
  await put(block, [['fresh', 1]])
  await settleDown(relay)
  expect(numbers(fake, 'fresh')).toEqual([1])
  expect(fake.arrived).toHaveLength(1)
})

describe('behind a dead message', () => {
  const kill = () => fakeTransport(({ payload }) => (payload === 2 ? refused('no') : delivered()))

  test('block: the rest waits until an operator acts', async () => {
    const { block } = outboxes
    await put(
      block,
      range(1, 5).map((n) => ['k', n]),
    )
    const fake = kill()
    const relay = relayTo(block, fake)
    await settleDown(relay)
    await advanceClock(db.pool, '1d')
    await put(block, [['k', 6]])
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1])
    fake.answer = () => delivered()
    await transaction(db.pool, (tx) => replay(tx, block, { filter: { key: 'k' }, by: 'ops' }))
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual(range(1, 6))
  })

  test('block: the rest can go on without it', async () => {
    const { block } = outboxes
    await put(
      block,
      range(1, 3).map((n) => ['k', n]),
    )
    const fake = kill()
    const relay = relayTo(block, fake)
    await settleDown(relay)
    expect(await transaction(db.pool, (tx) => unblock(tx, block, { key: 'k', by: 'ada' }))).toBe(
      true,
    )
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1, 3])
    expect(await transaction(db.pool, (tx) => unblock(tx, block, { key: 'k', by: 'ada' }))).toBe(
      false,
    )
  })

  test('block: cancelling it lets the rest go on', async () => {
    const { block } = outboxes
    const put5 = await put(
      block,
      range(1, 3).map((n) => ['k', n]),
    )
    const fake = kill()
    const relay = relayTo(block, fake)
    await settleDown(relay)
    const dead = put5[1]?.id as string
    await transaction(db.pool, (tx) => cancel(tx, block, { ids: [dead], by: 'ops' }))
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1, 3])
  })

  test('skip: the rest goes on, and a replay comes late', async () => {
    const { skip } = outboxes
    await put(
      skip,
      range(1, 4).map((n) => ['k', n]),
    )
    const fake = kill()
    const relay = relayTo(skip, fake)
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1, 3, 4])
    fake.answer = () => delivered()
    await transaction(db.pool, (tx) => replay(tx, skip, { filter: {}, by: 'ops' }))
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1, 3, 4, 2])
  })

  test('park: what is there and what comes is parked too, and a replay brings all back in order', async () => {
    const { park } = outboxes
    await put(
      park,
      range(1, 4).map((n) => ['k', n]),
    )
    const fake = kill()
    const relay = relayTo(park, fake)
    await settleDown(relay)
    await put(park, [
      ['k', 5],
      ['other', 1],
    ])
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1])
    expect(numbers(fake, 'other')).toEqual([1])
    const states = [...(await viewTable(db.pool, box(park)).states()).values()]
    expect(states.filter((state) => state === 'dead')).toHaveLength(4)
    fake.answer = () => delivered()
    await transaction(db.pool, (tx) => replay(tx, park, { filter: {}, by: 'ops' }))
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual(range(1, 5))
  })

  test('park: a parked message that is replayed alone waits for the dead one in front of it', async () => {
    const { park } = outboxes
    const [, dead, parked] = await put(
      park,
      range(1, 3).map((n) => ['k', n]),
    )
    const fake = kill()
    const relay = relayTo(park, fake)
    await settleDown(relay)
    const replayOf = (id = '') =>
      transaction(db.pool, (tx) => replay(tx, park, { filter: { ids: [id] }, by: 'ops' }))
    fake.answer = () => delivered()
    await replayOf(parked?.id)
    await settleDown(relay)
    const states = await viewTable(db.pool, box(park)).states()
    expect(states.get(parked?.id ?? '')).toBe('ready')
    expect(numbers(fake, 'k')).toEqual([1])
    await replayOf(dead?.id)
    await settleDown(relay)
    expect(numbers(fake, 'k')).toEqual([1, 2, 3])
  })
})

test('a replay that commits while its key is being freed is not forgotten', async () => {
  const { skip } = outboxes
  await put(
    skip,
    range(1, 2).map((n) => ['k', n]),
  )
  const fake = fakeTransport(({ payload }) => (payload === 1 ? refused('no') : retryLater('later')))
  const relay = relayTo(skip, fake)
  await settleDown(relay)
  await relay.stop()
  // As if it had never been: all buckets are for the one that follows.
  await viewTable(db.pool, box(skip)).expireLeases()
  await advanceClock(db.pool, '1h')
  const source = new KeySource(poolHandle(db.pool, { prepare: true }), box(skip), {
    session: await testSession(db.pool, box(skip), 'by hand'),
  })
  await source.maintain()
  const claim = await source.claim('held')
  expect(claim?.rows.map((row) => row['n'])).toEqual([2])

  const operator = await db.pool.connect()
  await operator.query('begin')
  await replay(fromPg(operator), skip, { filter: {}, by: 'ops' })
  const settling = source.settle(
    claim as Claim,
    (claim as Claim).rows.map((row) =>
      settlementOf(box(skip), row, { outcome: delivered(), backoffMs: 0 }),
    ),
  )
  // Settling waits for the operator's lock on the key, and then sees that it has changed.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await operator.query('commit')
  operator.release()
  await settling
  const held = await db.pool.query('select key from posthorn.held_key where outbox = $1', [
    skip.name,
  ])
  expect(held.rows).toEqual([{ key: 'k' }])
  await source.close()
})

test('a message with a low seq that commits late is delivered late, not lost', async () => {
  const { block } = outboxes
  const late = await db.pool.connect()
  await late.query('begin')
  await late.query(`insert into ${block.table} (id, key, n) values (gen_random_uuid(), 'slow', 1)`)
  await put(
    block,
    range(1, 10).map((n) => ['quick', n]),
  )
  const fake = fakeTransport()
  const relay = relayTo(block, fake)
  await settleDown(relay)
  expect(fake.arrived).toHaveLength(10)
  await late.query('commit')
  late.release()
  await settleDown(relay)
  expect(numbers(fake, 'slow')).toEqual([1])
})

test('a low seq whose transaction is the newest of all is delivered at once when it commits', async () => {
  const { block } = outboxes
  const source = new KeySource(poolHandle(db.pool, { prepare: true }), box(block), {
    session: await testSession(db.pool, box(block), 'by hand'),
  })
  await source.maintain()
  const deliverNext = async () => {
    const claim = await source.claim('batch')
    const sent = { outcome: delivered(), backoffMs: 0 }
    const settlements = claim?.rows.map((row) => settlementOf(box(block), row, sent)) ?? []
    if (claim) await source.settle(claim, settlements)
    return claim?.rows.map((row) => row['n'])
  }
  const [older, newer] = [await db.pool.connect(), await db.pool.connect()]
  try {
    await older.query('begin; select pg_current_xact_id()')
    await newer.query('begin')
    await enqueueAll(fromPg(newer), block, [{ key: 'k', n: 1 }])
    await enqueueAll(fromPg(older), block, [{ key: 'k', n: 2 }])
    await older.query('commit')
    expect(await deliverNext()).toEqual([2])
    await put(block, [['k', 3]])
    expect(await deliverNext()).toEqual([3])
    await newer.query('commit')
    expect(await deliverNext()).toEqual([1])
  } finally {
    older.release()
    newer.release()
    await source.close()
  }
})

test('messages of serialised writers are delivered in commit order', async () => {
  const { block } = outboxes
  const fake = fakeTransport()
  const relay = createRelay({ pool: db.pool, outboxes: [block], transports: { fake } })
  await relay.start()
  const commits: number[] = []
  const writers = db.connect({ max: 8 })
  await Promise.all(
    range(1, 60).map((n) =>
      transaction(writers, async (tx) => {
        await enqueueAll(tx, block, [{ key: 'one', n }], { serialise: true })
        await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5))
        // The lock is held until the commit: this is the order of the commits.
        commits.push(n)
      }),
    ),
  )
  await expect.poll(() => fake.arrived.length).toBe(60)
  await relay.stop()
  expect(numbers(fake, 'one')).toEqual(commits)
})

test('relays share the buckets, and a new one gets its part', async () => {
  const { block } = outboxes
  const fakes = [fakeTransport(), fakeTransport()]
  const relays = fakes.map((fake) =>
    createRelay({ pool: db.pool, outboxes: [{ ...block, leaseMs: 600 }], transports: { fake } }),
  )
  for (const relay of relays) await relay.start()
  const owners = async () => {
    const { rows } = await db.pool.query<{ count: string }>(
      'select count(*) from posthorn.bucket where outbox = $1 and token is not null group by session',
      [block.name],
    )
    return rows.map(({ count }) => Number(count)).sort((a, b) => a - b)
  }
  await expect.poll(owners).toEqual([32, 32])
  await put(
    block,
    range(1, 500).map((n) => [`k${n % 50}`, n]),
  )
  await expect.poll(() => fakes.reduce((sum, fake) => sum + fake.arrived.length, 0)).toBe(500)
  expect(Math.min(...fakes.map((fake) => fake.arrived.length))).toBeGreaterThan(0)
  await Promise.all(relays.map((relay) => relay.stop()))
})
