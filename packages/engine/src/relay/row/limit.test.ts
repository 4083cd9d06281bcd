import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { transaction } from '../../database/transaction.ts'
import { silentLog } from '../../log.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import type { OutboxDefinition } from '../../outbox/definition.ts'
import { delivered } from '../../outbox/outcome.ts'
import { fixed } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import type { Delivery } from '../../outbox/transport.ts'
import { testDatabase } from '../../testing/index.ts'
import { runUntilKilled } from '../../testing/child-process.ts'
import { createRelay } from '../relay.ts'
import { keyStatements } from '../key/claim.sql.ts'
import { rowStatements } from './claim.sql.ts'

interface Call {
  id: string
  shop: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const definition: OutboxDefinition<Call> = {
  name: 'limit.calls',
  table: 'limited.calls',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 10, lease: '1s', every: '1s' },
  retry: fixed('1s', { attempts: 3 }),
  destination: { transport: 'shop', topic: 'calls' },
  message: ({ id, shop, n }) => ({ id, type: 'call', key: shop, payload: { shop, n } }),
}

const plain = defineOutbox<Call>(definition)
const define = (more: Partial<OutboxDefinition<Call>>) =>
  defineOutbox<Call>({ ...definition, ...more } as OutboxDefinition<Call>)
const fair = define({ fair: { by: 'shop' } })
const ordered = define({
  name: 'limit.ordered',
  table: 'limited.ordered',
  order: { key: 'shop', dead: 'block' },
})

const columns = `id uuid primary key, shop text not null, n int, status text not null default 'ready',
  attempts int not null default 0, due_at timestamptz not null default posthorn.now()`
const db = await testDatabase({
  sql: `create schema limited;
    create table limited.calls (${columns});
    create table limited.ordered (${columns});
    ${outboxTableSql(plain)}
    create index calls_by_shop on limited.calls (shop, due_at, id) where status = 'ready';
    ${outboxTableSql(ordered)}`,
})

beforeEach(() => db.pool.query('truncate limited.calls, limited.ordered, posthorn.permit'))

/** A destination that takes a while, and notes how many it had at once and when they came. */
function busyShop(ms: number) {
  const shop = {
    now: new Map<string, number>(),
    most: new Map<string, number>(),
    arrived: [] as { at: number; shop: string; n: number }[],
    async deliver(batch: readonly Delivery[]) {
      const keys = batch.map(({ message }) => String(message.key))
      for (const key of [...keys, ...keys.map(() => '')]) {
        const now = (shop.now.get(key) ?? 0) + 1
        shop.now.set(key, now)
        shop.most.set(key, Math.max(now, shop.most.get(key) ?? 0))
      }
      for (const { message } of batch) {
        const { n } = message.payload as { n: number }
        shop.arrived.push({ at: performance.now(), shop: String(message.key), n })
      }
      await new Promise((resolve) => setTimeout(resolve, ms))
      for (const key of [...keys, ...keys.map(() => '')])
        shop.now.set(key, (shop.now.get(key) ?? 0) - 1)
      return batch.map(() => delivered())
    },
    close: async () => undefined,
  }
  return shop
}

// oxlint-disable-next-line max-params -- what, where to, by how many, on which pool
async function runWith(
  outbox: Outbox<Call>,
  transport: ReturnType<typeof busyShop>,
  relays = 2,
  pool = db.connect({ max: 6 * relays }),
) {
  const all = Array.from({ length: relays }, () =>
    createRelay({
      pool,
      outboxes: [outbox],
      transports: { shop: transport },
      log: silentLog,
      maintenance: 'off',
    }),
  )
  onTestFinished(async () => void (await Promise.all(all.map((relay) => relay.stop()))))
  await Promise.all(all.map((relay) => relay.start()))
}

const enqueue = (outbox: Outbox<Call>, calls: Partial<Call>[]) =>
  transaction(db.pool, (tx) => enqueueAll(tx, outbox, calls))
const many = (count: number, shop = 'a') =>
  Array.from({ length: count }, (_, n): Partial<Call> => ({ shop, n }))
const patience = { timeout: 20_000, interval: 25 }

