import {
  createRelay,
  delivered,
  enqueueAll,
  outboxTableSql,
  retryLater,
  transaction,
  uuid,
  type Transport,
} from '@posthorn/engine'
import { inboxTableSql } from '@posthorn/engine/inbox'
import { advanceClock, maintain, useMovableClock } from '@posthorn/operate'
import { outboxConformance, testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { consumerInbox, getSaga, sagaEvents, sagaMigrations, sagaTurns } from '../index.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()] })
const events = sagaEvents({ transport: 'topics' })
beforeAll(() => useMovableClock(db.pool))

outboxConformance(events, {
  pool: () => db.pool,
  transports: ['topics'],
  sample: (n) => ({
    saga_id: uuid(),
    step: 'pay',
    topic: 'orders',
    event_type: 'order.paid',
    key: 'one saga',
    payload: { n },
  }),
})

test('a withdrawal waits behind the command that the broker refused', async () => {
  const sagaId = uuid()
  const taken: string[] = []
  let isRefused = false
  const broker: Transport = {
    async deliver(batch, { ordered }) {
      const failed = new Set<string | undefined>()
      return batch.map(({ message: { type, key } }) => {
        if (ordered && failed.has(key)) return retryLater(new Error('behind another'))
        if (type === 'asked' && !isRefused) {
          isRefused = true
          failed.add(key)
          return retryLater(new Error('nack'))
        }
        taken.push(type)
        return delivered()
      })
    },
  }
  const relay = createRelay({ pool: db.pool, outboxes: [events], transports: { topics: broker } })
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      events,
      ['asked', 'withdrawn'].map((type) => ({
        ...{ saga_id: sagaId, step: 'ask', topic: 'bank', key: sagaId, payload: {} },
        event_type: type,
      })),
    ),
  )
  await relay.runOnce()
  expect(taken).toEqual([])
  await advanceClock(db.pool, '2s')
  await relay.runOnce()
  expect(taken).toEqual(['asked', 'withdrawn'])
  await relay.stop()
})

/** Names and definitions, so that the same thing made in two ways can be compared. */
async function shapeOf(table: string) {
  const { rows: columns } = await db.pool.query<{ definition: string }>(
    `select attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull as definition
       from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attname`,
    [table],
  )
  const { rows: indexes } = await db.pool.query<{ definition: string }>(
    `select pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = $1::regclass order by 1`,
    [table],
  )
  return [...columns, ...indexes].map(({ definition }) => definition)
}

test.each([
  ['sagas.saga_outbox', outboxTableSql(events)],
  ['sagas.saga_turn', outboxTableSql(sagaTurns)],
])('the migration has all that the definition of %s needs', async (table, ddl) => {
  const before = await shapeOf(table)
  await db.pool.query(ddl)
  expect(await shapeOf(table)).toEqual(before)
})

test('the inbox is the one that its definition makes', async () => {
  const before = await shapeOf('sagas.consumer_inbox')
  await db.pool.query('drop table sagas.consumer_inbox')
  await db.pool.query(inboxTableSql(consumerInbox))
  expect(await shapeOf('sagas.consumer_inbox')).toEqual(before)
})

test('an event carries its saga in a header', () => {
  const message = events.message({
    id: uuid(),
    saga_id: 'some-saga',
    step: 'pay',
    topic: 'orders',
    event_type: 'order.paid',
    key: 'k',
    tenant: null,
    payload: {},
    traceparent: null,
    status: 'PENDING',
    retry_count: 0,
    next_retry_at: new Date(),
    last_error: null,
    error_code: null,
    sent_at: null,
    created_at: new Date(),
  })
  expect(message.headers).toEqual({ 'saga-id': 'some-saga', 'saga-step': 'pay' })
})

test('a saga has its events also when they are archived', async () => {
  const id = uuid()
  await db.pool.query(
    `insert into sagas.saga (id, name, version, step_names, input) values ($1, 'x', 1, '{a}', '{}')`,
    [id],
  )
  const add = (type: string) =>
    db.pool.query(
      `insert into sagas.saga_outbox (id, saga_id, step, topic, event_type, key, payload, status, sent_at)
       values ($1, $2, 'a', 't', $3, 'k', '{"n": 1}', 'SENT', now() - interval '8 days')`,
      [uuid(), id, type],
    )
  await add('first')
  expect(await maintain(db.pool, [events])).toMatchObject({
    outboxes: { 'sagas.events': { archived: 1 } },
  })
  await add('second')
  const saga = await getSaga(db.pool, id)
  expect(saga?.events).toMatchObject([
    { type: 'first', status: 'SENT', payload: { n: 1 }, sentAt: expect.any(Date) },
    { type: 'second', status: 'SENT' },
  ])
})
