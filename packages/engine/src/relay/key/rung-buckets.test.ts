import { afterEach, describe, expect, test, vi } from 'vitest'
import { enqueue } from '../../enqueue/enqueue.ts'
import { transaction } from '../../database/transaction.ts'
import { defineOutbox } from '../../outbox/define.ts'
import type { OutboxDefinition } from '../../outbox/definition.ts'
import { delivered } from '../../outbox/outcome.ts'
import { exponential } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import { fakeTransport, testDatabase, type FakeTransport } from '../../testing/index.ts'
import { createRelay, type Relay } from '../relay.ts'

/* A message of the relay's own process is looked for in its bucket; everything else is found as well. */

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const definition = (name: `rung.${string}`) =>
  ({
    name,
    table: name,
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    // Poll and heartbeat are far away: what arrives sooner was looked for because of a ring.
    claim: { batch: 50, every: '60s', lease: '60s', atOnce: 100 },
    order: { key: 'key', dead: 'block' },
    retry: exponential('1s', { attempts: 3 }),
    destination: { transport: 'fake', topic: 't' },
    message: (row: Event) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
  }) satisfies OutboxDefinition<Event>

const byKey = defineOutbox<Event>(definition('rung.keys'))
const inLog = defineOutbox<Event>({ ...definition('rung.log'), storage: 'log' })

const db = await testDatabase({
  sql: `create schema rung; ${[byKey, inLog]
    .map(
      (box) => `create table ${box.table} (id uuid primary key, key text not null, n int not null,
        status text not null default 'ready', attempts int not null default 0,
        due_at timestamptz not null default posthorn.now());
      ${outboxTableSql(box)}`,
    )
    .join('\n')}`,
})

const started: Relay[] = []
afterEach(async () => void (await Promise.all(started.splice(0).map((relay) => relay.stop()))))

const asleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const keysOf = ({ arrived }: FakeTransport) => arrived.map(({ key }) => key)

describe.each([byKey, inLog])('$name', (outbox) => {
  const put = (key: string, n = 0) => transaction(db.pool, (tx) => enqueue(tx, outbox, { key, n }))

  async function start(fake: FakeTransport): Promise<void> {
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports: { fake } })
    started.push(relay)
    await relay.start()
    await put('first')
    await expect.poll(() => keysOf(fake), { timeout: 20_000 }).toContain('first')
  }

  test('a message of this process is looked for in one bucket', async () => {
    const fake = fakeTransport()
    await start(fake)
    const query = vi.spyOn(db.pool, 'query')
    for (let n = 1; n <= 20; n += 1) {
      await put(`alone-${n}`, n)
      await expect.poll(() => fake.arrived.at(-1)?.payload, { interval: 1 }).toBe(n)
    }
    const looks = query.mock.calls.flatMap(([statement]) => {
      const { text = '', values = [] } = statement as { text?: string; values?: unknown[] }
      return text.includes('lease as materialized') || text.includes('claim_run')
        ? [values.find((value) => Array.isArray(value)) as unknown[]]
        : []
    })
    query.mockRestore()
    const sizes = looks.map(({ length }) => length)
    expect(sizes.filter((size) => size === 1).length).toBeGreaterThan(5)
  })

  test('what comes without a ring is found beside rings for one bucket', async () => {
    const fake = fakeTransport()
    await start(fake)
    await db.pool.query(
      `insert into ${outbox.log ?? outbox.table} (id, key, n)
       select gen_random_uuid(), 'silent-' || n, n from generate_series(1, 20) as n`,
    )
    const isSilent = (key: string | undefined) => key?.startsWith('silent-') === true
    for (let n = 0; n < 600 && keysOf(fake).filter(isSilent).length < 20; n += 1) {
      await put('loud', n)
      await asleep(3)
    }
    expect(keysOf(fake).filter(isSilent)).toHaveLength(20)
  })

  test('what is enqueued while its bucket is in hand goes behind it', async () => {
    const slow = fakeTransport(async () => {
      await asleep(150)
      return delivered()
    })
    await start(slow)
    for (let n = 1; n <= 3; n += 1) {
      await put('busy', n)
      await asleep(20)
      await put(`other-${n}`, n)
    }
    const busy = () =>
      slow.arrived.filter(({ key }) => key === 'busy').map(({ payload }) => payload)
    await expect.poll(busy, { timeout: 4_000 }).toEqual([1, 2, 3])
    // The test before may have left one.
    const others = () => keysOf(slow).filter((key) => key?.startsWith('other-'))
    await expect.poll(others, { timeout: 4_000 }).toEqual(['other-1', 'other-2', 'other-3'])
  })
})
