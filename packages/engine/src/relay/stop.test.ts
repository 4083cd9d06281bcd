import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../log.ts'
import { defineOutbox } from '../outbox/define.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'
import { createRelay } from './relay.ts'

/* After `stop` a host may end its pool and drop its database. */

interface Job {
  id: string
  key: string
  status: string
  attempts: number
  due_at: Date
}

const jobs = defineOutbox<Job>({
  name: 'stop.jobs',
  table: 'stop.jobs',
  order: { key: 'key', dead: 'skip' },
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { lease: '1s' },
  retry: fixed('1s', { attempts: 3 }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: ({ id, key }) => ({ id, type: 'job', key, payload: {} }),
})

const db = await testDatabase({
  sql: `create schema stop;
    create table stop.jobs (id uuid primary key, key text not null, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(jobs)}`,
})

const patience = { timeout: 15_000 }

/** A transaction that keeps others waiting until it ends. */
async function holding(statement: string) {
  const client = await db.pool.connect()
  await client.query(`begin; ${statement}`)
  let isOver = false
  const end = async () => {
    if (isOver) return
    isOver = true
    await client.query('commit')
    client.release()
  }
  onTestFinished(end)
  return { end }
}

test('nothing is asked of the database after the stop, whatever its last heartbeat tells', async () => {
  const pool = db.connect({ max: 8 })
  const relay = createRelay({
    pool,
    outboxes: [jobs],
    transports: { fake: fakeTransport() },
    mode: 'poll',
    maintenance: 'off',
    log: silentLog,
  })
  onTestFinished(() => relay.stop())
  await relay.start()
  const owned = async () => {
    const { rows } = await db.pool.query(
      'select from posthorn.bucket as b join posthorn.session as s on s.id = b.session',
    )
    return rows.length
  }
  await expect.poll(owned, patience).toBe(64)
  // Another relay comes: the next heartbeat says that half of the buckets are to be given back.
  const buckets = await holding('select from posthorn.bucket for update')
  const session = await holding(`lock table posthorn.session in access exclusive mode;
    insert into posthorn.session (id, relay, outboxes, until)
    values ('${randomUUID()}', 'another', '{stop.jobs}', now() + interval '1 hour')`)
  const isBeating = async () => {
    const { rows } = await db.pool.query(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%posthorn.session%'`,
    )
    return rows.length > 0
  }
  await expect.poll(isBeating, patience).toBe(true)
  const stopped = relay.stop()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await session.end()
  await stopped
  expect({ busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }).toEqual({
    busy: 0,
    waiting: 0,
  })
  await buckets.end()
})
