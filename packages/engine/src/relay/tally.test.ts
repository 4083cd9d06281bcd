import { expect, test } from 'vitest'
import { transaction } from '../database/transaction.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import { delivered, retryLater } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'
import { createRelay } from './relay.ts'

interface Job {
  id: string
  topic: string
  status: string
  attempts: number
  due_at: Date
}

const jobs = defineOutbox<Job>({
  name: 'tally.jobs',
  table: 'tally.jobs',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  breaker: { attempts: 10, failures: 0.7, probe: '1h' },
  retry: fixed('1h', { attempts: 3 }),
  destination: (row) => ({ transport: 'fake', topic: row.topic }),
  message: (row) => ({ id: row.id, type: row.topic, payload: 1 }),
})

const db = await testDatabase({
  sql: `create schema tally;
    create table tally.jobs (id uuid primary key, topic text not null, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(jobs as unknown as Outbox)}`,
})

const put = (topic: string, count: number) =>
  transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      jobs,
      Array.from({ length: count }, () => ({ topic })),
    ),
  )

test('what was not tried is postponed, and failures are as many as attempts that failed', async () => {
  const counted = new Map<string, number>()
  const fake = fakeTransport(({ type }) => {
    if (type === 'good') return delivered()
    return type === 'bad'
      ? retryLater('no')
      : retryLater({ code: 'WEBHOOK_BUSY', message: 'busy' }, { after: '1h', charge: false })
  })
  const relay = createRelay({
    pool: db.pool,
    outboxes: [jobs],
    transports: { fake },
    mode: 'poll',
    metrics: {
      count: (name, by) => void counted.set(name, (counted.get(name) ?? 0) + by),
      gauge: () => undefined,
      observe: () => undefined,
    },
  })
  await put('bad', 20)
  await relay.runOnce()
  // The breaker is open: these are not tried.
  await put('bad', 8)
  await put('busy', 7)
  await put('good', 5)
  await relay.runOnce()
  // Writes down what the one before counted.
  await relay.runOnce()
  await relay.stop()
  const { rows } = await db.pool.query(
    `select sum(delivered)::int as delivered, sum(failed)::int as failed, sum(postponed)::int as postponed,
            sum(dead)::int as dead, jsonb_agg(codes) as codes
       from posthorn.pulse where outbox = 'tally.jobs'`,
  )
  expect(rows[0]).toMatchObject({ delivered: 5, failed: 20, postponed: 15, dead: 0 })
  expect(JSON.stringify(rows[0]?.codes)).not.toContain('BUSY')
  const attempts = await db.pool.query<{ failed: number }>(
    'select sum(attempts)::int as failed from tally.jobs',
  )
  expect(attempts.rows).toEqual([{ failed: 20 }])
  expect(Object.fromEntries(counted)).toMatchObject({
    posthorn_delivered_total: 5,
    posthorn_failed_total: 20,
    posthorn_postponed_total: 15,
  })
})
