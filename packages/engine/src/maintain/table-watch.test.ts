import { beforeEach, expect, test } from 'vitest'
import {
  createRelay,
  defineOutbox,
  enqueue,
  fixed,
  outboxTableSql,
  transaction,
  type Outbox,
} from '../index.ts'
import { silentLog } from '../log.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'
import { TableWatch } from './table-watch.ts'

interface Job {
  id: string
  key: string
  status: string
  attempts: number
  due_at: Date
}

const jobs = defineOutbox<Job>({
  name: 'watch.jobs',
  table: 'watch.job',
  states: { ready: 'ready', sent: 'sent', retry: 'again', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  order: { key: 'key', dead: 'block' },
  retry: fixed('1s', { attempts: 3 }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: ({ id, key }: Job) => ({ id, key, type: 'job', payload: {} }),
})
const tableSql = `create table watch.job (id uuid primary key, key text not null,
    status text not null default 'ready', attempts int not null default 0,
    due_at timestamptz not null default posthorn.now());
  ${outboxTableSql(jobs)}`
const { pool } = await testDatabase({ sql: `create schema watch; ${tableSql}` })
const outboxes = [jobs] as unknown as Outbox[]
const said: { code: string }[] = []
const log = {
  ...silentLog,
  error: ({ err }: { err?: unknown }) => void said.push(err as { code: string }),
}

async function alerts() {
  const { rows } = await pool.query<{ code: string; open: boolean }>(
    `select code, recovered_at is null as open from posthorn.alert where source = 'watch.jobs' order by id`,
  )
  return rows.map(({ code, open }) => `${code} ${open ? 'open' : 'over'}`)
}

beforeEach(async () => {
  said.length = 0
  await pool.query('truncate posthorn.alert')
})

test('a table that was renamed is an alert, once, until it is back', async () => {
  const watch = new TableWatch()
  await watch.look(pool, outboxes, log)
  expect(await alerts()).toEqual([])
  await pool.query('alter table watch.job rename to job_before')
  await watch.look(pool, outboxes, log)
  await watch.look(pool, outboxes, log)
  expect(said.map(({ code }) => code)).toEqual(['TABLE_MISMATCH'])
  expect(await alerts()).toEqual(['TABLE_MISMATCH open'])
  await pool.query('alter table watch.job_before rename to job')
  await watch.look(pool, outboxes, log)
  expect(await alerts()).toEqual(['TABLE_MISMATCH over'])
})

test('a table that took the place of another is an alert, and is read from its front', async () => {
  const watch = new TableWatch()
  const fake = fakeTransport()
  const put = (key: string) => transaction(pool, (tx) => enqueue(tx, jobs, { key }))
  const relay = createRelay({ pool, outboxes: [jobs], transports: { fake }, log: silentLog })
  for (const key of ['a', 'b', 'c']) await put(key)
  await relay.runOnce()
  await pool.query(`update posthorn.bucket set floor = 1000 where outbox = 'watch.jobs'`)
  await watch.look(pool, outboxes, log)
  await pool.query(`begin; drop table watch.job; ${tableSql}; commit`)
  await put('d')
  await watch.look(pool, outboxes, log)
  expect(said.map(({ code }) => code)).toEqual(['TABLE_REPLACED'])
  await relay.runOnce()
  expect(fake.arrived.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd'])
  await watch.look(pool, outboxes, log)
  expect(await alerts()).toEqual(['TABLE_REPLACED open'])
})
