import { toMessage, transaction, uuid } from '@posthorn/engine'
import { advanceClock, outboxStats, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import {
  acceptReply,
  defineSaga,
  getSaga,
  refuse,
  resumeSaga,
  sagaMigrations,
  sagaReplies,
  sagaTurns,
  startSaga,
  type AnySaga,
} from '../index.ts'
import { LEDGER, drain, enter, entries } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const orchestratorOf = (...sagas: AnySaga[]) => createOrchestrator({ pool, sagas })

function begin(saga: AnySaga) {
  return transaction(pool, async (tx) => (await startSaga(tx, saga, { input: {} })).id)
}

function payment(name: string) {
  return defineSaga(name)
    .step('ask', {
      action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'asked'),
      compensate: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'withdrawn'),
    })
    .reply('settled', {
      event: ['payment.settled', 'payment.declined'],
      timeout: '15m',
      action: async (_context, tx, { sagaId, reply }) => {
        if (reply.type === 'payment.declined') return refuse('DECLINED', 'no')
        await enter(tx, sagaId, `settled ${JSON.stringify(reply.payload)}`)
        return { data: { receipt: reply.payload } }
      },
    })
    .step('ship', { action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'shipped') })
}

function messageTo(sagaId: string, { type = 'payment.settled', id = uuid() } = {}) {
  return toMessage({ id, type, payload: 7, headers: { 'saga-id': sagaId } })
}

function answer(sagaId: string, options: { type?: string; id?: string } = {}) {
  const message = messageTo(sagaId, options)
  return transaction(pool, (tx) => acceptReply(tx, { consumer: 'test', message }))
}

test('waits for a reply and goes on with it', async () => {
  const saga = payment('replied')
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'RUNNING',
    step: 'settled',
    waitsFor: ['payment.settled', 'payment.declined'],
    dueAt: expect.any(Date) as Date,
  })
  expect(await answer(id)).toBe('woke')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'settled 7', 'shipped'])
  // The timer of the wait that is over waits no longer.
  expect((await outboxStats(pool, sagaTurns)).scheduled).toBe(0)
  const ended = await getSaga(pool, id)
  expect(ended).toMatchObject({
    status: 'COMPLETED',
    replies: [{ type: 'payment.settled', status: 'USED' }],
  })
  // Its timeout is still there, and finds that it has nothing to say any more.
  await advanceClock(pool, '16m')
  await drain(orchestrator)
  expect(await getSaga(pool, id)).toEqual(ended)
})

test('a reply may say no', async () => {
  const saga = payment('declined')
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  await answer(id, { type: 'payment.declined' })
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'withdrawn'])
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: { code: 'DECLINED' },
    replies: [{ type: 'payment.declined', status: 'USED' }],
  })
})

test('a reply to a saga that failed is there when it is resumed', async () => {
  const saga = payment('reply-failed')
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  // As after a turn that killed its orchestrators.
  await pool.query(
    `update sagas.saga
        set status = 'FAILED', resumes_as = 'RUNNING', asleep = false, finished_at = now(), error_code = 'SAGA_FATAL'
      where id = $1`,
    [id],
  )
  expect(await answer(id)).toBe('kept')
  await transaction(pool, (tx) => resumeSaga(tx, id))
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'settled 7', 'shipped'])
  expect(await getSaga(pool, id)).toMatchObject({
    ...{ status: 'COMPLETED', error: undefined },
    replies: [{ type: 'payment.settled', status: 'USED' }],
  })
})

