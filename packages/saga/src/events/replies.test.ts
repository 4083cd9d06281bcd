import { toMessage, transaction, uuid } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import {
  acceptReply,
  defineSaga,
  getSaga,
  sagaMigrations,
  startSaga,
  type AnySaga,
  type Signal,
} from '../index.ts'
import { LEDGER, drain, enter, entries } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'
import { sendSignal } from '../events/replies.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const saga = defineSaga('approval')
  .step('ask', {
    action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'asked'),
    compensate: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'withdrawn'),
  })
  .signal('approved', {
    timeout: '2d',
    parse: (payload) => {
      const { by } = payload as { by?: unknown }
      if (typeof by !== 'string') throw new Error('by: must be a text')
      return { by }
    },
    action: async (_context, tx, { sagaId, received }) => {
      await enter(tx, sagaId, `approved by ${received.payload.by}`)
      return { data: { by: received.payload.by } }
    },
  })

const orchestrator = createOrchestrator({ pool, sagas: [saga] })

function begin() {
  return transaction(pool, async (tx) => (await startSaga(tx, saga, { input: {} })).id)
}

function send(sagaId: string, signal: Partial<Signal> & { sagas?: readonly AnySaga[] } = {}) {
  const { sagas: known = [saga], ...rest } = signal
  const given = { name: 'approved', payload: { by: 'Ada' }, ...rest, sagaId }
  return transaction(pool, (tx) => sendSignal(tx, known, given))
}

test('wakes the saga that waits for it', async () => {
  const id = await begin()
  await drain(orchestrator)
  expect(await getSaga(pool, id)).toMatchObject({ waitsFor: ['signal:approved'], step: 'approved' })
  expect(await send(id)).toEqual({ outcome: 'woke' })
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'approved by Ada'])
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPLETED',
    replies: [{ kind: 'signal', type: 'approved', status: 'USED', payload: { by: 'Ada' } }],
  })
})

test('that comes early is kept, and the same key is the same signal', async () => {
  const id = await begin()
  const both = await Promise.all([send(id, { key: 'k' }), send(id, { key: 'k' })])
  expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['duplicate', 'kept'])
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'approved by Ada'])
  expect(await send(id, { key: 'k' })).toEqual({ outcome: 'duplicate' })
  expect(await send(id)).toEqual({ outcome: 'late', was: 'COMPLETED' })
  expect(await send(uuid())).toEqual({ outcome: 'late', was: undefined })
})

test('is refused if the saga does not know it, or cannot read it', async () => {
  const id = await begin()
  const refused = async (signal: Parameters<typeof send>[1]) => {
    const sent = await send(id, signal)
    return sent.outcome === 'refused' ? sent.failure : sent
  }
  expect(await refused({ name: 'other' })).toMatchObject({ code: 'SAGA_SIGNAL_UNKNOWN' })
  expect(await refused({ payload: {} })).toEqual({
    code: 'SAGA_SIGNAL_INVALID',
    message: 'by: must be a text',
  })
  expect(await refused({ sagas: [] })).toMatchObject({ code: 'SAGA_UNKNOWN' })
  for (let n = 0; n < 100; n += 1) await send(id)
  expect(await refused({})).toMatchObject({ code: 'SAGA_SIGNAL_LIMIT' })
})

test('is nothing that a broker can bring', async () => {
  const id = await begin()
  await drain(orchestrator)
  const headers = { 'saga-id': id }
  const message = toMessage({
    id: uuid(),
    type: 'signal:approved',
    payload: { by: 'Eve' },
    headers,
  })
  expect(await transaction(pool, (tx) => acceptReply(tx, { consumer: 'test', message }))).toBe(
    'ignored',
  )
  expect((await getSaga(pool, id))?.replies).toEqual([])
})

test('that does not come in time ends the way forward', async () => {
  const id = await begin()
  await drain(orchestrator)
  await advanceClock(pool, '49h')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'withdrawn'])
  expect(await getSaga(pool, id)).toMatchObject({ error: { code: 'SAGA_SIGNAL_TIMEOUT' } })
})
