import { Client } from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { transaction } from '../database/transaction.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import type { OutboxDefinition } from '../outbox/definition.ts'
import { delivered, retryLater } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { silentLog } from '../log.ts'
import { poolHandle } from '../database/pool-handle.ts'
import { fakeTransport, testDatabase, testSession, viewTable } from '../testing/index.ts'
import { KeySource } from './key/key-source.ts'
import { LogSource } from './log/log-source.ts'
import { createRelay } from './relay.ts'

/* A row that another transaction has locked stops its own key at the most. */

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const outboxNamed = (name: string, extra: Partial<OutboxDefinition<Event>> = {}) =>
  defineOutbox<Event>({
    name: `locked.${name}`,
    table: `locked.${name}`,
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch: 50, lease: '1s', every: '100ms' },
    retry: fixed('100ms', { attempts: 20 }),
    destination: { transport: 'fake', topic: 't' },
    message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
    ...extra,
  } as OutboxDefinition<Event>)

const order = { key: 'key', dead: 'block' } as const
const settled = async () => undefined
const byRow = outboxNamed('rows')
const audited = outboxNamed('audited', { audit: { settled } })
const claimed = outboxNamed('claimed', {
  states: { ready: 'ready', claimed: 'busy', sent: 'sent', dead: 'dead' },
})
const byKey = outboxNamed('keys', { order })
const auditedKeys = outboxNamed('auditedkeys', { order, audit: { settled } })
const logged = outboxNamed('logged', { order, storage: 'log' })
const all = [byRow, audited, claimed, byKey, auditedKeys, logged]

const db = await testDatabase({
  sql: `create schema locked;
    ${all
      .map(
        (outbox) => `create table ${outbox.table} (id uuid primary key, key text not null,
          n int not null, status text not null default 'ready', attempts int not null default 0,
          due_at timestamptz not null default posthorn.now());
        ${outboxTableSql(outbox)}`,
      )
      .join('')}`,
})

let holder: Client
beforeEach(async () => {
  holder = new Client({ connectionString: db.url })
  await holder.connect()
  await holder.query('begin')
  onTestFinished(() => holder.end())
})

const put = (outbox: Outbox<Event>, messages: { key: string; n: number }[]) =>
  transaction(db.pool, (tx) => enqueueAll(tx, outbox, messages))
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ key: `key-${n % 40}`, n: from + n }))
const patience = { timeout: 15_000 }

async function startRelay(outbox: Outbox<Event>, fake: ReturnType<typeof fakeTransport>) {
  const relay = createRelay({
    pool: db.connect({ max: 8 }),
    outboxes: [outbox],
    transports: { fake },
    log: silentLog,
  })
  onTestFinished(() => relay.stop())
  await relay.start()
  return relay
}

/** Locks the first message of a key, wherever it is, as an application's own update would. */
const lockFirst = (outbox: Outbox<Event>, key: string) =>
  holder.query(
    `update ${outbox.exceptions ?? outbox.table} set n = n where id = (
       select id from ${outbox.exceptions ?? outbox.table} where key = $1 order by n limit 1)`,
    [key],
  )

const countSent = async (outbox: Outbox) => {
  const states = await viewTable(db.pool, outbox).states()
  return [...states.values()].filter((state) => state === 'sent').length
}

test.each([byRow, audited, claimed])(
  'a row of $name that is locked between claim and settle stops no other',
  async (outbox) => {
    const box = outbox as unknown as Outbox
    let lock: Promise<unknown> | undefined
    const fake = fakeTransport(async ({ key }) => {
      if (key === 'key-7') await (lock ??= lockFirst(outbox, 'key-7'))
      return delivered()
    })
    await put(outbox, keys(40))
    await startRelay(outbox, fake)
    await expect.poll(() => lock, patience).toBeDefined()
    await put(outbox, keys(160, 40))
    await expect.poll(() => countSent(box), patience).toBeGreaterThanOrEqual(195)
    const others = () => fake.arrived.filter(({ payload }) => payload !== 7)
    // Several leases long: what was delivered is settled, and not delivered again.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(others()).toHaveLength(199)
    expect(await countSent(box)).toBe(199)
    await holder.query('rollback')
    await expect.poll(() => countSent(box), patience).toBe(200)
    // Its own claim is kept as long as its relay lives.
    expect(fake.arrived).toHaveLength(200)
  },
)

test('a row that is unlocked within its lease is not delivered again', async () => {
  const box = byRow as unknown as Outbox
  await viewTable(db.pool, box).empty()
  let lock: Promise<unknown> | undefined
  const fake = fakeTransport(async () => {
    await (lock ??= lockFirst(byRow, 'key-0'))
    return delivered()
  })
  await put(byRow, keys(10))
  await startRelay(byRow, fake)
  await expect.poll(() => countSent(box), patience).toBe(9)
  await holder.query('commit')
  await expect.poll(() => countSent(box), patience).toBe(10)
  expect(fake.arrived).toHaveLength(10)
})

