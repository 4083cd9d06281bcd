import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { transaction } from '../database/transaction.ts'
import { defineOutbox, type Outbox } from '../outbox/define.ts'
import type { OutboxDefinition } from '../outbox/definition.ts'
import type { Message } from '../outbox/message.ts'
import { delivered, retryLater, type Outcome } from '../outbox/outcome.ts'
import { fixed } from '../outbox/retry.ts'
import { inSql, type OutboxRow } from '../outbox/resolved-definition.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import type { Transport } from '../outbox/transport.ts'
import { silentLog } from '../log.ts'
import { testDatabase, testSession, viewTable } from '../testing/index.ts'
import { createRelay } from './relay.ts'
import { LosingHandle } from '../testing/model-hand.ts'
import { KeySource } from './key/key-source.ts'
import { LogSource } from './log/log-source.ts'
import type { Claim } from './settle/claim.ts'
import { settlementOf } from './settle/settlement.ts'

/* A message that takes its time holds up no other, and of its key only what is behind it. */

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
  note?: string
}

const outboxNamed = (name: string, extra: Partial<OutboxDefinition<Event>> = {}) =>
  defineOutbox<Event>({
    name: `slow.${name}`,
    table: `slow.${name}`,
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch: 10, lease: '1s', every: '100ms' },
    retry: fixed('100ms', { attempts: 20 }),
    destination: { transport: 'each', topic: 't' },
    message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
    ...extra,
  } as OutboxDefinition<Event>)

const order = { key: 'key', dead: 'block' } as const
const byRow = outboxNamed('rows')
const fair = outboxNamed('shares', { fair: { by: 'key' } })
const limited = outboxNamed('limited', { limit: { atOnce: 15 } })
const byKey = outboxNamed('keys', { order })
const inLog = outboxNamed('logged', { order, storage: 'log' })
const broken = outboxNamed('broken', {
  order,
  breaker: { attempts: 3, failures: 0.5, window: '1m', probe: '500ms' },
})
const large = outboxNamed('large', { claim: { batch: 2, atOnce: 20 } })
const ordered = [byKey, inLog]
const all = [byRow, fair, limited, byKey, inLog]

const db = await testDatabase({
  sql: `create schema slow;
    ${[...all, broken, large]
      .map(
        (outbox) => `create table ${outbox.table} (id uuid primary key, key text not null,
          n int not null, status text not null default 'ready', attempts int not null default 0,
          due_at timestamptz not null default posthorn.now(), note text);
        ${outboxTableSql(outbox)}`,
      )
      .join('')}`,
})

const patience = { timeout: 15_000 }

/** Delivers side by side, the messages of a key one after the other. */
class Each implements Transport {
  readonly takes = 'each'
  readonly begun: number[] = []
  readonly ended: number[] = []
  readonly answer: (message: Message) => Promise<Outcome>

  constructor(answer: (n: number, times: number) => Promise<Outcome>) {
    this.answer = async ({ payload }) => {
      const n = payload as number
      this.begun.push(n)
      const outcome = await answer(n, this.begun.filter((each) => each === n).length)
      if (outcome.kind === 'delivered') this.ended.push(n)
      return outcome
    }
  }

  async deliver(...[batch, { ordered: isOrdered, report }]: Parameters<Transport['deliver']>) {
    const outcomes: Outcome[] = []
    const queues = Map.groupBy([...batch.entries()], ([at, { message }]) =>
      isOrdered ? message.key : at,
    )
    const run = async (
      queue: (typeof batch extends readonly (infer D)[] ? [number, D] : never)[],
    ) => {
      let stopped: Outcome | undefined
      for (const [at, { message }] of queue) {
        const outcome = stopped ?? (await this.answer(message))
        if (outcome.kind !== 'delivered')
          stopped = retryLater(new Error('behind'), { charge: false })
        outcomes[at] = outcome
        report?.(at, outcome)
      }
    }
    await Promise.all([...queues.values()].map(run))
    return outcomes
  }
}

const put = (outbox: Outbox<Event>, messages: Pick<Event, 'key' | 'n' | 'note'>[]) =>
  transaction(db.pool, (tx) => enqueueAll(tx, outbox, messages))
const spread = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ key: `key-${n % 40}`, n: from + n }))

