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
import { beat, leave } from '../relay.sql.ts'
import { fakeTransport, testDatabase, type FakeTransport } from '../../testing/index.ts'
import { BucketLeases } from './bucket-leases.ts'
import { createRelay, type Relay } from '../relay.ts'
import { Runner } from '../runner.ts'
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

test('after a tick the next relay has all buckets at once', async () => {
  const fake = fakeTransport()
  await relayTo(fake).tick()
  const next = relayTo(fake, 'next')
  await next.start()
  const owned = async () => {
    const found = await db.pool.query(
      `select relay, count(*)::int from posthorn.bucket
        where outbox = $1 and token is not null group by relay`,
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
  const nothing = { delivered: 0, failed: 0, dead: 0, lost: 0 }
  const relays = range(1, 40).map((n) => `relay-${n}`)
  const leases = relays.map((relay) => new BucketLeases({ handle, outbox, relay }))
  for (let round = 0; round < 3; round += 1) {
    for (const [n, relay] of relays.entries()) {
      await db.pool.query(beat({ relay, outbox: block.name, ...nothing }))
      await leases[n]?.maintain()
    }
  }
  const { rows: owners } = await db.pool.query<{ count: string }>(
    'select count(*) from posthorn.bucket where outbox = $1 and token is not null group by relay',
    [block.name],
  )
  expect(owners).toHaveLength(40)
  expect(owners.map(({ count }) => Number(count)).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 16 }, () => 1),
    ...Array.from({ length: 24 }, () => 2),
  ])
  for (const [n, relay] of relays.entries()) {
    await leases[n]?.close()
    await db.pool.query(leave(relay))
  }
})

async function tokens() {
  const { rows } = await db.pool.query<{ bucket: number; token: string }>(
    'select bucket, token from posthorn.bucket where outbox = $1 and token is not null',
    [block.name],
  )
  return new Map(rows.map(({ bucket, token }) => [bucket, token]))
}

/** The process was stopped, or the server away, for longer than a lease. */
async function outliveLeases() {
  await db.pool.query(
    `update posthorn.bucket set until = now() - interval '1 s'
      where outbox = $1 and token is not null`,
    [block.name],
  )
}

test('a relay does not take its own leases over that ran out while a lane reads', async () => {
  const handle = poolHandle(db.pool, { prepare: false })
  const leases = new BucketLeases({ handle, outbox: block as unknown as Outbox, relay: 'slept' })
  // Another one is alive at first: the sleeper has half of the buckets.
  const nothing = { delivered: 0, failed: 0, dead: 0, lost: 0 }
  await db.pool.query(beat({ relay: 'other', outbox: block.name, ...nothing }))
  await leases.maintain()
  expect(leases.buckets).toHaveLength(32)
  const inHand = leases.take()
  await outliveLeases()
  await db.pool.query(leave('other'))
  await leases.maintain()
  for (const [bucket, token] of inHand) leases.giveBack(bucket, token)
  await leases.maintain()
  expect(leases.buckets).toHaveLength(64)
  await leases.close()
  expect(await tokens()).toEqual(new Map())
})

test('a relay takes again what it has abandoned, beside others of the same lease', async () => {
  const handle = poolHandle(db.pool, { prepare: false })
  const leases = new BucketLeases({ handle, outbox: block as unknown as Outbox, relay: 'dropped' })
  await leases.maintain()
  const [first, ...rest] = [...leases.take()]
  const [bucket, token] = first as [number, string]
  // As where its claim could not be settled.
  leases.abandon(bucket, token)
  for (const [kept, of] of rest) leases.giveBack(kept, of)
  await leases.maintain()
  expect(leases.buckets).toHaveLength(63)
  await outliveLeases()
  await leases.maintain()
  expect(leases.buckets).toHaveLength(64)
  expect((await tokens()).get(bucket)).not.toBe(token)
  await leases.close()
  expect(await tokens()).toEqual(new Map())
})

/** A relay's part for one outbox, which keeps its buckets from look to look as a running one does. */
function keepingRelay(fake: FakeTransport, pool: Pool): Runner {
  const runner = new Runner({
    outbox: block as unknown as Outbox,
    handle: poolHandle(pool, { prepare: false }),
    transports: { fake },
    relay: 'keeping',
    version: undefined,
    suspectMutex: new SuspectMutex(),
    loopShare: undefined,
    log: silentLog,
    metrics: noMetrics,
  })
  onTestFinished(async () => {
    await runner.close()
    await db.pool.query(leave('keeping'))
  })
  return runner
}

/** Delivers until the relay begins to read above what it has sent, then forgets all of it. */
async function loseSent(relay: Pick<Relay, 'tick'>): Promise<number> {
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
    await relay.tick()
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
  const relay = keepingRelay(fake, pool)
  const n = await loseSent(relay)
  expect(payloadsOf(fake)).toEqual(range(1, n))
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'to be cut' and datname = current_database()`,
  )
  await expect.poll(() => pool.totalCount).toBe(0)
  await put(n + 1)
  await relay.tick()
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
  const relay = keepingRelay(fake, pool)
  const n = await loseSent(relay)
  isOther = true
  await put(n + 1)
  await relay.tick()
  expect(payloadsOf(fake)).toEqual(range(1, n + 1))
  // Nor is it left to the next owner of the bucket.
  const left = await db.pool.query('select max(floor) as floor from posthorn.bucket')
  expect(left.rows).toEqual([{ floor: '0' }])
})

test('buckets that were taken by a commit without an answer are taken again at once', async () => {
  await db.pool.query(`update posthorn.bucket set token = null, until = null, relay = null`)
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
  const leases = new BucketLeases({ handle, outbox, relay: 'unanswered' })
  await expect(leases.maintain()).rejects.toThrow('Connection terminated')
  isLost = false
  // Another one of the same name did hear that it got some.
  const twin = new BucketLeases({ handle: whole, outbox, relay: 'unanswered' })
  expect((await twin.maintain()).taken).toEqual([])
  expect((await leases.maintain()).taken).toHaveLength(64)
  await leases.close()
})