test.each([byKey, auditedKeys])('a locked row of $name stops its own key', async (outbox) => {
  const box = outbox as unknown as Outbox
  const fake = fakeTransport()
  await put(outbox, keys(400))
  await lockFirst(outbox, 'key-7')
  await startRelay(outbox, fake)
  await expect.poll(() => countSent(box), patience).toBeGreaterThanOrEqual(390)
  await put(outbox, keys(40, 400))
  await expect.poll(() => countSent(box), patience).toBe(440 - 11)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await holder.query('commit')
  await expect.poll(() => countSent(box), patience).toBe(440)
  const numbers = fake.arrived.map(({ payload }) => payload as number)
  expect(numbers).toHaveLength(440)
  const ofKey = numbers.filter((n) => n % 40 === 7)
  expect(ofKey).toEqual(ofKey.toSorted((one, other) => one - other))
})

test.each([byKey, logged])(
  'a locked row of $name that fails keeps its key in order',
  async (outbox) => {
    const box = outbox as unknown as Outbox
    await viewTable(db.pool, box).empty()
    let isFailing = true
    const fake = fakeTransport(({ payload }) =>
      isFailing && payload === 7 ? retryLater(new Error('not now')) : delivered(),
    )
    await put(outbox, keys(80))
    await startRelay(outbox, fake)
    await expect
      .poll(() => lockFirst(outbox, 'key-7').then(({ rowCount }) => rowCount), patience)
      .toBe(1)
    await put(outbox, keys(80, 80))
    await expect.poll(() => countSent(box), patience).toBe(156)
    isFailing = false
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await countSent(box)).toBe(156)
    await holder.query('commit')
    await expect.poll(() => countSent(box), patience).toBe(160)
    const ofKey = fake.arrived.map(({ payload }) => payload as number).filter((n) => n % 40 === 7)
    expect([...new Set(ofKey)]).toEqual([7, 47, 87, 127])
  },
)

/** The keys that wait with this one: of a log those in its bucket, whose cursor cannot go on. */
async function keysBeside(key: string, outbox: Pick<Outbox<Event>, 'log'>): Promise<Set<number>> {
  if (outbox.log === undefined) return new Set([Number(key.slice('key-'.length))])
  const { rows } = await db.pool.query<{ n: number }>(
    `select n from generate_series(0, 39) as n where posthorn.bucket_of('key-' || n) = posthorn.bucket_of($1)`,
    [key],
  )
  return new Set(rows.map(({ n }) => n))
}

test.each([byKey, auditedKeys, logged])(
  'a waiting key of $name that an operator has locked stops no other',
  async (outbox) => {
    const box = outbox as unknown as Outbox
    await viewTable(db.pool, box).empty()
    let isFailing = true
    const fake = fakeTransport(({ payload }) =>
      isFailing && payload === 7 ? retryLater(new Error('not now')) : delivered(),
    )
    await put(outbox, keys(80))
    const relay = await startRelay(outbox, fake)
    const lockKey = `update posthorn.held_key set version = version where outbox = $1 and key = 'key-7'`
    await expect
      .poll(() => holder.query(lockKey, [outbox.name]).then(({ rowCount }) => rowCount), patience)
      .toBe(1)
    const arrived = () => new Set(fake.arrived.map(({ payload }) => payload as number))
    const locked = await keysBeside('key-7', outbox)
    for (let from = 80; from < 280; from += 40) {
      await put(outbox, keys(40, from))
      await expect
        .poll(() => [...arrived()].filter((n) => n >= from && !locked.has(n % 40)).length, patience)
        .toBe(40 - locked.size)
    }
    isFailing = false
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect([...arrived()].filter((n) => n % 40 === 7)).toEqual([])
    await holder.query('commit')
    await expect.poll(() => countSent(box), patience).toBe(280)
    expect([...arrived()].filter((n) => n % 40 === 7)).toEqual([7, 47, 87, 127, 167, 207, 247])
    await relay.stop()
  },
)

test.each([byKey, logged])(
  'a waiting key of $name that is locked keeps no relay from the buckets of a dead one',
  async (outbox) => {
    const box = outbox as unknown as Outbox
    await viewTable(db.pool, box).empty()
    await db.pool.query(
      `insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
       values ($1, 'key-7', posthorn.bucket_of('key-7'), now(), 'REPLAYED')`,
      [outbox.name],
    )
    await put(outbox, keys(80))
    const handle = poolHandle(db.pool, { prepare: true })
    const session = await testSession(db.pool, box, 'doomed')
    const Source = outbox.log === undefined ? KeySource : LogSource
    const doomed = new Source(handle, box, { session })
    await doomed.maintain()
    expect((await doomed.claim('batch', 80))?.rows.length).toBeGreaterThan(40)
    await holder.query(
      `update posthorn.held_key set version = version where outbox = $1 and key = 'key-7'`,
      [outbox.name],
    )
    await viewTable(db.pool, box).expireLeases()
    const fake = fakeTransport()
    const relay = await startRelay(outbox, fake)
    const { size } = await keysBeside('key-7', logged)
    await expect.poll(() => countSent(box), patience).toBe(80 - 2 * size)
    await holder.query('commit')
    await expect.poll(() => countSent(box), patience).toBe(80)
    await relay.stop()
  },
)
