import { expect, onTestFinished, test } from 'vitest'
import {
  createRelay,
  defineOutbox,
  enqueue,
  outboxTableSql,
  schedule,
  silentLog,
  transaction,
  type OutboxDefinition,
} from '../index.ts'
import { poolHandle } from '../database/pool-handle.ts'
import type { TableName } from '../database/sql-names.ts'
import type { Queryable } from '../database/transaction.ts'
import { fakeTransport, proxyTo, testDatabase } from '../testing/index.ts'
import { Session } from './session/session.ts'

interface Job {
  id: string
  tenant: string
  status: string
  attempts: number
  due_at: Date
}

const definition = {
  name: 'start.jobs',
  table: 'start.job',
  states: { ready: 'ready', sent: 'sent' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { every: '100ms' },
  retry: schedule(['1s'], { then: 'repeat-last' }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: ({ id }: Job) => ({ id, type: 'job', payload: {} }),
} satisfies OutboxDefinition<Job>

const outboxOf = (name: string, table: TableName) =>
  defineOutbox<Job>({ ...definition, name, table })
const tableSql = (table: TableName) => `
  create table ${table} (id uuid primary key, tenant text not null default 'acme',
    status text not null default 'ready', attempts int not null default 0,
    due_at timestamptz not null default posthorn.now());
  ${outboxTableSql(outboxOf('start.jobs', table))}`

const tables = ['start.job', 'start.other', 'start.secret'] as const
const database = await testDatabase({
  sql: `create schema start; ${tables.map(tableSql).join('')}`,
})
const { pool } = database
const jobs = outboxOf('start.jobs', 'start.job')

function relayOf(outbox: typeof jobs, more: Partial<Parameters<typeof createRelay>[0]> = {}) {
  const fake = fakeTransport()
  const relay = createRelay({ pool, outboxes: [outbox], transports: { fake }, ...more })
  onTestFinished(() => relay.stop())
  return { relay, fake }
}

test('a relay that is started while the database is away waits for it', async () => {
  const line = await proxyTo(database.url)
  onTestFinished(() => line.cut())
  const far = database.connect({ connectionString: line.by(database.url) })
  line.cut()
  const said: string[] = []
  const log = { ...silentLog, error: (_: object, message: string) => void said.push(message) }
  const { relay, fake } = relayOf(jobs, { pool: far, log })
  const starting = relay.start()
  await expect
    .poll(() => said)
    .toContain('the database cannot be reached; the relay starts when it can')
  await line.heal()
  await starting
  await transaction(pool, (tx) => enqueue(tx, jobs, {}))
  await expect.poll(() => fake.arrived.length).toBe(1)
  await relay.stop()
})

test('and can be stopped before it is there', async () => {
  const line = await proxyTo(database.url)
  const far = database.connect({ connectionString: line.by(database.url) })
  line.cut()
  const { relay } = relayOf(jobs, { pool: far })
  const stop = new AbortController()
  const running = relay.run({ signal: stop.signal })
  await new Promise((resolve) => setTimeout(resolve, 200))
  stop.abort()
  await running
})

test('a name belongs to one table: the first that was started with it', async () => {
  const first = relayOf(outboxOf('start.shared', 'start.job'))
  const second = relayOf(outboxOf('start.shared', 'start.other'))
  await first.relay.start()
  await expect(second.relay.start()).rejects.toMatchObject({
    code: 'OUTBOX_NAME_TAKEN',
    message: expect.stringContaining('start.job'),
  })
  await first.relay.stop()
  // The table was renamed: the name goes with it.
  await pool.query('alter table start.job rename to job_before')
  onTestFinished(async () => void (await pool.query('alter table start.job_before rename to job')))
  await second.relay.start()
  await second.relay.stop()
})

test('of two applications that start at once, one gets the name', async () => {
  const both = (['start.other', 'start.secret'] as const).map((table) =>
    relayOf(outboxOf('start.race', table)),
  )
  const ends = await Promise.allSettled(both.map(({ relay }) => relay.start()))
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await Promise.all(both.map(({ relay }) => relay.stop()))
})

test('a relay from which row-level security hides messages does not start', async () => {
  const role = `relay_${database.name}`
  await pool.query(`
    alter table start.secret enable row level security;
    create role ${role} login password 'relay';
    grant usage on schema posthorn, start to ${role};
    grant all on all tables in schema posthorn, start to ${role};
    grant all on all sequences in schema posthorn, start to ${role};
    create policy own on start.secret using (tenant = current_setting('app.tenant', true))`)
  onTestFinished(async () => {
    await pool.query(`drop owned by ${role}; drop role ${role}`)
  })
  const url = new URL(database.url)
  url.username = role
  url.password = 'relay'
  const own = database.connect({ connectionString: url.href, max: 5 })
  const secret = outboxOf('start.secret', 'start.secret')
  const { relay, fake } = relayOf(secret, { pool: own, maintenance: 'off' })
  await transaction(pool, (tx) => enqueue(tx, secret, {}))
  const error = await relay.start().catch((cause: unknown) => cause as Error)
  expect(error).toMatchObject({ code: 'ROWS_HIDDEN' })
  // What it says to do is enough.
  const [policy] = /create policy .*/.exec((error as Error).message) ?? []
  await pool.query(String(policy))
  await relay.start()
  await expect.poll(() => fake.arrived.length).toBe(1)
  await relay.stop()
  await own.end()
})

test('relays that start together do so where transactions are repeatable reads by default', async () => {
  const options = '-c default_transaction_isolation=repeatable\\ read'
  const relays = Array.from({ length: 8 }, () =>
    createRelay({
      pool: database.connect({ max: 2, options }),
      ...{ outboxes: [jobs], transports: { fake: fakeTransport() }, log: silentLog },
      mode: 'poll',
    }),
  )
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(relays.map((relay) => relay.start()))
    await Promise.all(relays.map((relay) => relay.stop()))
  }
})

test('an index that claims need is asked for, by row too', async () => {
  await pool.query(`drop index start.job_due`)
  const warned: string[] = []
  const log = { ...silentLog, warn: (_: object, message: string) => void warned.push(message) }
  const first = relayOf(jobs, { log })
  await first.relay.start()
  await first.relay.stop()
  expect(warned).toContain('no index for the claim; claims will be slow')
  await pool.query(outboxTableSql(jobs))
  warned.length = 0
  const second = relayOf(jobs, { log })
  await second.relay.start()
  await second.relay.stop()
  expect(warned).toEqual([])
})

test.each([
  { fair: { by: 'tenant' } },
  { columns: { dueAt: 'due_at', priority: 'attempts' } },
] as const)('a column of %j that may be null is refused', async (more) => {
  const column = 'fair' in more ? more.fair.by : more.columns.priority
  await pool.query(`alter table start.other alter column ${column} drop not null`)
  const outbox = defineOutbox<Job>({
    ...definition,
    name: 'start.nulls',
    table: 'start.other',
    ...more,
  })
  const { relay, fake } = relayOf(outbox, { log: silentLog })
  const error = await relay.start().catch((cause: unknown) => cause as Error)
  expect(error).toMatchObject({ code: 'TABLE_MISMATCH' })
  // What it says to do is enough.
  const [statement] = /alter table .*;/.exec((error as Error).message) ?? []
  await pool.query(String(statement))
  await transaction(pool, (tx) => enqueue(tx, outbox, {}))
  await relay.start()
  await expect.poll(() => fake.arrived.length).toBe(1)
})

test('a session whose first answer was lost begins only once', async () => {
  const handle = poolHandle(pool, { prepare: false })
  const lost: Queryable = {
    query: async (statement) => {
      await handle.db.query(statement)
      lost.query = handle.db.query
      throw new Error('Connection terminated unexpectedly')
    },
  }
  const session = new Session({
    handle: { ...handle, db: lost },
    relay: 'unanswered',
    outboxes: [jobs],
  })
  await expect(session.begin([])).rejects.toThrow('terminated')
  await session.begin([])
  onTestFinished(() => session.end())
  const { rows } = await pool.query(`select id from posthorn.session where relay = 'unanswered'`)
  expect(rows).toEqual([{ id: session.id }])
})
