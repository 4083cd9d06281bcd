import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { fromPg } from '../enqueue/adapters/pg.ts'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { confirm } from './settle/confirm.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import type { OutboxDefinition } from '../outbox/definition.ts'
import { enqueue, enqueueAll } from '../enqueue/enqueue.ts'
import { createNotifier } from '../enqueue/notifier.ts'
import { delivered, refused, retryLater, unreachable } from '../outbox/outcome.ts'
import { createRelay, type Relay, type RelayOptions } from './relay.ts'
import { exponential } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { fakeTransport, testDatabase, viewTable, type FakeTransport } from '../testing/index.ts'
import { transaction, type Transaction } from '../database/transaction.ts'
import { silentLog, type LogDetails } from '../log.ts'

interface Job {
  id: string
  body: { n?: number; version?: number }
  topic: string
  status: string
  attempts: number
  due_at: Date
  sent_at: Date | null
  created_at: Date
}

const definition = {
  name: 'relay.jobs',
  table: 'relay.job',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', createdAt: 'created_at', sentAt: 'sent_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  // The poll is far away: what arrives sooner was woken.
  claim: { batch: 20, every: '60s', lease: '60s' },
  retry: exponential('1s', { attempts: 10 }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: (row: Job) => ({
    id: row.id,
    type: 'job',
    version: row.body.version ?? 1,
    payload: row.body,
  }),
} satisfies OutboxDefinition<Job>

const jobs = defineOutbox<Job>(definition)

const db = await testDatabase({
  sql: `create schema relay;
    create table relay.job (id uuid primary key, body jsonb not null, topic text not null default 't',
      status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now(), sent_at timestamptz,
      created_at timestamptz not null default now());
    ${outboxTableSql(jobs)}`,
})
await useMovableClock(db.pool)

const started: Relay[] = []
async function startRelay(
  outbox: Outbox<Job>,
  fake: FakeTransport,
  more: Partial<RelayOptions> = {},
) {
  const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports: { fake }, ...more })
  started.push(relay)
  await relay.start()
  // Its first look is over once it says that it lives.
  await expect
    .poll(async () => (await db.pool.query('select from posthorn.relay')).rows.length)
    .toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  return relay
}
const put = (n: number) => transaction(db.pool, (tx) => enqueue(tx, jobs, { body: { n } }))
const arrivals = (fake: FakeTransport, count: number, timeout = 3_000) =>
  expect.poll(() => fake.arrived.length, { timeout, interval: 5 }).toBe(count)

beforeEach(() => viewTable(db.pool, jobs as unknown as Outbox).empty())
afterEach(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
})

describe('wakes long before its poll', () => {
  test('after a transaction of our own', async () => {
    const fake = fakeTransport()
    await startRelay(jobs, fake)
    await put(1)
    await arrivals(fake, 1)
  })

  test('after a borrowed transaction, whenever it commits', async () => {
    const fake = fakeTransport()
    await startRelay(jobs, fake)
    const client = await db.pool.connect()
    await client.query('begin')
    await enqueue(fromPg(client), jobs, { body: { n: 1 } })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(fake.arrived).toHaveLength(0)
    await client.query('commit')
    client.release()
    await arrivals(fake, 1)
  })

  test('for a borrowed transaction whose commit the library does not report', async () => {
    const fake = fakeTransport()
    await startRelay(jobs, fake)
    const client = await db.pool.connect()
    await client.query('begin')
    const blind = {
      query: (statement: never) => client.query(statement),
      ringLater: (bell: { arm(): void }) => bell.arm(),
    } as unknown as Transaction
    await enqueue(blind, jobs, { body: { n: 1 } })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await client.query('commit')
    client.release()
    await arrivals(fake, 1)
  })

  test('when another process enqueued', async () => {
    const fake = fakeTransport()
    // The other process has the same definition, but not the same object.
    await startRelay(defineOutbox<Job>(definition), fake)
    const notifier = createNotifier(db.pool, [jobs])
    await put(1)
    await arrivals(fake, 1)
    await notifier.close()
  })

  test('when a retry is due, to the moment', async () => {
    const fake = fakeTransport()
    let first = true
    fake.answer = () =>
      first ? ((first = false), retryLater('once', { after: '300ms' })) : delivered()
    await startRelay(jobs, fake)
    const began = performance.now()
    await put(1)
    await arrivals(fake, 1)
    expect(performance.now() - began).toBeGreaterThan(295)
  })

  test('when the business clock was moved', async () => {
    const fake = fakeTransport()
    await startRelay(jobs, fake)
    await transaction(db.pool, (tx) => enqueue(tx, jobs, { body: {} }, { delay: '6h' }))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(fake.arrived).toHaveLength(0)
    await advanceClock(db.pool, '6h')
    await arrivals(fake, 1)
  })
})

