import { trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { fromPg } from './adapters/pg.ts'
import { defineOutbox } from '../outbox/define.ts'
import { enqueue, enqueueAll } from './enqueue.ts'
import { exponential } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { testDatabase } from '../testing/index.ts'
import { transaction } from '../database/transaction.ts'
import { timeOfUuid } from '../outbox/message.ts'
import { uuid } from '../uuid.ts'

interface Thing {
  id: string
  owner: string
  request: string
  payload: unknown
  tags: string[]
  amount: string | null
  at: Date | null
  traceparent: string | null
  status: string
  attempts: number
  due_at: Date
}

const things = defineOutbox<Thing>({
  name: 'enqueue.things',
  table: 'enqueue.thing',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', dedupe: ['owner', 'request'], traceparent: 'traceparent' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('1s', { attempts: 3 }),
  destination: { transport: 'none', topic: 't' },
  message: (row) => ({ id: row.id, type: 't', payload: row.payload }),
})

const db = await testDatabase({
  sql: `create schema enqueue;
    create table enqueue.thing (id uuid primary key, owner text not null default 'me',
      request text not null default gen_random_uuid()::text, payload jsonb, tags text[], amount numeric(20, 4),
      at timestamptz, traceparent text, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now(),
      unique (owner, request));
    ${outboxTableSql(things)}`,
})

const read = async (id: string) =>
  (await db.pool.query<Thing>('select * from enqueue.thing where id = $1', [id])).rows[0] as Thing

test('stores every kind of value as its column wants it', async () => {
  const at = new Date('2026-01-02T03:04:05.678Z')
  const thing = {
    payload: { text: 'ä "quoted" \\ {1,2} \u{1F4EF}', list: [1, [2]], nothing: null },
    tags: ['a,b', 'c"d', '{}', ''],
    amount: '12345678901.2345',
    at,
  }
  const { id, created } = await transaction(db.pool, (tx) => enqueue(tx, things, thing))
  expect(created).toBe(true)
  expect(await read(id)).toMatchObject({ ...thing, status: 'ready' })
})

test('a payload that is an array or a string stays one', async () => {
  const payloads = [[1, 2], 'text', 5, true, { text: 'select 1', values: [] }]
  const all = await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      things,
      payloads.map((payload) => ({ payload })),
    ),
  )
  const stored = await Promise.all(all.map(({ id }) => read(id)))
  expect(stored.map(({ payload }) => payload)).toEqual(payloads)
})

test('ten thousand at once are one statement', async () => {
  let statements = 0
  const all = await transaction(db.pool, (tx) => {
    const counting = {
      ...tx,
      ringLater: tx.ringLater,
      query: (statement: never) => (statements++, tx.query(statement)),
    }
    return enqueueAll(
      counting as typeof tx,
      things,
      Array.from({ length: 10_000 }, (_, n) => ({ payload: { n } })),
    )
  })
  expect(new Set(all.map(({ id }) => id)).size).toBe(10_000)
  expect(statements).toBe(1)
})

test('nothing at all is nothing', async () => {
  expect(await transaction(db.pool, (tx) => enqueueAll(tx, things, []))).toEqual([])
})

test('the same thing twice is one message, also within one call and at the same time', async () => {
  const once = { owner: 'org', request: 'r1', payload: 1 }
  const first = await transaction(db.pool, (tx) => enqueue(tx, things, once))
  const again = await transaction(db.pool, (tx) => enqueue(tx, things, once))
  expect([first.created, again]).toEqual([true, { id: first.id, created: false }])

  const twins = await transaction(db.pool, (tx) =>
    enqueueAll(tx, things, [
      { owner: 'org', request: 'r2' },
      { owner: 'org', request: 'r2' },
      { owner: 'org', request: 'r3' },
    ]),
  )
  expect(twins.map(({ created }) => created)).toEqual([true, false, true])
  expect(twins[0]?.id).toBe(twins[1]?.id)

  const racing = await Promise.all(
    Array.from({ length: 20 }, () =>
      transaction(db.pool, (tx) => enqueue(tx, things, { owner: 'org', request: 'race' })),
    ),
  )
  expect(racing.filter(({ created }) => created)).toHaveLength(1)
  expect(new Set(racing.map(({ id }) => id)).size).toBe(1)
})

test('a column the table does not have is named, and nothing is stored', async () => {
  const wrong = { payload: 1, colour: 'red' } as Partial<Thing>
  await expect(transaction(db.pool, (tx) => enqueue(tx, things, wrong))).rejects.toMatchObject({
    code: 'DEFINITION_INVALID',
    field: 'colour',
  })
})

test('the trace of the caller goes along', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { id } = await transaction(db.pool, (tx) => enqueue(tx, things, {}, { traceparent }))
  expect((await read(id)).traceparent).toBe(traceparent)
  expect(trace.getActiveSpan()).toBeUndefined()
  const without = await transaction(db.pool, (tx) => enqueue(tx, things, {}))
  expect((await read(without.id)).traceparent).toBeNull()
})

test('goes with a borrowed transaction, both ways', async () => {
  const client = await db.pool.connect()
  const ids = [uuid(), uuid()] as const
  await client.query('begin')
  await enqueue(fromPg(client), things, { id: ids[0] })
  await client.query('rollback')
  await client.query('begin')
  await enqueue(fromPg(client), things, { id: ids[1] })
  await client.query('commit')
  expect(() => fromPg(client)).toThrow(expect.objectContaining({ code: 'NOT_IN_TRANSACTION' }))
  client.release()
  expect([await read(ids[0]), (await read(ids[1])).id]).toEqual([undefined, ids[1]])
})

test('a transaction that had failed before its commit says so', async () => {
  const swallowed = transaction(db.pool, async (tx) => {
    await enqueue(tx, things, {})
    await tx.query({ text: 'select 1/0', values: [] }).catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('nothing was stored')
})

test('ids are UUIDv7: they tell their time and grow', () => {
  const [first, second] = [uuid(), uuid()]
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Math.abs(Number(timeOfUuid(first)) - Date.now())).toBeLessThan(60_000)
  expect(second.slice(0, 13) >= first.slice(0, 13)).toBe(true)
  expect(new Set(Array.from({ length: 100_000 }, () => uuid())).size).toBe(100_000)
  expect(timeOfUuid('8f14e45f-ceea-467f-a83c-000000000000')).toBeUndefined()
})
