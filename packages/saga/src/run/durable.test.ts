import { fixed, sql, transaction } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import {
  awaitSaga,
  defineSaga,
  sagas,
  getSaga,
  listSagas,
  refuse,
  sagaEvents,
  sagaMigrations,
  startSaga,
  type AnySaga,
  type Effect,
} from '../index.ts'
import { Checkpoints } from './checkpoints.ts'
import { afterAction } from './decide.ts'
import type { Step } from '../define/saga.ts'
import { takeTurns } from './turns.sql.ts'
import { LEDGER, drain, enter, entries, expireTurns } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
const events = sagaEvents({ transport: 'topics' })
beforeAll(() => useMovableClock(pool))

const orchestratorOf = (...all: AnySaga[]) => createOrchestrator({ pool, sagas: all, events })

function begin(saga: AnySaga, input: object) {
  return transaction(pool, async (tx) => (await startSaga(tx, saga, { input })).id)
}

/** What a test can do to the steps of a saga while it runs. */
type Behaviour = (step: string, attempt: number) => Promise<object | void>

/** Three steps that note what they do; the behaviour may throw, refuse or wait. */
function trip(name: string, behave: Behaviour = async () => undefined) {
  const step = (what: string) => ({
    retry: fixed('1m', { attempts: 2 }),
    undoRetry: fixed('1m', { attempts: 2 }),
    action: async (
      _context: object,
      tx: Parameters<typeof enter>[0],
      run: { sagaId: string; attempt: number },
    ) => {
      await enter(tx, run.sagaId, what)
      return (await behave(what, run.attempt)) as { data?: object } | undefined
    },
    compensate: async (
      _context: object,
      tx: Parameters<typeof enter>[0],
      run: { sagaId: string; attempt: number },
    ) => {
      await enter(tx, run.sagaId, `undo ${what}`)
      await behave(`undo ${what}`, run.attempt)
    },
  })
  return defineSaga<{ n: number }>(name)
    .step('flight', step('flight'))
    .step('hotel', step('hotel'))
    .step('car', step('car'))
}

test('runs every step in one turn, with a checkpoint after each', async () => {
  const saga = trip('happy', async (step) =>
    step === 'hotel' ? { data: { room: 7 }, events: [{ type: 'booked', payload: {} }] } : {},
  )
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga, { n: 1 })
  await orchestrator.runOnce()
  expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'car'])
  const found = await getSaga(pool, id)
  expect(found).toMatchObject({ status: 'COMPLETED', step: undefined, error: undefined })
  expect(
    found?.steps.map(({ name, status, attempts, output }) => ({ name, status, attempts, output })),
  ).toEqual([
    { name: 'flight', status: 'COMPLETED', attempts: 1, output: undefined },
    { name: 'hotel', status: 'COMPLETED', attempts: 1, output: { room: 7 } },
    { name: 'car', status: 'COMPLETED', attempts: 1, output: undefined },
  ])
  expect(found?.events).toMatchObject([{ step: 'hotel', type: 'booked', status: 'PENDING' }])
  expect((await awaitSaga(pool, id)).status).toBe('COMPLETED')
})

test('begins if and only if its transaction commits, and once for an id', async () => {
  const saga = trip('begins')
  const id = '01900000-0000-7000-8000-0000000000aa'
  await expect(
    transaction(pool, async (tx) => {
      await startSaga(tx, saga, { id, input: { n: 1 } })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await getSaga(pool, id)).toBeUndefined()
  const start = () => transaction(pool, (tx) => startSaga(tx, saga, { id, input: { n: 1 } }))
  expect(await start()).toEqual({ id, created: true })
  expect(await start()).toEqual({ id, created: false })
  await drain(orchestratorOf(saga))
  expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'car'])
})