async function startRelay(outbox: Outbox<Event>, each: Transport, name: string = randomUUID()) {
  const relay = createRelay({
    pool: db.connect({ max: 8 }),
    outboxes: [outbox],
    transports: { each },
    name,
    drain: '100ms',
    log: silentLog,
  })
  onTestFinished(() => relay.stop())
  await relay.start()
  return relay
}

async function empty(outbox: Outbox<Event>): Promise<void> {
  const { table, log } = inSql(outbox)
  await db.pool.query(`delete from ${table}`)
  if (log !== undefined) await db.pool.query(`delete from ${log}`)
  await db.pool.query('delete from posthorn.held_key')
}

const states = async (outbox: Outbox<Event>) => [
  ...(await viewTable(db.pool, outbox as unknown as Outbox).states()).values(),
]

/** Outcomes that come when the test says so. */
function hanging() {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  onTestFinished(() => resolve(delivered()))
  return { promise, end: (outcome = delivered()) => resolve(outcome) }
}

test.each(all)('$name: hanging messages hold up no others', async (outbox) => {
  await empty(outbox)
  const slow = hanging()
  const each = new Each(async (n) => (n < 3 ? slow.promise : delivered()))
  await put(outbox, [{ key: 'slow-0', n: 0 }, ...spread(20, 100), { key: 'slow-1', n: 1 }])
  await startRelay(outbox, each)
  await put(outbox, [{ key: 'slow-2', n: 2 }, ...spread(180, 200)])
  await expect.poll(() => each.ended.length, patience).toBe(200)
  await expect
    .poll(async () => (await states(outbox)).filter((state) => state === 'sent').length, patience)
    .toBe(200)
  // Longer than the lease: the relay keeps what is slow.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(each.begun).toHaveLength(203)
  slow.end()
  await expect
    .poll(async () => (await states(outbox)).every((state) => state === 'sent'), patience)
    .toBe(true)
  expect(each.begun).toHaveLength(203)
})

test.each([byRow, byKey, inLog])(
  '$name: a call for a batch that hangs holds up no other',
  async (outbox) => {
    await empty(outbox)
    const slow = hanging()
    const ended: number[] = []
    let hangs = false
    const calls: Transport = {
      async deliver(batch) {
        const ns = batch.map(({ message }) => message.payload as number)
        hangs ||= ns.includes(0)
        if (ns.includes(0)) await slow.promise
        ended.push(...ns)
        return batch.map(() => delivered())
      },
    }
    await put(outbox, [{ key: 'slow', n: 0 }])
    await startRelay(outbox, calls)
    await expect.poll(() => hangs, patience).toBe(true)
    await put(outbox, spread(40, 100))
    // Except for what is in the bucket of the call.
    await expect.poll(() => ended.length, patience).toBeGreaterThanOrEqual(35)
    expect(ended).not.toContain(0)
    slow.end()
    await expect.poll(() => ended.length, patience).toBe(41)
  },
)

test('one whose messages hang leaves a part of the window to others', async () => {
  await empty(fair)
  const slow = hanging()
  const each = new Each(async (n) => (n < 1_000 ? slow.promise : delivered()))
  await put(
    fair,
    Array.from({ length: 100 }, (_, n) => ({ key: 'hog', n })),
  )
  await startRelay(fair, each)
  await expect.poll(() => each.begun.length, patience).toBe(10)
  for (let n = 0; n < 30; n += 1) {
    await put(fair, [{ key: `other-${n % 3}`, n: 1_000 + n }])
    await expect.poll(() => each.ended.length, patience).toBe(n + 1)
  }
  // One of two batches.
  expect(each.begun.length - 30).toBe(10)
  slow.end()
  await expect
    .poll(async () => (await states(fair)).every((state) => state === 'sent'), patience)
    .toBe(true)
})

test('large messages take the room of many', async () => {
  const slow = hanging()
  const each = new Each(async () => slow.promise)
  const note = 'x'.repeat(7 * 1_024 * 1_024)
  for (let n = 0; n < 7; n += 1) await put(large, [{ key: 'a', n, note }])
  await startRelay(large, each)
  await expect.poll(() => each.begun.length, patience).toBe(4)
  await new Promise((resolve) => setTimeout(resolve, 500))
  // 32 MB, and not 20 messages.
  expect(each.begun.length).toBe(4)
  slow.end()
  await expect.poll(() => each.ended.length, patience).toBe(7)
})

