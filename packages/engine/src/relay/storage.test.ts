import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { transaction } from '../database/transaction.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { silentLog } from '../log.ts'
import { outboxStats } from '../maintain/stats.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import { delivered, refused, retryLater } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { fakeTransport, testDatabase, viewTable, type FakeTransport } from '../testing/index.ts'
import { uuid } from '../uuid.ts'
import { createRelay, type Relay } from './relay.ts'

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const shared = {
  name: 'moved.events',
  table: 'moved.events',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { every: '50ms', lease: '2s' },
  retry: fixed('0s', { attempts: 20 }),
  destination: { transport: 'fake', topic: 't' },
  message: (row: Event) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
} as const
const order = { key: 'key', dead: 'block' } as const
/** As a process has it that was started with this definition: what one has learnt another has not. */
const byRow = () => defineOutbox<Event>(shared)
const byKey = () => defineOutbox<Event>({ ...shared, order })
const inLog = () => defineOutbox<Event>({ ...shared, order, storage: 'log' })

const db = await testDatabase({
  sql: `create schema moved;
    create table moved.events (id uuid primary key, key text not null, n int not null,
      status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(byRow())}
    ${outboxTableSql(byKey())}
    ${outboxTableSql(inLog())}`,
})

const relays: Relay[] = []
const start = async (outbox: Outbox<Event>, fake: FakeTransport = fakeTransport()) => {
  const relay = createRelay({
    pool: db.pool,
    outboxes: [outbox],
    transports: { fake },
    log: silentLog,
  })
  relays.push(relay)
  await relay.start()
  return relay
}
const put = (outbox: Outbox<Event>, key: string, ...ns: number[]) =>
  transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outbox,
      ns.map((n) => ({ key, n })),
    ),
  )
const numbers = (fake: FakeTransport, key: string) =>
  fake.arrived.filter((message) => message.key === key).map(({ payload }) => payload)
const attempted = (fake: FakeTransport, key: string) =>
  expect.poll(() => fake.attempted.some((message) => message.key === key), { timeout: 10_000 })
const counted = (outbox: Outbox<Event>) =>
  expect.poll(async () => (await outboxStats(db.pool, outbox)).counts, { timeout: 10_000 })
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
const count = async (place: string) =>
  (await db.pool.query(`select from moved.${place} where status <> 'sent'`)).rowCount

beforeEach(async () => {
  await viewTable(db.pool, inLog() as unknown as Outbox).empty()
  await db.pool.query(`delete from posthorn.outbox`)
})
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
})

test('what waits in a log goes to the table, and before all that comes later', async () => {
  const fake = fakeTransport(({ key }) =>
    key === 'dead' ? refused('never') : retryLater('down', { after: '1s' }),
  )
  const logged = inLog()
  const old = await start(logged, fake)
  await put(logged, 'dead', 1, 2)
  await put(logged, 'tried', 1, 2)
  await attempted(fake, 'tried').toBe(true)
  await attempted(fake, 'dead').toBe(true)
  await old.stop()
  await put(logged, 'tried', 3)
  await put(logged, 'fresh', 1, 2)

  fake.answer = () => delivered()
  const tabled = byKey()
  await start(tabled, fake)
  expect([await count('events_log'), await count('events_exceptions')]).toEqual([0, 0])
  await put(tabled, 'tried', 4)
  // A process with the definition of before still writes.
  await put(logged, 'fresh', 3)
  await put(tabled, 'fresh', 4)
  await expect.poll(() => numbers(fake, 'tried'), { timeout: 10_000 }).toEqual([1, 2, 3, 4])
  await expect.poll(() => numbers(fake, 'fresh')).toEqual([1, 2, 3, 4])
  await counted(tabled).toMatchObject({ dead: 1, ready: 1, sent: 8 })
})

test('what waits in a table goes to its log, with what its writers of before still add', async () => {
  const fake = fakeTransport(({ key }) =>
    key === 'dead' ? refused('never') : retryLater('down', { after: '1s' }),
  )
  const tabled = byKey()
  const old = await start(tabled, fake)
  await put(tabled, 'dead', 1, 2)
  await put(tabled, 'tried', 1, 2)
  await attempted(fake, 'tried').toBe(true)
  await attempted(fake, 'dead').toBe(true)
  await old.stop()
  await put(tabled, 'fresh', 1)

  const logged = inLog()
  await expect(put(logged, 'fresh', 2)).rejects.toMatchObject({ code: 'STORAGE_IN_USE' })
  fake.answer = () => delivered()
  await start(logged, fake)
  expect(await count('events')).toBe(0)
  for (const n of range(2, 21)) await put(n % 2 === 0 ? logged : tabled, 'fresh', n)
  await put(logged, 'tried', 3)
  await expect.poll(() => numbers(fake, 'fresh'), { timeout: 10_000 }).toEqual(range(1, 21))
  await expect.poll(() => numbers(fake, 'tried'), { timeout: 10_000 }).toEqual([1, 2, 3])
  await counted(logged).toMatchObject({ dead: 1, ready: 1 })
  expect(await count('events')).toBe(0)
})

test('writers of both definitions keep the order of a key through a change and back', async () => {
  const fake = fakeTransport()
  const tabled = byKey()
  const first = await start(tabled, fake)
  await first.stop()
  const logged = inLog()
  const second = await start(logged, fake)
  await put(logged, 'k', 0)
  let n = 0
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted) {
      n += 1
      await put(n % 2 === 0 ? tabled : logged, 'k', n)
    }
  })()
  await expect.poll(() => fake.arrived.length).toBeGreaterThan(20)
  await second.stop()
  const third = await start(byKey(), fake)
  const until = fake.arrived.length + 20
  await expect.poll(() => fake.arrived.length).toBeGreaterThan(until)
  await third.stop()
  await start(inLog(), fake)
  await expect.poll(() => fake.arrived.length).toBeGreaterThan(until + 20)
  over.abort()
  await writing
  await expect.poll(() => numbers(fake, 'k')).toEqual(range(0, n))
})