test('without any wake-up, polling delivers the messages', async () => {
  const fake = fakeTransport()
  await startRelay(defineOutbox<Job>({ ...definition, claim: { every: '100ms' } }), fake, {
    mode: 'poll',
  })
  await put(1)
  await arrivals(fake, 1)
})

test('moving the business clock expires no lease', async () => {
  const slow = fakeTransport(
    () => new Promise((resolve) => setTimeout(() => resolve(delivered()), 300)),
  )
  await put(1)
  const relay = createRelay({ pool: db.pool, outboxes: [jobs], transports: { fake: slow } })
  const round = relay.runOnce()
  await expect.poll(() => slow.attempted.length).toBe(1)
  await advanceClock(db.pool, '30d')
  const other = fakeTransport()
  expect(
    await createRelay({ pool: db.pool, outboxes: [jobs], transports: { fake: other } }).runOnce(),
  ).toBe(0)
  await round
  expect(slow.arrived).toHaveLength(1)
})

test('a lease is renewed while the attempt goes on', async () => {
  const short = defineOutbox<Job>({ ...definition, claim: { lease: '500ms', every: '60s' } })
  const slow = fakeTransport(
    () => new Promise((resolve) => setTimeout(() => resolve(delivered()), 1_500)),
  )
  await put(1)
  const round = createRelay({
    pool: db.pool,
    outboxes: [short],
    transports: { fake: slow },
  }).runOnce()
  const other = fakeTransport()
  const thief = createRelay({ pool: db.pool, outboxes: [short], transports: { fake: other } })
  for (let i = 0; i < 12; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await thief.runOnce()).toBe(0)
  }
  await round
  expect([slow.arrived.length, other.attempted.length]).toEqual([1, 0])
})

test('a relay that stops settles its messages in flight', async () => {
  const fake = fakeTransport(
    () => new Promise((resolve) => setTimeout(() => resolve(delivered()), 200)),
  )
  const relay = await startRelay(jobs, fake)
  await put(1)
  await expect.poll(() => fake.attempted.length).toBe(1)
  await relay.stop()
  expect([...(await viewTable(db.pool, jobs as unknown as Outbox).states()).values()]).toEqual([
    'sent',
  ])
  expect((await db.pool.query('select from posthorn.relay')).rows).toHaveLength(0)
})

test('stopping aborts what does not end in time', async () => {
  const hanging = fakeTransport()
  hanging.deliver = (batch, { signal }) =>
    new Promise((resolve) => {
      hanging.attempted.push(...batch.map(({ message }) => message))
      signal.addEventListener('abort', () =>
        resolve(batch.map(() => retryLater('aborted', { charge: false }))),
      )
    })
  const relay = await startRelay(jobs, hanging, { drain: '100ms' })
  await put(1)
  await expect.poll(() => hanging.attempted.length).toBe(1)
  const began = performance.now()
  await relay.stop()
  expect(performance.now() - began).toBeLessThan(20_000)
  const [row] = await viewTable(db.pool, jobs as unknown as Outbox).rows()
  expect([row?.['status'], row?.['attempts'], row?.['claim_token']]).toEqual(['ready', 0, null])
})