test('claims that only released what a dead relay had leave no room behind', async () => {
  await empty(byRow)
  const slow = hanging()
  const each = new Each(async (n) => (n >= 1_000 ? slow.promise : delivered()))
  await put(byRow, spread(60))
  await db.pool.query(
    `update ${byRow.table} set claim_token = gen_random_uuid(), claimed_until = now() - interval '1 s'`,
  )
  await startRelay(byRow, each)
  await expect.poll(() => each.ended.length, patience).toBe(60)
  await put(byRow, spread(100, 1_000))
  await expect.poll(() => each.begun.length - 60, patience).toBe(20)
  await new Promise((resolve) => setTimeout(resolve, 500))
  // Two batches of ten.
  expect(each.begun.length - 60).toBe(20)
  slow.end()
  await expect.poll(() => each.ended.length, patience).toBe(160)
})

test('what ends beside a slow message is settled without it, failures too', async () => {
  await empty(byRow)
  const slow = hanging()
  const each = new Each(async (n, times) => {
    if (n === 0) return slow.promise
    if (n % 2 === 0 && times === 1) return retryLater(new Error('not yet'))
    await new Promise((resolve) => setTimeout(resolve, 5 * n))
    return delivered()
  })
  await put(byRow, spread(10))
  await startRelay(byRow, each)
  await expect.poll(() => each.ended.length, patience).toBe(9)
  await expect
    .poll(async () => (await states(byRow)).filter((state) => state === 'sent').length, patience)
    .toBe(9)
})

test.each(ordered)(
  '$name: a slow key keeps its order, and no second of it begins',
  async (outbox) => {
    await empty(outbox)
    const slow = hanging()
    const each = new Each(async (n, times) => {
      if (n === 1 && times === 1) return slow.promise
      return delivered()
    })
    const one = (n: number) => ({ key: 'one', n })
    await put(outbox, [one(0), one(1), one(2)])
    await startRelay(outbox, each)
    await expect.poll(() => each.begun, patience).toEqual([0, 1])
    await put(outbox, [one(3), one(4), ...spread(100, 100)])
    await expect.poll(() => each.ended.length, patience).toBe(101)
    await put(outbox, [one(5)])
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(each.begun.filter((n) => n < 100)).toEqual([0, 1])
    // It fails: those behind it wait for it.
    slow.end(retryLater(new Error('later')))
    await expect.poll(() => each.ended.filter((n) => n < 100), patience).toEqual([0, 1, 2, 3, 4, 5])
    expect(each.begun.filter((n) => n < 100)).toEqual([0, 1, 1, 2, 3, 4, 5])
    await expect
      .poll(async () => (await states(outbox)).every((state) => state === 'sent'), patience)
      .toBe(true)
    const { rows } = await db.pool.query('select 1 from posthorn.held_key')
    expect(rows).toEqual([])
  },
)

test.each(ordered)('$name: a key that waited may be slow, too', async (outbox) => {
  await empty(outbox)
  const slow = hanging()
  const each = new Each(async (n, times) => {
    if (n === 0 && times === 1) return retryLater(new Error('first'))
    return n === 0 ? slow.promise : delivered()
  })
  await put(outbox, [
    { key: 'one', n: 0 },
    { key: 'one', n: 1 },
  ])
  await startRelay(outbox, each)
  await expect.poll(() => each.begun, patience).toEqual([0, 0])
  await put(outbox, [{ key: 'one', n: 2 }, ...spread(40, 100)])
  await expect.poll(() => each.ended.length, patience).toBe(40)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  slow.end()
  await expect.poll(() => each.ended.filter((n) => n < 100), patience).toEqual([0, 1, 2])
  await expect
    .poll(async () => (await states(outbox)).every((state) => state === 'sent'), patience)
    .toBe(true)
})

test.each(ordered)('$name: a bucket changes hands when its slow key has ended', async (outbox) => {
  await empty(outbox)
  const slow = hanging()
  const each = new Each(async (n) => (n < 40 ? slow.promise : delivered()))
  await put(outbox, spread(20))
  await startRelay(outbox, each, 'first')
  await expect.poll(() => each.begun.length, patience).toBe(20)
  const other = new Each(async () => delivered())
  await startRelay(outbox, other, 'second')
  const owned = async (relay: string) => {
    const { rows } = await db.pool.query<{ count: number }>(
      `select count(*)::int as count
         from posthorn.bucket as b join posthorn.session as s on s.id = b.session
        where b.outbox = $1 and s.relay = $2`,
      [outbox.name, relay],
    )
    return rows[0]?.count
  }
  await expect.poll(() => owned('second'), patience).toBe(32)
  await put(outbox, spread(40, 100))
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  // The slow ones stay with the relay that has them in hand.
  expect(other.begun.filter((n) => n < 40)).toEqual([])
  slow.end()
  await expect
    .poll(async () => (await states(outbox)).every((state) => state === 'sent'), patience)
    .toBe(true)
  expect(each.begun.filter((n) => n < 40)).toHaveLength(20)
})

