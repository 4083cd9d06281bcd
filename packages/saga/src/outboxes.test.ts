import { outboxTableSql, uuid } from '@posthorn/engine'
import { inboxTableSql } from '@posthorn/engine/inbox'
import { outboxConformance, testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { consumerInbox, sagaEvents, sagaMigrations, sagaTurns } from './index.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()] })
const events = sagaEvents({ transport: 'topics' })

outboxConformance(events, {
  pool: () => db.pool,
  transports: ['topics'],
  sample: (n) => ({
    saga_id: uuid(),
    step: 'pay',
    topic: 'orders',
    event_type: 'order.paid',
    key: String(n),
    payload: { n },
  }),
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
