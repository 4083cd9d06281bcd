import { expect, test } from 'vitest'
import { confirm } from '../settle/confirm.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { delivered } from '../../outbox/outcome.ts'
import { createRelay } from '../relay.ts'
import { fixed } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import { outboxConformance, testDatabase, everywhere, fakeTransport } from '../../testing/index.ts'
import { viewTable } from '../../testing/table.ts'
import { transaction } from '../../database/transaction.ts'
import { rowStatements } from './claim.sql.ts'

interface Parcel {
  id: string
  shop: string
  status: string
  attempts: number
  due_at: Date
}

const definition = {
  name: 'fair.parcels',
  table: 'fair.parcels',
  states: {
    ready: 'ready',
    sent: 'sent',
    confirmed: 'done',
    retry: 'again',
    dead: 'dead',
  },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-retry-claim' },
  claim: { batch: 10, atOnce: 10 },
  confirm: {},
  retry: fixed('1h', { attempts: 3 }),
  destination: { transport: 'topics', topic: 'parcels' },
  message: ({ id, shop }: Parcel) => ({ id, type: 'parcel', tenant: shop, payload: null }),
} as const

const parcels = defineOutbox<Parcel>({ ...definition, fair: { by: 'shop', atOnce: 20 } })
/** With no limit at once: what holds for all outboxes holds for a fair one. */
const wide = defineOutbox<Parcel>({ ...definition, fair: { by: 'shop' } })

/** With a claimed state, and some who go first. */
const urgent = defineOutbox<Parcel>({
  ...definition,
  states: { ...definition.states, claimed: 'busy' },
  counter: { column: 'attempts', bumps: 'on-claim' },
  fair: { by: 'shop', first: 'urgent/' },
})

const db = await testDatabase({
  sql: `
    create schema fair;
    create table fair.parcels (
      id uuid primary key,
      shop text not null,
      status text not null default 'ready',
      attempts integer not null default 0,
      due_at timestamptz not null default posthorn.now()
    );
    ${outboxTableSql(parcels)}`,
})

async function put(shop: string, count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => ({ shop }))
  await transaction(db.pool, (tx) => enqueueAll(tx, parcels, messages))
}

function relayTo(transport = fakeTransport(), outbox = parcels) {
  const transports = everywhere(transport, ['topics'])
  const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
  const shops = () => transport.arrived.map(({ tenant }) => tenant)
  return { relay, shops }
}

async function countOf(shop: string, status: string): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    'select count(*)::int as count from fair.parcels where shop = $1 and status = $2',
    [shop, status],
  )
  return rows[0]?.count ?? 0
}

async function confirmAll(shop: string): Promise<void> {
  const { rows } = await db.pool.query<{ id: string }>(
    `select id from fair.parcels where shop = $1 and status = 'sent'`,
    [shop],
  )
  const done = rows.map(({ id }) => ({ id, outcome: delivered() }))
  await transaction(db.pool, (tx) => confirm(tx, parcels, done))
}

const empty = () => viewTable(db.pool, parcels as unknown as Outbox).empty()

test('one with many does not hold up one with few', async () => {
  await empty()
  await put('giant', 500)
  await put('corner', 3)
  const { relay, shops } = relayTo()
  await relay.runOnce()
  // One claim takes three of the small one and a half batch of the large one.
  const first = shops().slice(0, 8)
  expect(first.filter((shop) => shop === 'corner')).toHaveLength(3)
  expect(first.filter((shop) => shop === 'giant')).toHaveLength(5)
})

test('no more of one is under way than may be, and a confirmation makes room', async () => {
  await empty()
  await put('giant', 100)
  await put('corner', 1)
  const { relay } = relayTo()
  for (let i = 0; i < 20; i += 1) await relay.runOnce()
  // There must be room for a whole batch before the next one is claimed.
  const underWay = await countOf('giant', 'sent')
  expect(underWay).toBeGreaterThan(10)
  expect(underWay).toBeLessThanOrEqual(20)
  expect(await countOf('corner', 'sent')).toBe(1)
  await put('late', 2)
  await relay.runOnce()
  expect(await countOf('late', 'sent')).toBe(2)
  await confirmAll('giant')
  for (let i = 0; i < 20; i += 1) await relay.runOnce()
  expect(await countOf('giant', 'done')).toBe(underWay)
  expect(await countOf('giant', 'sent')).toBeGreaterThan(10)
  expect(await countOf('giant', 'sent')).toBeLessThanOrEqual(20)
})

test('without a bound the shares are still fair, and no key is held back', async () => {
  await empty()
  await put('giant', 50)
  await put('corner', 3)
  const { relay, shops } = relayTo(fakeTransport(), wide)
  await relay.runOnce()
  expect(shops().filter((shop) => shop === 'corner')).toHaveLength(3)
  for (let i = 0; i < 6; i += 1) await relay.runOnce()
  expect(await countOf('giant', 'sent')).toBe(50)
})

test('many who each have one share the batches', async () => {
  await empty()
  for (let i = 0; i < 25; i += 1) await put(`shop-${i}`, 1)
  const { relay, shops } = relayTo()
  for (let i = 0; i < 4; i += 1) await relay.runOnce()
  expect(new Set(shops()).size).toBe(25)
})