describe('the circuit breaker', () => {
  const guarded = defineOutbox<Job>({
    ...definition,
    claim: { batch: 5, every: '60s' },
    breaker: { attempts: 10, failures: 0.7, probe: '30s' },
  })

  test('stops claims for a single broken destination, and a probe opens the way again', async () => {
    const fake = fakeTransport(() => retryLater('broken'))
    const relay = createRelay({ pool: db.pool, outboxes: [guarded], transports: { fake } })
    await transaction(db.pool, (tx) =>
      enqueueAll(
        tx,
        guarded,
        Array.from({ length: 40 }, (_, n) => ({ body: { n } })),
      ),
    )
    await relay.start()
    await expect.poll(() => fake.attempted.length).toBeGreaterThanOrEqual(10)
    await new Promise((resolve) => setTimeout(resolve, 300))
    // Two batches may be in hand when it opens; nothing after that.
    expect(fake.attempted.length).toBeLessThanOrEqual(20)
    const untried = (await viewTable(db.pool, guarded as unknown as Outbox).rows()).filter(
      (row) => row['attempts'] === 0,
    )
    expect(untried.length).toBeGreaterThanOrEqual(20)
    await relay.stop()
  })

  test.each([
    ['what a transport held back by its own choice', { charge: false }],
    ['an attempt over a rate limit', { charge: false, tried: true }],
  ])('does not open for %s', async (_what, options) => {
    const held = retryLater('a pause', { after: '1ms', ...options })
    const fake = fakeTransport(() => (fake.attempted.length > 60 ? delivered() : held))
    const relay = createRelay({ pool: db.pool, outboxes: [guarded], transports: { fake } })
    onTestFinished(() => relay.stop())
    const rows = Array.from({ length: 5 }, (_, n) => ({ body: { n } }))
    await transaction(db.pool, (tx) => enqueueAll(tx, guarded, rows))
    await relay.start()
    const countSent = async () => {
      const all = await viewTable(db.pool, guarded as unknown as Outbox).rows()
      return all.filter((row) => row['status'] === 'sent').length
    }
    await expect.poll(countSent).toBe(5)
  })

  test('postpones, uncharged, what is for a broken destination among others', async () => {
    const fanned = defineOutbox<Job>({
      ...definition,
      breaker: { attempts: 10, failures: 0.7, probe: '30s' },
      destination: (row) => ({ transport: 'fake', topic: row.topic }),
      message: (row) => ({ id: row.id, type: row.topic, payload: row.body }),
    })
    const fake = fakeTransport(({ type }) => (type === 'bad' ? retryLater('broken') : delivered()))
    const relay = createRelay({
      pool: db.pool,
      outboxes: [fanned],
      transports: { fake },
      mode: 'poll',
    })
    const some = (topic: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ topic, body: { n } }))
    await transaction(db.pool, (tx) => enqueueAll(tx, fanned, some('bad', 20)))
    await relay.runOnce()
    expect(fake.attempted).toHaveLength(20)
    await transaction(db.pool, (tx) =>
      enqueueAll(tx, fanned, [...some('bad', 10), ...some('good', 10)]),
    )
    await relay.runOnce()
    expect(fake.arrived).toHaveLength(10)
    expect(fake.attempted).toHaveLength(30)
    const rows = await viewTable(db.pool, fanned as unknown as Outbox).rows()
    expect(rows.filter((row) => row['status'] === 'ready' && row['attempts'] === 0)).toHaveLength(
      10,
    )
  })
})

test('an unreachable destination costs no attempts, and each wait is longer', async () => {
  const fake = fakeTransport(() => unreachable('no route'))
  const relay = createRelay({ pool: db.pool, outboxes: [jobs], transports: { fake }, mode: 'poll' })
  await put(1)
  for (const seconds of [1, 2, 4, 8]) {
    await relay.runOnce()
    const [row] = await viewTable(db.pool, jobs as unknown as Outbox).rows()
    expect(row?.['attempts']).toBe(0)
    await advanceClock(db.pool, `${seconds * 1_000 - 300}ms`)
    expect(await relay.runOnce()).toBe(0)
    await advanceClock(db.pool, '400ms')
  }
  expect(fake.attempted).toHaveLength(4)
})

test('old payloads are raised to the newest version; one that cannot be is quarantined alone', async () => {
  const versioned = defineOutbox<Job>({
    ...definition,
    upcasters: {
      job: {
        1: ({ n }: { n?: number }) => {
          if (n === undefined) throw new Error('no number')
          return { number: n }
        },
        2: (body: { number: number }) => ({ ...body, unit: 'piece' }),
      },
    },
  })
  const fake = fakeTransport()
  const relay = createRelay({
    pool: db.pool,
    outboxes: [versioned],
    transports: { fake },
    mode: 'poll',
  })
  await put(7)
  const { id } = await transaction(db.pool, (tx) => enqueue(tx, jobs, { body: {} }))
  await relay.runOnce()
  expect(fake.arrived.map(({ version, payload }) => ({ version, payload }))).toEqual([
    { version: 3, payload: { number: 7, unit: 'piece' } },
  ])
  expect(await viewTable(db.pool, jobs as unknown as Outbox).alerts()).toEqual([
    { subject: id, code: 'MESSAGE_UNREADABLE' },
  ])
})

test('what is not confirmed in time is sent again once its consumers have gone by', async () => {
  const confirmed = defineOutbox<Job>({
    ...definition,
    states: { ready: 'ready', sent: 'sent', confirmed: 'done', dead: 'dead' },
    confirm: { within: '1h' },
  })
  const fake = fakeTransport()
  const relay = createRelay({
    pool: db.pool,
    outboxes: [confirmed],
    transports: { fake },
    mode: 'poll',
  })
  // Real time decides, and a test does not wait for it.
  const letAnHourPass = () =>
    db.pool.query(`update relay.job set sent_at = sent_at - interval '1 h'`)
  const { id } = await put(1)
  await relay.runOnce()
  await relay.runOnce()
  expect(fake.arrived).toHaveLength(1)
  await letAnHourPass()
  await relay.runOnce()
  expect(fake.arrived.map((message) => message.id)).toEqual([id, id])
  await transaction(db.pool, (tx) => confirm(tx, confirmed, [{ id, outcome: delivered() }]))
  await letAnHourPass()
  await relay.runOnce()
  expect(fake.arrived).toHaveLength(2)
  const steps = await viewTable(db.pool, confirmed as unknown as Outbox).transitions(id)
  expect(steps).toEqual(['ready>sent', 'sent>sent', 'sent>done'])
})