test('a reply is there again when its step is tried again', async () => {
  const seen: unknown[] = []
  const saga = defineSaga('reply-retried').reply('settled', {
    event: 'payment.settled',
    action: async (_context, _tx, { reply, attempt }) => {
      seen.push([attempt, reply.payload])
      if (attempt === 1) throw new Error('busy')
    },
  })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  await answer(id)
  await drain(orchestrator)
  await advanceClock(pool, '2s')
  await drain(orchestrator)
  expect(seen).toEqual([
    [1, 7],
    [2, 7],
  ])
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('a reply that comes before the saga waits for it is kept', async () => {
  const saga = payment('early')
  const id = await begin(saga)
  expect(await answer(id)).toBe('kept')
  await drain(orchestratorOf(saga))
  expect(await entries(pool, id)).toEqual(['asked', 'settled 7', 'shipped'])
})

test('a reply that comes while the saga decides to wait is not slept past', async () => {
  const saga = defineSaga('races')
    .step('ask', { action: async (_context, _tx, { sagaId }) => void (await answer(sagaId)) })
    .reply('settled', { event: 'payment.settled' })
  const id = await begin(saga)
  await drain(orchestratorOf(saga))
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('without a reply in time the saga compensates, by the business clock', async () => {
  const saga = payment('timeout')
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  await advanceClock(pool, '14m')
  await drain(orchestrator)
  expect((await getSaga(pool, id))?.status).toBe('RUNNING')
  await advanceClock(pool, '2m')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['asked', 'withdrawn'])
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: { code: 'SAGA_REPLY_TIMEOUT' },
  })
  expect(await answer(id)).toBe('ignored')
  expect((await getSaga(pool, id))?.replies).toMatchObject([{ status: 'IGNORED' }])
})

test('a reply and the timeout at once: one of them decides', async () => {
  const saga = payment('photo-finish')
  const ids = await Promise.all(Array.from({ length: 20 }, () => begin(saga)))
  const orchestrator = orchestratorOf(saga)
  await drain(orchestrator)
  await advanceClock(pool, '16m')
  await Promise.all([
    drain(orchestrator),
    drain(orchestratorOf(saga)),
    ...ids.map((id) => answer(id)),
  ])
  await drain(orchestrator)
  for (const id of ids) {
    const found = await getSaga(pool, id)
    expect(found?.status).toMatch(/^COMP/)
    const expected =
      found?.status === 'COMPLETED' ? ['asked', 'settled 7', 'shipped'] : ['asked', 'withdrawn']
    expect(await entries(pool, id)).toEqual(expected)
  }
})

test('fifty duplicates of one reply at once run its step once', async () => {
  const saga = payment('duplicates')
  const orchestrator = orchestratorOf(saga)
  await orchestrator.start()
  const id = await begin(saga)
  await expect.poll(async () => (await getSaga(pool, id))?.waitsFor.length).toBe(2)
  const event = { id: uuid() }
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => answer(id, event)))
  await expect.poll(async () => (await getSaga(pool, id))?.status).toBe('COMPLETED')
  await orchestrator.stop()
  expect(outcomes.filter((outcome) => outcome === 'woke')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(49)
  expect(await entries(pool, id)).toEqual(['asked', 'settled 7', 'shipped'])
})

test('one event through two consumers is one reply', async () => {
  const saga = defineSaga('two-consumers')
    .reply('one', { event: 'payment.settled' })
    .reply('two', { event: 'payment.settled' })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  const message = messageTo(id)
  for (const consumer of ['a', 'b']) {
    await transaction(pool, (tx) => acceptReply(tx, { consumer, message }))
    await drain(orchestrator)
  }
  expect(await getSaga(pool, id)).toMatchObject({ status: 'RUNNING', step: 'two' })
  await answer(id)
  await drain(orchestrator)
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('a consumer finds the saga in the header, or by its own locator', async () => {
  const saga = payment('consumed')
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  const context = { ref: {}, signal: new AbortController().signal }
  const byHeader = sagaReplies({ pool, topic: 'payments' })
  await byHeader.handle(
    toMessage({ id: uuid(), type: 'payment.settled', payload: { sagaId: id } }),
    context,
  )
  expect((await getSaga(pool, id))?.replies).toEqual([])
  const byPayload = sagaReplies({
    pool,
    topic: 'payments',
    sagaOf: ({ payload }) => (payload as { sagaId: string }).sagaId,
  })
  await byPayload.handle(
    toMessage({ id: uuid(), type: 'payment.settled', payload: { sagaId: id } }),
    context,
  )
  await drain(orchestrator)
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('a timer lets business time pass', async () => {
  const saga = defineSaga('timed')
    .timer('cool off', '6h')
    .step('go', { action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'went') })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga)
  await drain(orchestrator)
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'RUNNING',
    step: 'cool off',
    waitsFor: [],
  })
  await advanceClock(pool, '5h')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual([])
  await advanceClock(pool, '61m')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['went'])
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('an orchestrator that runs goes on with a reply', async () => {
  const saga = payment('woken')
  const orchestrator = orchestratorOf(saga)
  await orchestrator.start()
  const id = await begin(saga)
  await expect.poll(async () => (await getSaga(pool, id))?.waitsFor.length).toBe(2)
  await answer(id)
  await expect.poll(async () => (await getSaga(pool, id))?.status).toBe('COMPLETED')
  await orchestrator.stop()
})