test('a writer whose snapshot is of before the change fails and tries again', async () => {
  const first = await start(byKey())
  await first.stop()
  const client = await db.pool.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select from moved.events')
  await start(inLog())
  const late = client.query(`insert into moved.events (id, key, n) values ($1, 'k', 1)`, [uuid()])
  await expect(late).rejects.toMatchObject({ code: '40001' })
  await client.query('rollback')
  client.release()
})

test('two definitions do not run side by side on one table', async () => {
  const first = await start(byKey())
  await expect(start(inLog())).rejects.toMatchObject({ code: 'STORAGE_IN_USE' })
  await expect(start(byRow())).rejects.toThrow('keeps moved.events by key (outbox moved.events)')
  const namesake = defineOutbox<Event>({ ...shared, name: 'moved.other' })
  await expect(start(namesake)).rejects.toMatchObject({ code: 'STORAGE_IN_USE' })
  await start(byKey())
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
  await start(byRow())
  await expect(first.start()).rejects.toMatchObject({ code: 'STORAGE_IN_USE' })
})

test('a relay that was away while the storage was changed has no bucket any more', async () => {
  const keyed = byKey()
  const said: unknown[] = []
  const log = { ...silentLog, error: ({ err }: { err?: unknown }) => void said.push(err) }
  const fake = fakeTransport()
  const away = createRelay({ pool: db.pool, outboxes: [keyed], transports: { fake }, log })
  relays.push(away)
  await away.start()
  const logged = inLog()
  const view = viewTable(db.pool, keyed as unknown as Outbox)
  // It says soon that it is alive: another may begin before.
  const begin = async () => (await view.expireLeases(), start(logged, fake))
  await expect
    .poll(() =>
      begin().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await expect
    .poll(() => said, { timeout: 10_000 })
    .toContainEqual(expect.objectContaining({ code: 'STORAGE_IN_USE' }))
  const keys = range(1, 50).map((n) => `k${n}`)
  for (const key of keys) await put(logged, key, 1)
  await expect.poll(() => fake.arrived.length, { timeout: 10_000 }).toBe(50)
})

test('what the table refuses stays in the log, and the start says why', async () => {
  const logged = inLog()
  const first = await start(logged)
  await first.stop()
  const id = uuid()
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      logged,
      [1, 2].map((n) => ({ id, key: 'k', n })),
    ),
  )
  await expect(start(byKey())).rejects.toMatchObject({ code: 'STORAGE_NOT_MOVED' })
  await expect(start(byKey())).rejects.toThrow('violates unique constraint "events_pkey"')
  const fake = fakeTransport()
  await start(inLog(), fake)
  await expect.poll(() => numbers(fake, 'k')).toEqual([1, 2])
})

test('a role that owns no table changes to the log, and needs the owner on the way back', async () => {
  const role = `moved_relay_${db.name}`
  await db.pool.query(`
    create role ${role} login password 'relay';
    grant usage on schema posthorn, moved to ${role};
    grant all on all tables in schema posthorn, moved to ${role};
    grant all on all sequences in schema posthorn, moved to ${role};
    drop trigger if exists posthorn_redirect on moved.events_log`)
  onTestFinished(async () => {
    await db.pool.query(`drop owned by ${role}; drop role ${role}`)
  })
  const url = new URL(db.url)
  url.username = role
  url.password = 'relay'
  const pool = db.connect({ connectionString: url.href, max: 5 })
  const keyed = byKey()
  const fake = fakeTransport()
  const begin = async (outbox: Outbox<Event>) => {
    const options = { pool, outboxes: [outbox], transports: { fake }, log: silentLog }
    const relay = createRelay({ ...options, maintenance: 'off' })
    await relay.start()
    return relay
  }
  await (await begin(keyed)).stop()
  await put(keyed, 'k', 1)
  const relay = await begin(inLog())
  await put(keyed, 'k', 2)
  await expect.poll(() => numbers(fake, 'k')).toEqual([1, 2])
  await relay.stop()
  await expect(begin(byKey())).rejects.toThrow('must be owner of table events_log')
  await pool.end()
})

test('what a relay by row had in hand goes by key', async () => {
  const claimed = defineOutbox<Event>({ ...shared, states: { ...shared.states, claimed: 'going' } })
  await (await start(claimed)).stop()
  await put(claimed, 'k', 1, 2)
  await db.pool.query(
    `update moved.events set status = 'going', claim_token = gen_random_uuid() where n = 1`,
  )
  const fake = fakeTransport()
  await start(byKey(), fake)
  await expect.poll(() => numbers(fake, 'k')).toEqual([1, 2])
})

test('an order begins with what waits, and ends without a key that waits for ever', async () => {
  const fake = fakeTransport(({ payload }) => (payload === 1 ? refused('never') : delivered()))
  const keyed = byKey()
  const first = await start(keyed, fake)
  await put(keyed, 'k', 1, 2)
  await attempted(fake, 'k').toBe(true)
  await first.stop()
  const second = await start(byRow(), fake)
  await expect.poll(() => numbers(fake, 'k')).toEqual([2])
  await second.stop()
  await put(keyed, 'k', 3)
  await db.pool.query(`update moved.events set held = true where n = 3`)
  await start(byKey(), fake)
  await expect.poll(() => numbers(fake, 'k')).toEqual([2, 3])
})