test('tries a step again when its policy says so, and rolls back what it wrote', async () => {
  const saga = trip('retries', async (step, attempt) => {
    if (step === 'hotel' && attempt === 1) throw Object.assign(new Error('busy'), { code: 'BUSY' })
  })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga, { n: 1 })
  await drain(orchestrator)
  const waiting = await getSaga(pool, id)
  expect(waiting).toMatchObject({
    status: 'RUNNING',
    step: 'hotel',
    dueAt: expect.any(Date) as Date,
  })
  expect(waiting?.steps[1]).toMatchObject({
    status: 'RETRYING',
    attempts: 1,
    error: { code: 'BUSY' },
  })
  expect(await entries(pool, id)).toEqual(['flight'])
  await advanceClock(pool, '61s')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'car'])
  expect((await getSaga(pool, id))?.steps[1]).toMatchObject({ status: 'COMPLETED', attempts: 2 })
})

test('compensates in reverse when a step has failed for good, the failed one included', async () => {
  const saga = trip('gives-up', async (step) => {
    if (step === 'car') throw new Error('no cars')
  })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga, { n: 1 })
  await drain(orchestrator)
  await advanceClock(pool, '61s')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual([
    'flight',
    'hotel',
    'undo car',
    'undo hotel',
    'undo flight',
  ])
  expect(await awaitSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: { code: 'SAGA_STEP_FAILED', message: 'no cars' },
    steps: [
      { status: 'COMPENSATED' },
      { status: 'COMPENSATED' },
      { name: 'car', status: 'COMPENSATED', attempts: 2 },
    ],
  })
})

test('does not undo a step that refused, nor try it again', async () => {
  const saga = trip('refuses', async (step) => (step === 'car' ? refuse('NO_LICENCE', 'none') : {}))
  const id = await begin(saga, { n: 1 })
  await drain(orchestratorOf(saga))
  expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'undo hotel', 'undo flight'])
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: { code: 'NO_LICENCE' },
  })
})

test('undoes a step that refused after an attempt with an unknown outcome', async () => {
  const saga = trip('doubts', async (step, attempt) => {
    if (step !== 'car') return {}
    if (attempt === 1) throw new Error('timed out')
    return refuse('DECLINED', 'no')
  })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga, { n: 1 })
  await drain(orchestrator)
  await advanceClock(pool, '61s')
  await drain(orchestrator)
  expect(await entries(pool, id)).toEqual([
    'flight',
    'hotel',
    'undo car',
    'undo hotel',
    'undo flight',
  ])
})

test('a compensation sees what its step returned', async () => {
  const seen: unknown[] = []
  const saga = defineSaga<{ n: number }>('sees')
    .step('first', {
      action: async () => ({ data: { first: 1 } }),
      compensate: async (context) => void seen.push(context),
    })
    .step('second', { action: async () => refuse('NO', 'no'), compensate: async () => undefined })
  const id = await begin(saga, { n: 5 })
  await drain(orchestratorOf(saga))
  expect(seen).toEqual([{ n: 5, first: 1 }])
  expect((await getSaga(pool, id))?.status).toBe('COMPENSATED')
})

test('a step that takes too long has failed, and cannot write any more', async () => {
  const late: unknown[] = []
  const saga = defineSaga('slow').step('wait', {
    within: '30ms',
    retry: fixed('1s', { attempts: 1 }),
    action: async (_context, tx, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      // What it writes at once is rolled back with the step.
      await new Promise((resolve) => setTimeout(resolve, 50))
      await tx.query(sql`select 1`).catch((error: unknown) => late.push(error))
    },
  })
  const id = await begin(saga, {})
  await drain(orchestratorOf(saga))
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: { code: 'SAGA_STEP_TIMEOUT' },
  })
  await expect.poll(() => late).toMatchObject([{ code: 'NOT_IN_TRANSACTION' }])
})

test('a step that forgets an await has failed, and its late call changes nothing', async () => {
  const kept: Parameters<typeof enter>[0][] = []
  const saga = defineSaga('forgets').step('write', {
    retry: fixed('1s', { attempts: 1 }),
    action: async (_context, tx, { sagaId }) => {
      kept.push(tx)
      void enter(tx, sagaId, 'not awaited')
    },
  })
  const id = await begin(saga, {})
  await drain(orchestratorOf(saga))
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: { code: 'CALL_NOT_AWAITED' },
  })
  await expect(enter(kept[0]!, id, 'late')).rejects.toMatchObject({ code: 'NOT_IN_TRANSACTION' })
  expect(await entries(pool, id)).toEqual([])
})

