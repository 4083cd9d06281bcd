import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { enqueue } from '../../enqueue/enqueue.ts'
import { poolHandle } from '../../database/pool-handle.ts'
import { transaction } from '../../database/transaction.ts'
import { silentLog } from '../../log.ts'
import { noMetrics } from '../../metrics.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import { exponential } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import {
  fakeTransport,
  testDatabase,
  testSession,
  type FakeTransport,
} from '../../testing/index.ts'
import { BucketLeases } from './bucket-leases.ts'
import { createRelay, type Relay } from '../relay.ts'
import { Flow } from '../flow.ts'
import { SuspectMutex } from '../suspect-mutex.ts'
import { leaseStatements } from '../settle/bucket.sql.ts'

/* How relays divide the buckets, and what they know of those that they have. */

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const block = defineOutbox<Event>({
  name: 'buckets.block',
  table: 'buckets.block',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 50, lease: '60s' },
  order: { key: 'key', dead: 'block' },
  retry: exponential('1s', { attempts: 3 }),
  destination: { transport: 'fake', topic: 't' },
  message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
})
const db = await testDatabase({
  sql: `create schema buckets;
    create table buckets.block (id uuid primary key, key text not null, n int not null,
      status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(block)}`,
})

const put = (n: number) => transaction(db.pool, (tx) => enqueue(tx, block, { key: 'k', n }))
const relayTo = (fake: FakeTransport, name = 'first') =>
  createRelay({ pool: db.pool, outboxes: [block], transports: { fake }, mode: 'poll', name })
const payloadsOf = (fake: FakeTransport) => fake.arrived.map(({ payload }) => payload)
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('relays that start at once make each bucket once, also when its runs have gone on', async () => {
  const make = leaseStatements(block).createBuckets.text
  const count = async () => {
    await Promise.all(Array.from({ length: 8 }, () => db.pool.query(make)))
    const { rows } = await db.pool.query<{ buckets: number; rows: number }>(`
      select count(distinct bucket)::int as buckets, count(*)::int as rows
        from posthorn.bucket where outbox = 'buckets.block'`)
    return rows[0]
  }
  expect(await count()).toEqual({ buckets: 64, rows: 64 })
  await db.pool.query(`update posthorn.bucket set run = run + 1 where outbox = 'buckets.block'`)
  expect(await count()).toEqual({ buckets: 64, rows: 64 })
})

test('after one round the next relay has all buckets at once', async () => {
  const fake = fakeTransport()
  await relayTo(fake).runOnce()
  const next = relayTo(fake, 'next')
  await next.start()
  const owned = async () => {
    const found = await db.pool.query(
      `select relay, count(*)::int
         from posthorn.bucket as b join posthorn.session as s on s.id = b.session
        where outbox = $1 group by relay`,
      [block.name],
    )
    return found.rows
  }
  await expect.poll(owned, { timeout: 3_000 }).toEqual([{ relay: 'next', count: 64 }])
  await next.stop()
})

test('forty relays all get a share of the buckets', async () => {
  const handle = poolHandle(db.pool, { prepare: false })
  const outbox = block as unknown as Outbox
  const relays = await Promise.all(
    range(1, 40).map(async (n) => {
      const session = await testSession(db.pool, outbox, `relay-${n}`)
      return { session, leases: new BucketLeases({ handle, outbox, session }) }
    }),
  )
  for (let round = 0; round < 3; round += 1) {
    for (const { session, leases } of relays) {
      await session.beat()
      await leases.maintain()
    }
  }
  const { rows: owners } = await db.pool.query<{ count: string }>(
    `select count(*) from posthorn.bucket
      where outbox = $1 and session in (select id from posthorn.session) group by session`,
    [block.name],
  )
  expect(owners).toHaveLength(40)
  expect(owners.map(({ count }) => Number(count)).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 16 }, () => 1),
    ...Array.from({ length: 24 }, () => 2),
  ])
})

async function tokens() {
  const { rows } = await db.pool.query<{ bucket: number; token: string }>(
    `select bucket, token from posthorn.bucket
      where outbox = $1 and session in (select id from posthorn.session where until is not null)`,
    [block.name],
  )
  return new Map(rows.map(({ bucket, token }) => [bucket, token]))
}

test('a session whose time is over stays alive until another relay ends it', async () => {
  const handle = poolHandle(db.pool, { prepare: false })
  const outbox = block as unknown as Outbox
  const session = await testSession(db.pool, outbox, 'slept')
  const leases = new BucketLeases({ handle, outbox, session })
  await leases.maintain()
  const inHand = leases.take()
  await outlive('slept')
  expect(await session.beat()).toMatchObject({ isDivided: true, hasEnded: false })
  await leases.maintain()
  for (const [bucket, token] of inHand) leases.giveBack(bucket, token)
  expect(await tokens()).toEqual(inHand)
  // Now another one is there to see it.
  await outlive('slept')
  const other = await testSession(db.pool, outbox, 'other')
  expect(await other.beat()).toMatchObject({ hasEnded: true })
  const taken = await new BucketLeases({ handle, outbox, session: other }).maintain()
  expect(taken).toHaveLength(64)
  const { id } = session
  expect(await session.beat()).toMatchObject({ isDivided: true, wasLate: true })
  expect(session.id).not.toBe(id)
  expect(leases.isAtRest).toBe(false)
  await leases.maintain()
  expect(leases.buckets).toEqual([])
})