describe('a limit over all processes', () => {
  test('keeps no more than so many at once', async () => {
    const outbox = define({ limit: { atOnce: 3 } })
    const shop = busyShop(15)
    await enqueue(outbox, many(60))
    await runWith(outbox, shop)
    await expect.poll(() => shop.arrived.length, patience).toBe(60)
    expect(shop.most.get('')).toBe(3)
  })

  test('gives no more than so many within a time', async () => {
    const outbox = define({ limit: { rate: 5, per: '400ms' } })
    const shop = busyShop(0)
    await enqueue(outbox, many(20))
    await runWith(outbox, shop)
    await expect.poll(() => shop.arrived.length, patience).toBe(20)
    const { rows } = await db.pool.query<{ most: number }>(
      `select max(n)::int as most from (
         select sum(taken) over (order by taken_at range between interval '399 ms' preceding and current row) as n
           from posthorn.permit) as windows`,
    )
    expect(rows[0]?.most).toBeLessThanOrEqual(5)
    const times = shop.arrived.map(({ at }) => at)
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_000)
  })

  test('is asked for again when permits come back, and not before', async () => {
    const outbox = define({
      limit: { rate: 5, per: '500ms' },
      claim: { batch: 10, lease: '30s', every: '30s' },
    })
    const shop = busyShop(0)
    await enqueue(outbox, many(30))
    let asked = 0
    const pool = db.connect({ max: 6 })
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>
    const counting = (...args: unknown[]) => {
      if (String((args[0] as { text?: string }).text).includes('take_permits')) asked += 1
      return query(...args)
    }
    Object.assign(pool, { query: counting })
    await runWith(outbox, shop, 1, pool)
    await expect.poll(() => shop.arrived.length, patience).toBe(30)
    expect(asked).toBeLessThan(60)
  })

  test('comes back from a process that was killed, with its lease', async () => {
    const outbox = define({ limit: { atOnce: 1 } })
    await enqueue(outbox, many(1, 'first'))
    const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
    await runUntilKilled(
      `import pg from 'pg'
       const { createRelay } = await import(${here('../relay.ts')})
       const { defineOutbox } = await import(${here('../../outbox/define.ts')})
       const { fixed } = await import(${here('../../outbox/retry.ts')})
       const definition = ${JSON.stringify({ ...definition, limit: { atOnce: 1 } })}
       const box = defineOutbox({ ...definition, message: ({ id }) => ({ id, type: 'call', payload: {} }) })
       const deliver = () => {
         process.stdout.write('in its hands')
         return new Promise(() => setInterval(() => undefined, 1_000))
       }
       const pool = new pg.Pool({ connectionString: process.env.DATABASE })
       await createRelay({ pool, outboxes: [box], transports: { shop: { deliver } } }).runOnce()`,
      { DATABASE: db.url },
    )
    await enqueue(outbox, many(3, 'next'))
    const held = await db.pool.query('select from posthorn.permit where until > now()')
    expect(held.rows).toHaveLength(1)
    const shop = busyShop(0)
    await runWith(outbox, shop, 1)
    await expect.poll(() => shop.arrived.length, patience).toBe(4)
    expect(shop.most.get('')).toBe(1)
  })

  test('is renewed while a destination takes its time', async () => {
    const outbox = define({ limit: { atOnce: 1 } })
    const shop = busyShop(1_500)
    await enqueue(outbox, many(2))
    await runWith(outbox, shop)
    await expect.poll(() => shop.arrived.length, patience).toBe(2)
    expect(shop.most.get('')).toBe(1)
  })

  test('leaves the order of keys as it is, and serves each', async () => {
    const outbox = define({
      name: ordered.name,
      table: ordered.table,
      order: { key: 'shop', dead: 'block' },
      limit: { atOnce: 2 },
    })
    const shop = busyShop(1)
    const shops = ['a', 'b', 'c', 'd', 'e', 'f']
    await enqueue(
      outbox,
      many(8).flatMap(({ n = 0 }) => shops.map((each) => ({ shop: each, n }))),
    )
    await runWith(outbox, shop, 1)
    await expect.poll(() => shop.arrived.length, patience).toBe(48)
    expect(shop.most.get('')).toBeLessThanOrEqual(2)
    for (const each of shops) {
      const seen = shop.arrived.filter((call) => call.shop === each).map(({ n }) => n)
      expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    }
    const firsts = shops.map((each) => shop.arrived.findIndex((call) => call.shop === each))
    expect(Math.max(...firsts), 'no key waits for the whole backlog of another').toBeLessThan(30)
  })
})