test.each(ordered)('$name: slow messages of a relay that is gone are suspects', async (outbox) => {
  await empty(outbox)
  const slow = hanging()
  const each = new Each(async (n) => (n < 2 ? slow.promise : delivered()))
  await put(outbox, [
    { key: 'a', n: 0 },
    { key: 'b', n: 1 },
    { key: 'b', n: 2 },
    ...spread(20, 100),
  ])
  const first = await startRelay(outbox, each, 'gone')
  await expect.poll(() => each.ended.length, patience).toBe(20)
  await put(outbox, spread(40, 200))
  await expect.poll(() => each.ended.length, patience).toBe(60)
  // As after a kill: what it has in hand is nobody's.
  await db.pool.query(
    `update posthorn.bucket set token = gen_random_uuid(), session = gen_random_uuid()
      where outbox = $1`,
    [outbox.name],
  )
  await first.stop()
  const suspects = new Set<number>()
  const other = new Each(async (n) => {
    const { rows } = await db.pool.query(
      `select 1 from ${inSql(outbox as unknown as Outbox).table} where n = $1 and lost_claims > 0`,
      [n],
    )
    if (rows.length > 0) suspects.add(n)
    return delivered()
  })
  await startRelay(outbox, other, 'heir')
  await expect
    .poll(() => new Set(other.ended.filter((n) => n < 3)), patience)
    .toEqual(new Set([0, 1, 2]))
  // What was not in hand yet is none.
  expect([...suspects]).toEqual(expect.arrayContaining([0, 1]))
})

test.each(ordered)(
  '$name: a slow failure counts once, though its answer is lost',
  async (outbox) => {
    await empty(outbox)
    const box = outbox as unknown as Outbox
    const handle = new LosingHandle(db.pool)
    const by = { session: await testSession(db.pool, box, 'by hand') }
    const source =
      box.log === undefined ? new KeySource(handle, box, by) : new LogSource(handle, box, by)
    await source.maintain()
    await put(outbox, [
      { key: 'a', n: 0 },
      { key: 'b', n: 1 },
    ])
    const claim = (await source.claim('batch')) as Claim
    const made = (n: number, outcome: Outcome) => {
      const row = claim.rows.find((each) => each['n'] === n) as OutboxRow
      return settlementOf(box, row, { outcome, backoffMs: 0 })
    }
    const open = claim.rows.filter((row) => row['n'] === 0)
    expect((await source.settle(claim, [made(1, delivered())], { open })).lost).toEqual([])
    // Its answer may be lost, too.
    expect((await source.settle(claim, [], { open })).lost).toEqual([])
    const failed = [made(0, retryLater(new Error('slow and failed')))]
    handle.loses = true
    await source.settle(claim, failed)
    expect(handle.loses).toBe(false)
    await source.settle(claim, failed, { isApart: true })
    const { rows } = await db.pool.query<{ n: number; attempts: number }>(
      `select n, attempts from ${inSql(box).table} where status = 'ready'`,
    )
    expect(rows).toEqual([{ n: 0, attempts: 1 }])
    await source.close()
  },
)

test('a destination that works again is tried with one message whose key waits', async () => {
  await empty(broken)
  const calls: number[] = []
  let isBroken = true
  const transport: Transport = {
    async deliver(batch) {
      calls.push(batch.length)
      return batch.map(() => (isBroken ? retryLater(new Error('down')) : delivered()))
    },
  }
  await put(
    broken,
    ['a', 'b', 'c', 'd'].map((key, n) => ({ key, n })),
  )
  await startRelay(broken, transport)
  await expect.poll(() => calls.length, patience).toBeGreaterThanOrEqual(3)
  isBroken = false
  await expect
    .poll(async () => (await states(broken)).every((state) => state === 'sent'), patience)
    .toBe(true)
  expect(calls.slice(0, 3)).toEqual([4, 1, 1])
})