test('a heartbeat and the end of its session never both happen', async () => {
  const outbox = block as unknown as Outbox
  for (let n = 0; n < 20; n += 1) {
    const session = await testSession(db.pool, outbox, 'raced')
    const reapers = await Promise.all([1, 2, 3].map(() => testSession(db.pool, outbox, 'reaper')))
    await outlive('raced')
    const { id } = session
    const [, ...ends] = await Promise.all([session, ...reapers].map((each) => each.beat()))
    const ended = ends.filter(({ hasEnded }) => hasEnded).length
    expect(ended).toBeLessThanOrEqual(1)
    // It goes on as it was, or as another.
    expect(session.id === id).toBe(ended === 0)
    await Promise.all([session, ...reapers].map((each) => each.end()))
  }
})

/** The process was stopped, or the server away, for longer than a lease. */
async function outlive(relay: string) {
  await db.pool.query(
    `update posthorn.session set until = now() - interval '1 s' where relay = $1 and until is not null`,
    [relay],
  )
}

test('a relay takes again what it has abandoned, beside others of the same lease', async () => {
  const handle = poolHandle(db.pool, { prepare: false })
  const outbox = block as unknown as Outbox
  const session = await testSession(db.pool, outbox, 'dropped')
  const leases = new BucketLeases({ handle, outbox, session })
  await leases.maintain()
  expect(leases.isAtRest).toBe(true)
  const [first, ...rest] = [...leases.take()]
  const [bucket, token] = first as [number, string]
  // As where its claim could not be settled.
  leases.abandon(bucket, token)
  for (const [kept, of] of rest) leases.giveBack(kept, of)
  expect(leases.isAtRest).toBe(false)
  await leases.maintain()
  expect(leases.buckets).toHaveLength(64)
  expect((await tokens()).get(bucket)).not.toBe(token)
  await session.end()
  expect(await tokens()).toEqual(new Map())
})

/** A relay's part for one outbox, which keeps its buckets from look to look as a running one does. */
async function keepingRelay(fake: FakeTransport, pool: Pool): Promise<Flow> {
  const outbox = block as unknown as Outbox
  const runner = new Flow({
    outbox,
    handle: poolHandle(pool, { prepare: false }),
    transports: { fake },
    session: await testSession(db.pool, outbox, 'keeping'),
    ask: () => undefined,
    suspectMutex: new SuspectMutex(),
    loopShare: undefined,
    log: silentLog,
    metrics: noMetrics,
  })
  onTestFinished(() => runner.close())
  return runner
}

/** Delivers until the relay begins to read above what it has sent, then forgets all of it. */
async function loseSent(relay: Pick<Relay, 'runOnce'>): Promise<number> {
  const floor = async () => {
    const known = await db.pool.query<{ floor: string }>(
      'select max(floor) as floor from posthorn.bucket',
    )
    return Number(known.rows[0]?.floor)
  }
  // Until every transaction that was open on the server at some read is over.
  let n = 0
  while ((await floor()) < 10) {
    n += 1
    await put(n)
    await relay.runOnce()
  }
  // Another server took over, which has not seen the last transactions.
  await db.pool.query(`delete from ${block.table}`)
  await db.pool.query(`alter table ${block.table} alter column seq restart with 1`)
  await db.pool.query('update posthorn.bucket set floor = 0')
  return n
}

test('what is known of a bucket ends with the connection', async () => {
  const pool = db.connect({ max: 3, application_name: 'to be cut' })
  const fake = fakeTransport()
  const relay = await keepingRelay(fake, pool)
  const n = await loseSent(relay)
  expect(payloadsOf(fake)).toEqual(range(1, n))
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'to be cut' and datname = current_database()`,
  )
  await expect.poll(() => pool.totalCount).toBe(0)
  await put(n + 1)
  await relay.runOnce()
  expect(payloadsOf(fake)).toEqual(range(1, n + 1))
})

test('what is known of a bucket ends with the server, though a pooler keeps the connection', async () => {
  const pool = db.connect({ max: 3 })
  const query = pool.query.bind(pool) as (statement: object) => Promise<unknown>
  let isOther = false
  // The pooler leads to another server, which was started at another time.
  pool.query = ((statement: { text: string; values: unknown[] }) => {
    const { values } = statement
    const text = statement.text.replaceAll('pg_postmaster_start_time()', `timestamptz '2001-01-01'`)
    return query(isOther ? { text, values } : statement)
  }) as never
  const fake = fakeTransport()
  const relay = await keepingRelay(fake, pool)
  const n = await loseSent(relay)
  isOther = true
  await put(n + 1)
  await relay.runOnce()
  expect(payloadsOf(fake)).toEqual(range(1, n + 1))
  // Nor is it left to the next owner of the bucket.
  const left = await db.pool.query('select max(floor) as floor from posthorn.bucket')
  expect(left.rows).toEqual([{ floor: '0' }])
})

test('buckets that were taken by a commit without an answer are taken again at once', async () => {
  const whole = poolHandle(db.pool, { prepare: false })
  let isLost = true
  const handle: typeof whole = {
    ...whole,
    async transaction(work) {
      const result = await whole.transaction(work)
      if (isLost) throw new Error('Connection terminated unexpectedly')
      return result
    },
  }
  const outbox = block as unknown as Outbox
  const session = await testSession(db.pool, outbox, 'unanswered')
  const leases = new BucketLeases({ handle, outbox, session })
  await expect(leases.maintain()).rejects.toThrow('Connection terminated')
  isLost = false
  // Another process does not get what this one never heard of.
  const other = await testSession(db.pool, outbox, 'unanswered')
  expect(await new BucketLeases({ handle: whole, outbox, session: other }).maintain()).toEqual([])
  await other.end()
  expect(await leases.maintain()).toHaveLength(64)
})