test("the definition's own audit commits with the claim and with the settling, or not at all", async () => {
  await db.pool.query('create table if not exists relay.trail (id uuid, what text)')
  let fail = true
  const audited = defineOutbox<Job>({
    ...definition,
    audit: {
      async claimed(tx, rows) {
        for (const { id } of rows)
          await tx.query({ text: `insert into relay.trail values ($1, 'claimed')`, values: [id] })
      },
      async settled(tx, changes) {
        for (const { row, from, to } of changes) {
          await tx.query({
            text: 'insert into relay.trail values ($1, $2)',
            values: [row.id, `${from}>${to}`],
          })
        }
        if (fail) {
          fail = false
          throw new Error('the trail is full')
        }
      },
    },
  })
  const fake = fakeTransport()
  const relay = createRelay({
    pool: db.pool,
    outboxes: [audited],
    transports: { fake },
    mode: 'poll',
  })
  await put(1)
  await relay.runOnce()
  const { rows } = await db.pool.query<{ what: string }>('select what from relay.trail')
  expect(rows.map(({ what }) => what)).toEqual(['claimed', 'ready>sent'])
})

describe('does not start', () => {
  test('without a transport for a destination', () => {
    expect(() => createRelay({ pool: db.pool, outboxes: [jobs], transports: {} })).toThrow(
      '"fake" is not bound',
    )
  })

  test('on a table that lacks what the definition needs, and says what to add', async () => {
    await db.pool.query(
      'create table if not exists relay.bare (id uuid, status text, attempts int, due_at timestamptz, created_at timestamptz, sent_at timestamptz)',
    )
    const bare = defineOutbox<Job>({ ...definition, table: 'relay.bare' })
    const relay = createRelay({
      pool: db.pool,
      outboxes: [bare],
      transports: { fake: fakeTransport() },
    })
    await expect(relay.start()).rejects.toThrow('alter table relay.bare')
    const missing = defineOutbox<Job>({ ...definition, table: 'relay.none' })
    const other = createRelay({
      pool: db.pool,
      outboxes: [missing],
      transports: { fake: fakeTransport() },
    })
    await expect(other.start()).rejects.toThrow('there is no table relay.none')
  })
})

test.each([
  [{ outboxes: undefined }, 'createRelay(): outboxes: is missing'],
  [{ outboxes: [{}] }, 'createRelay(): outboxes: must be a list'],
  [{ transports: undefined, transport: {} }, 'createRelay(): transports: is missing'],
  [{ transports: { fake: {} } }, 'createRelay(): transports.fake: must be a transport'],
  [{ pool: 'postgres://here' }, 'createRelay(): pool: must be a Pool'],
  [{ drain: '10' }, 'createRelay(): drain: "10" is not a duration'],
  [{ maintenance: 'never' }, 'createRelay(): maintenance: "never" is not a duration'],
  [{ mode: 'push' }, 'createRelay(): mode: must be "listen" or "poll"'],
  [{ metric: {} }, 'createRelay(): metric: is not a field'],
])('options that are missing or wrong are named before anything runs: %o', (change, problem) => {
  const options = { pool: db.pool, outboxes: [jobs], transports: { fake: fakeTransport() } }
  expect(() => createRelay({ ...options, ...change } as never)).toThrow(problem)
})

test('a relay continues after the database closed all its connections', async () => {
  const fake = fakeTransport()
  const own = new Pool({ connectionString: db.url, max: 6 })
  own.on('error', () => undefined)
  await startRelay(jobs, fake, { pool: own })
  await db.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await put(1)
  await arrivals(fake, 1, 10_000)
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
  await own.end()
})

test('hundreds of dead messages of one cause are five lines of the log', async () => {
  const lines: LogDetails[] = []
  const log = { ...silentLog, error: (details: LogDetails) => void lines.push(details) }
  const fake = fakeTransport(() => refused({ code: 'GONE', message: 'no longer there' }))
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      jobs,
      Array.from({ length: 300 }, (_, n) => ({ body: { n } })),
    ),
  )
  await startRelay(jobs, fake, { log })
  await expect.poll(() => fake.attempted.length).toBe(300)
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
  expect(lines).toHaveLength(5)
  expect(lines[0]).toMatchObject({ outbox: 'relay.jobs', code: 'GONE', reason: 'no longer there' })
})
