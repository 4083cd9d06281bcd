import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createRelay,
  defineOutbox,
  delivered,
  enqueueAll,
  fixed,
  outboxTableSql,
  transaction,
  unknown,
  type Outbox,
  type Outcome,
  type Relay,
} from '../../index.ts'
import { advanceClock, useMovableClock } from '../../database/clock.ts'
import { fakeTransport, testDatabase, viewTable } from '../../testing/index.ts'

interface Order {
  id: string
  n: number
  status: string
  attempts: number
  due_at: Date
  error: string | null
  error_code: string | null
}

const orders = defineOutbox<Order>({
  name: 'unknown.orders',
  table: 'unknown.orders',
  states: { ready: 'ready', claimed: 'sending', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', error: 'error', errorCode: 'error_code' },
  counter: { column: 'attempts', bumps: 'on-claim' },
  claim: { batch: 500, every: '200ms', lease: '60s' },
  retry: fixed('10m', { attempts: 3 }),
  unknown: { then: 'resend', wait: '500ms' },
  destination: { transport: 'fake', topic: 'orders' },
  message: ({ id, n }) => ({ id, type: 'order', payload: n }),
})

const { pool } = await testDatabase({
  sql: `create schema unknown;
    create table unknown.orders (id uuid primary key, n int not null,
      status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now(), error text, error_code text);
    ${outboxTableSql(orders)}`,
})
await useMovableClock(pool)
const view = viewTable(pool, orders as unknown as Outbox)

const started: Relay[] = []
async function startRelay(answer: (n: number) => Outcome) {
  const fake = fakeTransport((message) => answer(message.payload as number))
  const relay = createRelay({ pool, outboxes: [orders], transports: { fake } })
  started.push(relay)
  await relay.start()
  return fake
}
async function put(count: number) {
  const rows = Array.from({ length: count }, (_, n) => ({ n }))
  await transaction(pool, (tx) => enqueueAll(tx, orders, rows))
}
async function counts() {
  const { rows } = await pool.query<Record<'ready' | 'sending' | 'sent' | 'suspects', number>>(
    `select count(*) filter (where status = 'ready')::int as ready,
            count(*) filter (where status = 'sending')::int as sending,
            count(*) filter (where status = 'sent')::int as sent,
            count(*) filter (where lost_claims > 0)::int as suspects
       from unknown.orders`,
  )
  return rows[0]
}
const silent = { code: 'PROVIDER_SILENT', message: 'no answer' }
const patient = { timeout: 60_000, interval: 100 }

beforeEach(() => view.empty())
afterEach(async () => {
  await Promise.all(started.splice(0).map((relay) => relay.stop()))
})

test(
  'ten thousand unknown outcomes go out again in whole batches',
  { timeout: 180_000 },
  async () => {
    let isSilent = true
    const fake = await startRelay(() => (isSilent ? unknown(silent) : delivered()))
    await put(10_000)
    await expect.poll(() => fake.attempted.length, patient).toBe(10_000)
    isSilent = false
    // Their wait is over: all are due again by their schedule, and none is a suspect.
    await expect.poll(counts, patient).toEqual({ ready: 10_000, sending: 0, sent: 0, suspects: 0 })
    expect(fake.attempted).toHaveLength(10_000)
    const before = fake.batches.length
    await advanceClock(pool, '10m')
    await expect.poll(counts, patient).toMatchObject({ sent: 10_000, suspects: 0 })
    expect(fake.attempted).toHaveLength(20_000)
    // One by one it would be ten thousand.
    expect(fake.batches.length - before).toBeLessThan(200)
  },
)

test('each is due by the latest of its wait, its schedule and what the destination asked', async () => {
  const fake = await startRelay((n) => {
    if (fake.attempted.length > 2) return delivered()
    return n === 0 ? unknown(silent) : unknown(silent, { after: '30m' })
  })
  await put(2)
  await expect.poll(() => fake.attempted.length, patient).toBe(2)
  await expect.poll(counts, patient).toMatchObject({ ready: 2 })
  const rows = await pool.query<{ n: number; seconds: number; code: string }>(
    `select n, extract(epoch from due_at - posthorn.now())::int as seconds, error_code as code
       from unknown.orders order by n`,
  )
  expect(rows.rows[0]?.seconds).toBeGreaterThan(9 * 60)
  expect(rows.rows[0]?.seconds).toBeLessThanOrEqual(10 * 60)
  expect(rows.rows[1]?.seconds).toBeGreaterThan(29 * 60)
  await advanceClock(pool, '10m')
  await expect.poll(() => fake.arrived.map(({ payload }) => payload), patient).toEqual([0])
  await advanceClock(pool, '20m')
  await expect.poll(() => fake.arrived.map(({ payload }) => payload), patient).toEqual([0, 1])
})

test('what stays unknown to the last attempt is dead, and says so', async () => {
  const fake = await startRelay(() => unknown(silent))
  await put(1)
  for (const sent of [1, 2, 3]) {
    await expect.poll(() => fake.attempted.length, patient).toBe(sent)
    if (sent < 3) await expect.poll(counts, patient).toMatchObject({ ready: 1 })
    await advanceClock(pool, '10m')
  }
  await expect.poll(async () => (await view.alerts())[0]?.code, patient).toBe('DELIVERY_UNKNOWN')
  expect(fake.attempted).toHaveLength(3)
})