/** What Postgres cannot store: half an emoji, a zero byte, and a text that our own cut ends in the middle of one. */
const UNSTORABLE = ['oops \u{1F4EF}'.slice(0, -1), 'zero \0 byte', `${'x'.repeat(1_999)}\u{1F4EF}`]

test.each(UNSTORABLE)(
  'a step fails by its policy with text that cannot be stored (%#)',
  async (text) => {
    const tried: number[] = []
    const saga = defineSaga('unstorable')
      .step('book', {
        action: async () => undefined,
        compensate: async () => Promise.reject(new Error(text)),
        undoRetry: fixed('1ms', { attempts: 1 }),
      })
      .step('pay', {
        retry: fixed('1ms', { attempts: 2 }),
        action: async (_context, _tx, { attempt }) => {
          tried.push(attempt)
          throw new Error(text)
        },
      })
    const id = await begin(saga, {})
    await drain(orchestratorOf(saga))
    await advanceClock(pool, '1m')
    await drain(orchestratorOf(saga))
    expect(tried).toEqual([1, 2])
    const found = await getSaga(pool, id)
    expect(found).toMatchObject({ status: 'FAILED', error: { code: 'SAGA_STUCK' } })
    expect(found?.steps[1]).toMatchObject({ attempts: 2 })
    const { rows } = await pool.query('select code from posthorn.alert where subject = $1', [id])
    expect(rows).toHaveLength(1)
  },
)

test.each(UNSTORABLE)('a refusal with text that cannot be stored is one (%#)', async (text) => {
  const saga = defineSaga('unstorable-refusal').step('pay', {
    action: async () => refuse(`NO ${text}`, text),
  })
  const id = await begin(saga, {})
  await drain(orchestratorOf(saga))
  expect(await getSaga(pool, id)).toMatchObject({ status: 'COMPENSATED' })
})

test('a step that goes on after a refused statement has failed with what it said', async () => {
  const saga = defineSaga('catches').step('write', {
    retry: fixed('1s', { attempts: 1 }),
    action: async (_context, tx, { sagaId }) => {
      await tx.query(sql`insert into ledger (saga_id) values (${sagaId})`).catch(() => undefined)
      return { data: { written: false } }
    },
  })
  const id = await begin(saga, {})
  await drain(orchestratorOf(saga))
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    error: {
      code: 'SAGA_TRANSACTION_ABORTED',
      message: expect.stringContaining('null value in column "entry"') as string,
    },
  })
})

test('a step that catches a refused statement by a savepoint goes on', async () => {
  const saga = defineSaga('savepoint').step('write', {
    action: async (_context, tx, { sagaId }) => {
      await tx.query(sql`savepoint before`)
      await tx
        .query(sql`insert into ledger (saga_id) values (${sagaId})`)
        .catch(() => tx.query(sql`rollback to savepoint before`))
      await enter(tx, sagaId, 'after')
    },
  })
  const id = await begin(saga, {})
  await drain(orchestratorOf(saga))
  expect(await entries(pool, id)).toEqual(['after'])
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test.each([
  [
    'a number that JSON does not know',
    async (): Promise<Effect<object>> => ({ data: { n: 1n } }),
    'SAGA_DATA_INVALID',
  ],
  ['a text that Postgres does not take', async () => ({ data: { text: 'a\0b' } }), '22P05'],
  [
    'an event that cannot be stored',
    async () => ({ events: [{ type: 'a\0b', payload: {} }] }),
    'MESSAGE_UNSTORABLE',
  ],
])('%s is the failure of its step', async (name, action, code) => {
  const saga = defineSaga(name).step('bad', { action, retry: fixed('1s', { attempts: 1 }) })
  const other = trip(`beside ${name}`)
  const ids = [await begin(saga, {}), await begin(other, { n: 1 })] as const
  await drain(orchestratorOf(saga, other))
  expect(await getSaga(pool, ids[0])).toMatchObject({ status: 'COMPENSATED', error: { code } })
  expect((await getSaga(pool, ids[1]))?.status).toBe('COMPLETED')
})

test('two orchestrators share the sagas, and each step is done once', async () => {
  const saga = trip('shared')
  const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => begin(saga, { n })))
  const both = [orchestratorOf(saga), orchestratorOf(saga)] as const
  await Promise.all(both.map((each) => each.start()))
  const results = await Promise.all(ids.map((id) => awaitSaga(pool, id)))
  await Promise.all(both.map((each) => each.stop()))
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
  for (const id of ids) expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'car'])
})