test('with more keys than a batch can serve, a claim looks at no others, and the next goes on behind them', async () => {
  await empty()
  await db.pool.query(`
    insert into fair.parcels (id, shop)
    select gen_random_uuid(), 'shop-' || n % 300 from generate_series(1, 900) as n`)
  await db.pool.query('analyze fair.parcels')
  for (const outbox of [parcels, wide, urgent]) {
    const { text, params } = rowStatements(outbox).claimBatch
    const args: Record<string, unknown> = {
      batch: 10,
      leaseMs: 1_000,
      token: crypto.randomUUID(),
      full: [],
    }
    const { rows } = await db.pool.query<{ 'QUERY PLAN': object }>(
      `explain (analyze, timing off, format json) ${text}`,
      params.map((name) => (name === 'after' ? 'shop-200' : args[name])),
    )
    const looks = [...JSON.stringify(rows[0]).matchAll(/"Actual Loops":(\d+)/g)]
    expect(Math.max(...looks.map(([, loops]) => Number(loops)))).toBeLessThanOrEqual(12)
  }
  await db.pool.query(
    `update fair.parcels set status = 'ready', claimed_until = null, lost_claims = 0`,
  )
  const { relay, shops } = relayTo(fakeTransport(), wide)
  for (let i = 0; i < 30; i += 1) await relay.runOnce()
  expect(new Set(shops()).size).toBe(300)
})

test('keys whose messages another relay is claiming are passed over', async () => {
  await empty()
  for (let i = 0; i < 20; i += 1) await put(`shop-${i + 10}`, 1)
  const other = await db.pool.connect()
  try {
    await other.query(`begin; select from fair.parcels where shop < 'shop-20' for update`)
    const { relay, shops } = relayTo()
    await relay.runOnce()
    const others = Array.from({ length: 10 }, (_, i) => `shop-${i + 20}`)
    expect(new Set(shops())).toEqual(new Set(others))
  } finally {
    await other.query('rollback')
    other.release()
  }
})

test('one alone gets whole batches, and a running relay drains them all', async () => {
  await empty()
  await put('giant', 55)
  const transport = fakeTransport()
  const transports = everywhere(transport, ['topics'])
  const outboxes = [wide]
  const relay = createRelay({ pool: db.connect(), outboxes, transports, mode: 'poll' })
  await relay.start()
  await expect.poll(() => transport.arrived.length).toBe(55)
  await relay.stop()
})

test('finds its way by the index, however many wait', async () => {
  await empty()
  await db.pool.query(`
    insert into fair.parcels (id, shop)
    select gen_random_uuid(), 'shop-' || n % 5 from generate_series(1, 20000) as n`)
  await db.pool.query('analyze fair.parcels')
  const byRow = rowStatements(parcels)
  const { nextDue } = byRow
  const claims = [byRow, rowStatements(wide), rowStatements(urgent)]
  for (const { text, params } of [...claims.map(({ claimBatch }) => claimBatch), nextDue]) {
    const args: Record<string, unknown> = { batch: 10, leaseMs: 1_000, token: crypto.randomUUID() }
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
      `explain ${text}`,
      params.map((name) => args[name]),
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('parcels_due')
    expect(plan).not.toContain('Seq Scan on parcels')
  }
})

test('a definition that cannot be fair is refused', () => {
  const make = (more: object) => () =>
    defineOutbox<Parcel>({ ...definition, fair: { by: 'shop', atOnce: 5 }, ...more } as never)
  expect(make({ fair: { by: 'shop', atOnce: 0 } })).toThrow('fair.atOnce')
  const { confirmed: _, ...states } = definition.states
  expect(make({ confirm: undefined, states })).toThrow('fair.atOnce')
  expect(make({ fair: { by: 'no such', atOnce: 1 } })).toThrow('fair.by')
  expect(make({ fair: { by: 'shop', first: "'" } })).toThrow('fair.first')
})

test('with a claimed state shares are fair too, and what goes first has half of every claim', async () => {
  await empty()
  for (let i = 0; i < 20; i += 1) await put(`shop-${i}`, 5)
  await put('urgent/giant', 50)
  await put('urgent/corner', 1)
  const { relay, shops } = relayTo(fakeTransport(), urgent)
  await relay.runOnce()
  const first = shops().slice(0, 10)
  expect(first.filter((shop) => shop === 'urgent/corner')).toHaveLength(1)
  expect(first.filter((shop) => shop === 'urgent/giant')).toHaveLength(3)
  expect(first.filter((shop) => shop?.startsWith('shop-'))).toHaveLength(6)
  expect(await countOf('urgent/giant', 'sent')).toBe(50)
})

test('what goes first has whole claims while it is alone, and so have the others', async () => {
  await empty()
  await put('urgent/giant', 10)
  const { relay, shops } = relayTo(fakeTransport(), urgent)
  await relay.runOnce()
  expect(shops()).toHaveLength(10)
  await put('corner', 10)
  await relay.runOnce()
  expect(shops()).toHaveLength(20)
})

outboxConformance(wide, {
  pool: () => db.pool,
  transports: ['topics'],
  sample: (n) => ({ shop: `shop-${n % 3}` }),
})
