import { afterEach, expect, test } from 'vitest'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { transaction } from '../../database/transaction.ts'
import { defineOutbox } from '../../outbox/define.ts'
import { delivered } from '../../outbox/outcome.ts'
import { fixed } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import type { Transport } from '../../outbox/transport.ts'
import { testDatabase } from '../../testing/index.ts'
import { createRelay, type Relay } from '../relay.ts'

interface Row {
  id: string
  key: string
  status: string
  attempts: number
  due_at: Date
}

const common = {
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: fixed('1s', { attempts: 3 }),
  message: ({ id, key }: Row) => ({ id, type: 'thing', key, payload: {} }),
} as const

const loose = defineOutbox<Row>({
  ...common,
  name: 'suspects.loose',
  table: 'suspects.loose',
  destination: { transport: 'watched', topic: 'loose' },
})

const ordered = defineOutbox<Row>({
  ...common,
  name: 'suspects.ordered',
  table: 'suspects.ordered',
  claim: { batch: 10 },
  order: { key: 'key', dead: 'skip' },
  destination: { transport: 'watched', topic: 'ordered' },
})

const table = (name: string) => `create table ${name} (id uuid primary key, key text not null,
  status text not null default 'ready', attempts int not null default 0,
  due_at timestamptz not null default posthorn.now());`

const db = await testDatabase({
  sql: `create schema suspects; ${table('suspects.loose')} ${table('suspects.ordered')}
    ${outboxTableSql(loose)} ${outboxTableSql(ordered)}`,
})

const started: Relay[] = []
afterEach(async () => void (await Promise.all(started.splice(0).map((relay) => relay.stop()))))

const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `key-${n % 7}` }))
const asleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Notes what is under way beside each lone attempt of the loose outbox. */
function watchedTransport() {
  const underWay = { loose: 0, ordered: 0 }
  const beside: number[] = []
  const done = { loose: 0, ordered: 0 }
  const transport: Transport = {
    async deliver(batch) {
      const topic = batch[0]?.destination.topic as keyof typeof underWay
      underWay[topic] += 1
      if (topic === 'loose') beside.push(underWay.ordered)
      await asleep(15)
      if (topic === 'loose') beside.push(underWay.ordered)
      underWay[topic] -= 1
      done[topic] += batch.length
      return batch.map(() => delivered())
    },
    async close() {},
  }
  return { transport, beside, done }
}

test('nothing is under way in the relay while a suspect is tried, and the rest goes on', async () => {
  await transaction(db.pool, async (tx) => {
    await enqueueAll(tx, loose, rows(12))
    await enqueueAll(tx, ordered, rows(600))
  })
  // Lost in a group before: each is tried alone.
  await db.pool.query('update suspects.loose set lost_claims = 2')
  const { transport, beside, done } = watchedTransport()
  const relay = createRelay({
    pool: db.pool,
    outboxes: [loose, ordered],
    transports: { watched: transport },
  })
  started.push(relay)
  await relay.start()
  await expect.poll(() => done, { timeout: 20_000 }).toEqual({ loose: 12, ordered: 600 })
  expect(beside).toHaveLength(24)
  expect(beside.filter((count) => count > 0)).toEqual([])
})

/** Notes the keys of each batch. */
function listingTransport() {
  const batches: string[][] = []
  const transport: Transport = {
    async deliver(batch) {
      batches.push(batch.map(({ message }) => message.key ?? ''))
      return batch.map(() => delivered())
    },
    async close() {},
  }
  return { transport, batches }
}

async function drainSuspects(outbox: typeof loose, transport: Transport): Promise<void> {
  const relay = createRelay({
    ...{ pool: db.pool, outboxes: [outbox], transports: { watched: transport } },
  })
  started.push(relay)
  for (let ticks = 0; ticks < 60; ticks += 1) if ((await relay.runOnce()) === 0) return
}

test.each([loose, ordered])(
  'what was lost with its batch is tried in small groups: $name',
  async (outbox) => {
    await putLost(outbox, { count: 100, keys: 30 })
    const { transport, batches } = listingTransport()
    await drainSuspects(outbox, transport)
    expect(batches.flat()).toHaveLength(100)
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(20)
    expect(batches.length).toBeLessThan(25)
  },
)

test.each([loose, ordered])(
  'what was lost in a group is tried alone, behind the groups: $name',
  async (outbox) => {
    await putLost(outbox, { count: 15, keys: 15 })
    await lose(outbox, `key in ('key-0', 'key-7', 'key-9')`, 2)
    const { transport, batches } = listingTransport()
    await drainSuspects(outbox, transport)
    const sizes = batches.map(({ length }) => length)
    expect(sizes.slice(-4, -3)).not.toEqual([1])
    expect(sizes.slice(-3)).toEqual([1, 1, 1])
    expect(batches.slice(-3).flat().toSorted()).toEqual(['key-0', 'key-7', 'key-9'])
    expect(batches.flat()).toHaveLength(15)
  },
)

/** Messages that were lost with their batch, and no others. */
async function putLost(
  outbox: typeof loose,
  { count, keys }: { count: number; keys: number },
): Promise<void> {
  await db.pool.query(`truncate ${outbox.table}; delete from posthorn.held_key`)
  const lost = Array.from({ length: count }, (_, n) => ({ key: `key-${n % keys}` }))
  await transaction(db.pool, (tx) => enqueueAll(tx, outbox, lost))
  await lose(outbox, 'true', 1)
}

/** As if the claims of these messages had been lost so often. */
async function lose(outbox: typeof loose, which: string, lost: number): Promise<void> {
  const held = outbox.order ? 'held = true,' : ''
  await db.pool.query(`update ${outbox.table} set ${held} lost_claims = ${lost} where ${which}`)
  if (!outbox.order) return
  await db.pool.query(
    `insert into posthorn.held_key (outbox, key, bucket, due_at, held_by, suspect)
     select distinct on (key) $1, key, bucket, posthorn.now(), 'CLAIM_EXPIRED', true
       from ${outbox.table} where ${which} order by key
         on conflict (outbox, key) do nothing`,
    [outbox.name],
  )
}