test('a step whose lease was lost in the middle is done once', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let calls = 0
  const saga = trip('lost', async (step) => {
    if (step !== 'hotel') return {}
    calls += 1
    if (calls === 1) {
      reached.resolve()
      await held.promise
    }
    return {}
  })
  const [slow, other] = [orchestratorOf(saga), orchestratorOf(saga)]
  const id = await begin(saga, { n: 1 })
  const first = slow.runOnce()
  await reached.promise
  await expireTurns(pool)
  await drain(other)
  await drain(other)
  held.resolve()
  await first
  expect(calls).toBe(2)
  expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'car'])
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('a success that comes after its lease was lost changes nothing', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let calls = 0
  const saga = trip('late', async (step) => {
    if (step !== 'hotel') return {}
    calls += 1
    if (calls === 2) throw new Error('busy')
    if (calls > 1) return { data: { call: calls } }
    reached.resolve()
    await held.promise
    return { data: { call: 1 } }
  })
  const id = await begin(saga, { n: 1 })
  const first = orchestratorOf(saga).runOnce()
  await reached.promise
  await expireTurns(pool)
  const other = orchestratorOf(saga)
  await drain(other)
  // The other has failed and waits for its next attempt, in a turn of its own.
  held.resolve()
  await first
  expect(await getSaga(pool, id)).toMatchObject({ status: 'RUNNING', step: 'hotel' })
  expect(await entries(pool, id)).toEqual(['flight'])
  await advanceClock(pool, '61s')
  await drain(other)
  expect((await getSaga(pool, id))?.steps[1]).toMatchObject({
    status: 'COMPLETED',
    output: { call: 3 },
  })
  expect(await entries(pool, id)).toEqual(['flight', 'hotel', 'car'])
})

test('a connection that breaks in the middle of a step is not charged to it', async () => {
  let calls = 0
  const saga = defineSaga('cut').step('write', {
    retry: fixed('1s', { attempts: 1 }),
    action: async (_context, tx, { sagaId, attempt }) => {
      calls += 1
      await enter(tx, sagaId, `attempt ${attempt}`)
      if (calls === 1) await tx.query(sql`select pg_terminate_backend(pg_backend_pid())`)
    },
  })
  const orchestrator = orchestratorOf(saga)
  const id = await begin(saga, {})
  // It is due again a tenth of a second later.
  await orchestrator.runOnce()
  expect((await getSaga(pool, id))?.status).toBe('RUNNING')
  await advanceClock(pool, '1s')
  await drain(orchestrator)
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
  expect(await entries(pool, id)).toEqual(['attempt 1'])
})

test.each(['goes on to write', 'returns', 'waits for its other work'])(
  'a step that leaves its transaction idle for too long is charged, when it %s',
  async (what) => {
    let calls = 0
    const idle = defineSaga<{ n: number }>('idle').step('wait', {
      retry: fixed('1m', { attempts: 2 }),
      action: async (_context, tx, { sagaId }) => {
        calls += 1
        await tx.query(sql`set local idle_in_transaction_session_timeout = 20`)
        await new Promise((resolve) => setTimeout(resolve, 200))
        if (what === 'goes on to write') await enter(tx, sagaId, 'late')
        if (what === 'waits for its other work') await pool.query('select 1')
      },
    })
    const id = await begin(idle, { n: 1 })
    await drain(orchestratorOf(idle))
    await advanceClock(pool, '1m')
    await drain(orchestratorOf(idle))
    expect(calls).toBe(2)
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'COMPENSATED',
      steps: [{ attempts: 2, error: { code: '25P03' } }],
    })
  },
)