describe('a limit for each key', () => {
  const limited = define({ fair: { by: 'shop' }, limit: { by: 'shop', atOnce: 1 } })

  test('is kept for each, and none holds up another', async () => {
    const shop = busyShop(10)
    await enqueue(limited, [...many(30, 'busy'), ...many(3, 'quiet'), ...many(3, 'other')])
    await runWith(limited, shop)
    await expect.poll(() => shop.arrived.length, patience).toBe(36)
    expect(Object.fromEntries(shop.most)).toMatchObject({ busy: 1, quiet: 1, other: 1 })
    expect(shop.most.get('')).toBeGreaterThan(1)
    const lastQuiet = shop.arrived.findLastIndex((call) => call.shop === 'quiet')
    expect(lastQuiet).toBeLessThan(25)
    const states = async () =>
      (await db.pool.query('select distinct attempts, lost_claims, status from limited.calls')).rows
    await expect.poll(states, patience).toEqual([{ attempts: 0, lost_claims: 0, status: 'sent' }])
  })

  test('writes no row that does not go', async () => {
    const wide = define({
      fair: { by: 'shop' },
      limit: { by: 'shop', atOnce: 1 },
      claim: { batch: 50, lease: '10s', every: '1s' },
    })
    const shop = busyShop(5)
    await enqueue(wide, many(60, 'busy'))
    const versions = async () => {
      const { rows } = await db.pool.query<{ n: number }>(
        `select n_tup_upd::int as n from pg_stat_user_tables where relid = 'limited.calls'::regclass`,
      )
      return rows[0]?.n ?? 0
    }
    const before = await versions()
    await runWith(wide, shop)
    await expect.poll(() => shop.arrived.length, patience).toBe(60)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    // A claim and a settling update each; two relays may look at the same moment.
    expect((await versions()) - before).toBeLessThan(60 * 4)
  })

  test('by a rate lets the others pass', async () => {
    const rated = define({ fair: { by: 'shop' }, limit: { by: 'shop', rate: 2, per: '1h' } })
    const shop = busyShop(0)
    await enqueue(rated, [...many(50, 'busy'), ...many(1, 'quiet')])
    await runWith(rated, shop)
    await expect.poll(() => shop.arrived.length, patience).toBe(3)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(shop.arrived.map((call) => call.shop).toSorted()).toEqual(['busy', 'busy', 'quiet'])
  })
})

describe('a definition', () => {
  test('without a limit, or with one for the whole, has the statements it had', () => {
    const whole = define({ limit: { atOnce: 1 } })
    expect(rowStatements(whole).claimBatch).toEqual(rowStatements(plain).claimBatch)
    expect(rowStatements(whole).nextDue).toEqual(rowStatements(plain).nextDue)
    expect(rowStatements(fair).claimBatch.params).not.toContain('keys')
    expect(rowStatements(plain)).toMatchObject({ putBack: undefined, look: undefined })
    expect(keyStatements(ordered).claimFlow.text).not.toContain('order by l.place')
  })

  test.each([
    [{}, 'needs atOnce or rate'],
    [{ atOnce: 0 }, 'limit.atOnce'],
    [{ rate: 1.5 }, 'limit.rate'],
    [{ atOnce: 1, per: '1s' }, 'needs limit.rate'],
    [{ rate: 1, per: '2d' }, 'must be from 10ms to 1d'],
    [{ rate: 1, per: 'soon' }, 'is not a duration'],
    [{ atMost: 1 }, 'is not a field'],
    [{ atOnce: 1, by: 'shop' }, `needs fair: { by: 'shop' }`],
  ])('with %j is refused', (limit, problem) => {
    expect(() => define({ limit } as never)).toThrow(problem)
  })

  test.each([
    [{ states: { ...definition.states, claimed: 'claimed' } }, 'with a claimed state'],
    [{ counter: { column: 'attempts', bumps: 'on-claim' } }, 'needs counter.bumps'],
    [
      {
        fair: undefined,
        order: { key: 'shop', dead: 'block' },
        storage: 'log',
        limit: { atOnce: 1 },
      },
      'a log is claimed by runs',
    ],
  ])('that cannot be limited by key, or at all, is refused', (more, problem) => {
    const given = { fair: { by: 'shop' }, limit: { by: 'shop', atOnce: 1 }, ...more }
    expect(() => define(given as never)).toThrow(problem)
  })
})
