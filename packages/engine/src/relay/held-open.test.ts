import { Client, Pool } from 'pg'
import { beforeAll, afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { enqueue } from '../enqueue/enqueue.ts'
import { poolHandle } from '../database/pool-handle.ts'
import { transaction } from '../database/transaction.ts'
import { defineOutbox } from '../outbox/define.ts'
import { delivered } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import type { Transport } from '../outbox/transport.ts'
import { outboxStats } from '../maintain/stats.ts'
import { listMessages } from '@posthorn/operate'
import { flushStatistics } from '../testing/flush-statistics.ts'
import { testDatabase, testSession } from '../testing/index.ts'
import { LOGGED, SAMPLES, clubEvents, outboxTables, type Sample } from '../testing/outboxes.ts'
import type { Claim } from './settle/claim.ts'
import { KeySource } from './key/key-source.ts'
import { LogSource } from './log/log-source.ts'
import { createRelay } from './relay.ts'
import { settlementOf } from './settle/settlement.ts'
import type { Source } from './settle/source.ts'
import { uuid } from '../uuid.ts'

/* A transaction that is held open elsewhere keeps every version of a row: work must not grow with them. */

interface Row {
  id: string
  status: string
  attempts: number
  due_at: Date
}

/** By row; nobody looks for a minute unless something rings or is owed. */
const rowEvents = defineOutbox<Row>({
  name: 'held.events',
  table: 'held.events',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 10, atOnce: 10, every: '60s', lease: '60s' },
  retry: fixed('100ms', { attempts: 5 }),
  destination: { transport: 'noop', topic: 't' },
  message: ({ id }) => ({ id, type: 'e', payload: {} }),
})

const db = await testDatabase({
  sql: `${outboxTables}
    create schema held;
    create table held.events (id uuid primary key, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(rowEvents)}
    -- Plans change when it is analysed: only by the tests.
    alter table posthorn.bucket set (autovacuum_enabled = off)`,
})

let holder: Client
beforeEach(async () => {
  holder = new Client({ connectionString: db.url })
  await holder.connect()
  await holder.query('begin isolation level repeatable read')
  await holder.query('select count(*) from pg_class')
})
afterEach(() => holder.end())

const BY_KEY = SAMPLES.find(({ name }) => name === clubEvents.name) as Sample
const ORDERED = [
  { ...BY_KEY, Class: KeySource },
  { ...LOGGED, Class: LogSource },
].flatMap((shape) => ['before', 'after'].map((planned) => ({ ...shape, planned })))

/** A source that delivers messages one by one, and what is read of buckets meanwhile. */
async function openSource({ outbox, sample, Class, planned }: (typeof ORDERED)[number]) {
  // One connection, whose plans are made while the tables are small, as in a relay that runs for long.
  const pool = new Pool({ connectionString: db.url, max: 1 })
  const session = await testSession(db.pool, outbox, 'one by one')
  const source: Source = new Class(poolHandle(pool, { prepare: true }), outbox, { session })
  onTestFinished(async () => {
    await source.close()
    await pool.end()
  })
  await source.maintain()
  if (planned === 'after') await db.pool.query('vacuum analyze posthorn.bucket')
  // What a vacuum has read is counted when its connection says so, which may be much later.
  await flushStatistics(db.pool)
  let n = 0
  const deliverOne = async () => {
    n += 1
    await transaction(pool, (tx) => enqueue(tx, outbox, sample(n)))
    const claim = (await source.claim('batch')) as Claim
    const settlements = claim.rows.map((row) =>
      settlementOf(outbox, row, { outcome: delivered(), backoffMs: 0 }),
    )
    expect((await source.settle(claim, settlements)).lost).toEqual([])
    return claim.rows.length
  }
  const deliver = async (messages: number) => {
    for (let got = 0; got < messages;) got += await deliverOne()
  }
  const countRead = async () => {
    await flushStatistics(pool)
    // A scan of the whole table counts the versions that it sees, and passes over pages of others.
    const { rows } = await pool.query<{ read: number }>(`
      select (heap_blks_read + heap_blks_hit
              + (select sum(idx_tup_read) from pg_stat_user_indexes where relid = t.relid))::int as read
        from pg_statio_user_tables as t where relid = 'posthorn.bucket'::regclass`)
    return rows[0]?.read ?? 0
  }
  const readBy = async (work: () => Promise<unknown>) => {
    const before = await countRead()
    await work()
    return (await countRead()) - before
  }
  return { pool, source, deliver, readBy }
}

// Its reads would be counted among those of the statements.
beforeAll(() => db.pool.query('alter table posthorn.bucket set (autovacuum_enabled = off)'))

test.each(ORDERED)('runs of $name one by one, planned $planned an analyze', async (shape) => {
  const { source, deliver, readBy } = await openSource(shape)
  const work = async () => {
    await deliver(30)
    await source.maintain()
  }
  await deliver(30)
  const fresh = await readBy(work)
  await deliver(400)
  expect(await readBy(work)).toBeLessThan(fresh * 1.5)
})

test.each(ORDERED)('lists and numbers of $name, $planned an analyze', async (shape) => {
  const { outbox } = shape
  // Room that other tests have left would take new versions without another page.
  await db.pool.query('vacuum full posthorn.bucket')
  const { pool, deliver, readBy } = await openSource(shape)
  const look = async () => {
    await outboxStats(pool, outbox)
    await listMessages(pool, outbox, {})
    await listMessages(pool, outbox, { state: String(outbox.states.sent) })
  }
  await deliver(30)
  const fresh = await readBy(look)
  await deliver(800)
  expect(await readBy(look)).toBeLessThan(fresh * 1.2)
})

test('a flow by row that leaves out the front comes back to it without being rung', async () => {
  // Settled, and still in the index: a claim from the front passes over all of it.
  await db.pool.query(`
    insert into held.events (id, due_at) select gen_random_uuid(), now() - interval '1 minute'
      from generate_series(1, 60000)`)
  await db.pool.query(`update held.events set status = 'sent'`)
  const arrived = new Set<string>()
  const transport: Transport = {
    async deliver(batch) {
      for (const { message } of batch) arrived.add(message.id)
      return batch.map(() => delivered())
    },
    async close() {},
  }
  const relay = createRelay({
    pool: db.pool,
    outboxes: [rowEvents],
    transports: { noop: transport },
  })
  await relay.start()
  for (let i = 0; i < 20; i += 1) {
    const { id } = await transaction(db.pool, (tx) => enqueue(tx, rowEvents, {}))
    await expect.poll(() => arrived.has(id), { interval: 1, timeout: 20_000 }).toBe(true)
  }
  // Nobody rings for it, and it is due long before all that was claimed last.
  const early = uuid()
  await db.pool.query(
    `insert into held.events (id, due_at) values ('${early}', now() - interval '1 hour')`,
  )
  await expect.poll(() => arrived.has(early), { timeout: 20_000 }).toBe(true)
  await relay.stop()
})