test('a statement that always takes too long is charged to its step', async () => {
  const slow = defineSaga<{ n: number }>('slow').step('report', {
    retry: fixed('1m', { attempts: 2 }),
    action: async (_context, tx) => {
      await tx.query(sql`set local statement_timeout = 20`)
      await tx.query(sql`select pg_sleep(5)`)
    },
  })
  const id = await begin(slow, { n: 1 })
  await drain(orchestratorOf(slow))
  await advanceClock(pool, '1m')
  await drain(orchestratorOf(slow))
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'COMPENSATED',
    steps: [{ attempts: 2, error: { code: '57014' } }],
  })
})

test('a step that is called off when its orchestrator stops goes on elsewhere, uncharged', async () => {
  const reached = Promise.withResolvers<void>()
  const attempts: number[] = []
  const saga = defineSaga('stops').step('long', {
    retry: fixed('1s', { attempts: 1 }),
    action: async (_context, _tx, { attempt, signal }) => {
      attempts.push(attempt)
      reached.resolve()
      if (attempts.length > 1) return
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('called off')
    },
  })
  const first = createOrchestrator({ pool, sagas: [saga], drain: '10ms' })
  await first.start()
  const id = await begin(saga, {})
  await reached.promise
  await first.stop()
  await drain(orchestratorOf(saga))
  expect(attempts).toEqual([1, 1])
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('of two runs of one saga in one process, one writes its checkpoint', async () => {
  const saga = trip('twins')
  const id = await begin(saga, { n: 1 })
  const [instance] = await takeTurns(pool, [{ sagaId: id, turn: 1, again: false }], 'prepared')
  if (!instance) throw new Error('its turn was not there')
  const checkpoints = new Checkpoints(pool, { events, naming: 'prepared' })
  const step = saga.steps[0] as Step
  const outcome = { kind: 'done', output: null } as const
  const begun = { kind: 'act', position: 0, step, attempt: 1 } as const
  const task = { ...begun, reply: undefined, isLate: false }
  const alone = {
    steps: saga.steps,
    forks: [],
    running: new Set<number>(),
    doubt: new Set<number>(),
    realNow: 0,
  }
  const move = afterAction(instance, task, {
    ...alone,
    outcome,
    timing: { startedAt: 1, endedAt: 2 },
  })
  const event = { type: 'once', payload: {} }
  const both = [1, 2].map(() => checkpoints.write({ move, events: [event], step: 'flight' }))
  expect(await Promise.all(both)).toEqual([expect.any(Number), undefined])
  expect((await getSaga(pool, id))?.events).toHaveLength(1)
  await drain(orchestratorOf(saga))
})

test('execute waits for the end', async () => {
  const saga = trip('waits', async (step) => (step === 'hotel' ? { data: { room: 3 } } : {}))
  const orchestrator = orchestratorOf(saga)
  await orchestrator.start()
  const result = await sagas(pool, [saga]).execute(saga, { n: 4 }, { tenant: 'acme' })
  await orchestrator.stop()
  expect(result).toMatchObject({ status: 'COMPLETED', context: { n: 4, room: 3 } })
})

test('lists sagas a page at a time, newest first', async () => {
  const saga = trip('listed')
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.push(await begin(saga, { n }))
  // Of one millisecond, neither is the newer.
  ids.sort()
  const first = await listSagas(pool, { name: 'listed', limit: 2 })
  expect(first.items.map(({ id }) => id)).toEqual([ids[4], ids[3]])
  const rest = await listSagas(pool, {
    name: 'listed',
    ...(first.nextCursor && { cursor: first.nextCursor }),
  })
  expect(rest.items.map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]])
  expect(rest.nextCursor).toBeUndefined()
  expect((await listSagas(pool, { name: 'listed', status: 'FAILED' })).items).toEqual([])
  expect((await listSagas(pool, { tenant: 'unknown' })).items).toEqual([])
  expect((await listSagas(pool, { tenant: 'a\0' })).items).toEqual([])
  await expect(listSagas(pool, { cursor: 'rubbish' })).rejects.toMatchObject({
    code: 'CURSOR_INVALID',
  })
  expect(await getSaga(pool, 'rubbish')).toBeUndefined()
  await expect(awaitSaga(pool, '01900000-0000-7000-8000-0000000000ff')).rejects.toMatchObject({
    code: 'SAGA_MISSING',
  })
  await drain(orchestratorOf(saga))
})
