import { sql } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { defineSaga, getSaga, refuse, sagaEvents, sagaMigrations, sagas } from '../index.ts'
import { LEDGER, enter, entries } from '../testing/ledger.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const events = sagaEvents({ transport: 'topics', topic: 'orders' })
const flow = sagas(db.pool, [], { events })

function order(pay: 'pays' | 'throws' | 'refuses' | 'hangs') {
  return defineSaga<{ item: string }>('order')
    .step('reserve', {
      action: async ({ item }, tx, { sagaId }) => {
        await enter(tx, sagaId, `reserved ${item}`)
        return { data: { at: new Date(0) }, events: [{ type: 'reserved', payload: { item } }] }
      },
      compensate: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'released'),
    })
    .step('pay', {
      within: '50ms',
      action: async ({ at }, tx, { sagaId, signal }) => {
        if (pay === 'throws') throw new Error('no money')
        if (pay === 'refuses') return refuse('DECLINED', 'the bank said no')
        if (pay === 'hangs') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          await enter(tx, sagaId, 'paid too late')
        }
        await enter(tx, sagaId, 'paid')
        return { data: { paidAt: at }, events: [{ type: 'paid', payload: {}, topic: 'money' }] }
      },
    })
    .step('ship', { action: async () => undefined })
}

async function readStored(id: string) {
  const { rows } = await db.pool.query<{ outbox: number; sagas: number }>(
    `select (select count(*)::integer from sagas.saga_outbox where saga_id = $1) as outbox,
            (select count(*)::integer from sagas.saga where id = $1) as sagas`,
    [id],
  )
  return { ...rows[0], ledger: await entries(db.pool, id) }
}

test('runs every step and stores every event in one transaction', async () => {
  const result = await flow.executeLocally(order('pays'), { item: 'lamp' }, { tenant: 'acme' })
  expect(result).toMatchObject({
    status: 'COMPLETED',
    // As it is stored, and as a durable saga would see it after a crash.
    context: { item: 'lamp', at: '1970-01-01T00:00:00.000Z', paidAt: '1970-01-01T00:00:00.000Z' },
    steps: [
      { name: 'reserve', status: 'COMPLETED', attempts: 1 },
      { name: 'pay' },
      { name: 'ship' },
    ],
  })
  expect(await readStored(result.id)).toMatchObject({ ledger: ['reserved lamp', 'paid'] })
  const saga = await getSaga(db.pool, result.id)
  expect(saga).toMatchObject({ status: 'COMPLETED', tenant: 'acme', version: 1 })
  expect(saga?.events.map(({ type, topic, step }) => `${step} ${type} ${topic}`)).toEqual([
    'reserve reserved orders',
    'pay paid money',
  ])
})

test('an id that is taken is refused before a step runs, also by one of two at once', async () => {
  const saga = order('pays')
  const id = crypto.randomUUID()
  const both = await Promise.allSettled([
    flow.executeLocally(saga, { item: 'lamp' }, { id }),
    flow.executeLocally(saga, { item: 'lamp' }, { id }),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(flow.executeLocally(saga, { item: 'chair' }, { id })).rejects.toMatchObject({
    code: 'SAGA_EXISTS',
  })
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'SAGA_EXISTS' },
  })
  expect(await entries(db.pool, id)).toEqual(['reserved lamp', 'paid'])
})

test.each([
  ['throws', 'FAILED', 'SAGA_STEP_FAILED'],
  ['refuses', 'REFUSED', 'DECLINED'],
  ['hangs', 'FAILED', 'SAGA_STEP_TIMEOUT'],
] as const)('stores nothing if a step %s', async (pay, status, code) => {
  const result = await flow.executeLocally(order(pay), { item: 'lamp' })
  expect(result).toMatchObject({
    status: 'FAILED',
    error: { code },
    steps: [{ status: 'SKIPPED' }, { name: 'pay', status, error: { code } }, { status: 'SKIPPED' }],
  })
  expect(await readStored(result.id)).toEqual({ outbox: 0, sagas: 0, ledger: [] })
})

test('stores nothing if its events cannot be stored', async () => {
  const silent = sagas(db.pool, [])
  await expect(
    silent.executeLocally(
      order('pays'),
      { item: 'lamp' },
      { id: '01900000-0000-7000-8000-000000000001' },
    ),
  ).rejects.toMatchObject({
    code: 'SAGA_EVENTS_MISSING',
  })
  expect(await readStored('01900000-0000-7000-8000-000000000001')).toEqual({
    outbox: 0,
    sagas: 0,
    ledger: [],
  })
})

test('a wrong definition does not start', () => {
  const saga = defineSaga('twice').step('a', { action: async () => undefined })
  expect(() => saga.step('a', { action: async () => undefined })).toThrow('"a" stands twice')
  expect(() => saga.reply('b', { event: [] })).toThrow('waits for no event')
  expect(() => defineSaga('old', { version: 0 })).toThrow('version')
})

test('a step that forgets an await has failed, and nothing is stored', async () => {
  const saga = order('pays').step('note', {
    action: async (_context, tx, { sagaId }) => void enter(tx, sagaId, 'not awaited'),
  })
  const result = await flow.executeLocally(saga, { item: 'lamp' })
  expect(result).toMatchObject({ status: 'FAILED', error: { code: 'CALL_NOT_AWAITED' } })
  expect(await readStored(result.id)).toEqual({ outbox: 0, sagas: 0, ledger: [] })
})

test('a step that goes on after a refused statement has failed, and nothing is stored', async () => {
  const saga = order('pays').step('note', {
    action: async (_context, tx, { sagaId }) => {
      await tx.query(sql`insert into ledger (saga_id) values (${sagaId})`).catch(() => undefined)
    },
  })
  const result = await flow.executeLocally(saga, { item: 'lamp' })
  expect(result).toMatchObject({
    status: 'FAILED',
    error: { code: 'SAGA_TRANSACTION_ABORTED' },
    steps: [{}, {}, {}, { name: 'note', status: 'FAILED' }],
  })
  expect(await readStored(result.id)).toEqual({ outbox: 0, sagas: 0, ledger: [] })
})
