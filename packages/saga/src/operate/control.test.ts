import { fixed, transaction, uuid, type Transaction } from '@posthorn/engine'
import { advanceClock, listAlerts, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  SAGA_CODES,
  cancelSaga,
  defineSaga,
  getSaga,
  resumeSaga,
  sagaEvents,
  sagaMigrations,
  startSaga,
  terminateSaga,
  type AnySaga,
} from '../index.ts'
import { LEDGER, drain, enter, entries, expireTurns } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const orchestratorOf = (...sagas: AnySaga[]) => createOrchestrator({ pool, sagas })

function begin(saga: AnySaga) {
  return transaction(pool, async (tx) => (await startSaga(tx, saga, { input: {} })).id)
}

const cancel = (id: string) => transaction(pool, (tx) => cancelSaga(tx, id))
const resume = (id: string) => transaction(pool, (tx) => resumeSaga(tx, id))

async function alertsOf(subject: string) {
  const { items } = await listAlerts(pool, { source: 'sagas' })
  return items
    .filter((alert) => alert.subject === subject)
    .map(({ code, state }) => ({ code, state }))
}

/** As if they had waited for a process that knows them for a minute. */
async function waitForLong(ids: readonly string[]): Promise<void> {
  await pool.query(
    `update sagas.saga set held_at = held_at - interval '1 minute' where id = any($1)`,
    [ids],
  )
  await advanceClock(pool, '6s')
}

async function waitingForLock(): Promise<boolean> {
  const { rows } = await pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

/** Two steps, of which the second does what the test says. */
function journey(
  name: string,
  second: (attempt: number) => Promise<void>,
  undo = async () => undefined as void,
) {
  return defineSaga(name)
    .step('one', {
      undoRetry: fixed('1m', { attempts: 2 }),
      action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'one'),
      compensate: async (_context, tx, { sagaId }) => {
        await undo()
        await enter(tx, sagaId, 'undo one')
      },
    })
    .step('two', {
      retry: fixed('1m', { attempts: 2 }),
      action: async (_context, tx, { sagaId, attempt }) => {
        await enter(tx, sagaId, 'two')
        await second(attempt)
      },
      compensate: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'undo two'),
    })
    .timer('rest', '1h')
    .step('three', { action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'three') })
}

const nothing = async () => undefined

describe('a compensation that cannot succeed', () => {
  test('ends as FAILED with an alert, and goes on when an operator resumes it', async () => {
    let broken = true
    const saga = journey(
      'stuck',
      async () => {
        throw new Error('no')
      },
      async () => {
        if (broken) throw Object.assign(new Error('the airline is closed'), { code: 'CLOSED' })
      },
    )
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    await drain(orchestrator)
    await advanceClock(pool, '61s')
    await drain(orchestrator)
    expect(await getSaga(pool, id)).toMatchObject({ status: 'COMPENSATING', step: 'one' })
    expect(await alertsOf(id)).toEqual([])
    await advanceClock(pool, '61s')
    await drain(orchestrator)
    const failed = await getSaga(pool, id)
    expect(failed).toMatchObject({ status: 'FAILED', step: 'one', error: { code: 'SAGA_STUCK' } })
    expect(failed?.steps[0]).toMatchObject({
      status: 'UNDOING',
      undoAttempts: 2,
      error: { code: 'CLOSED' },
    })
    expect(await alertsOf(id)).toEqual([{ code: 'SAGA_STUCK', state: 'open' }])
    expect(await entries(pool, id)).toEqual(['one', 'undo two'])

    expect(await cancel(id)).toEqual({ done: false, was: 'FAILED', why: 'status' })
    broken = false
    expect(await resume(id)).toEqual({ done: true })
    await drain(orchestrator)
    // What it was undone for is what remains, not that it was stuck meanwhile.
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'COMPENSATED',
      error: { code: 'SAGA_STEP_FAILED', message: 'no' },
    })
    expect(await entries(pool, id)).toEqual(['one', 'undo two', 'undo one'])
    expect(await alertsOf(id)).toEqual([{ code: 'SAGA_STUCK', state: 'recovered' }])
    expect(await resume(id)).toEqual({ done: false, was: 'COMPENSATED', why: 'status' })
  })
})

describe('cancelling', () => {
  const WRITES = [
    ['only calls the outside', false],
    ['writes through its transaction', true],
  ] as const

  test.each(WRITES)('while a step %s keeps what it returns, for its undoing', async (_, writes) => {
    const undone: unknown[] = []
    const step = (name: string, cancels: boolean) => ({
      action: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
        if (writes) await enter(tx, sagaId, name)
        if (cancels) await cancel(sagaId)
        return { data: { [name]: `${name} 17` }, events: [{ type: `${name}ed`, payload: {} }] }
      },
      compensate: async (context: object) => {
        undone.push(context)
        return { events: [{ type: `un${name}ed`, payload: {} }] }
      },
    })
    const saga = defineSaga(`cancel-under-way-${writes}`)
      .step('hold', step('hold', false))
      .step('charge', step('charge', true))
      .step('ship', step('ship', false))
    const events = sagaEvents({ transport: 'none' })
    const orchestrator = createOrchestrator({ pool, sagas: [saga], events })
    const id = await begin(saga)
    await drain(orchestrator)
    const found = await getSaga(pool, id)
    expect(found).toMatchObject({ status: 'COMPENSATED', error: { code: 'SAGA_CANCELLED' } })
    const [hold, charge] = [{ hold: 'hold 17' }, { charge: 'charge 17' }]
    expect(undone).toEqual([{ ...hold, ...charge }, hold])
    expect(found?.steps[1]).toMatchObject({ status: 'COMPENSATED', output: charge, attempts: 1 })
    const sent = found?.events.map(({ type }) => type)
    expect(sent).toEqual(['holded', 'chargeed', 'unchargeed', 'unholded'])
    expect(await entries(pool, id)).toEqual(writes ? ['hold', 'charge'] : [])
  })

  test.each(WRITES)('while the last step %s undoes it too', async (_, writes) => {
    let undone: object | undefined
    const saga = defineSaga(`cancel-last-${writes}`).step('charge', {
      action: async (_context, tx, { sagaId }) => {
        if (writes) await enter(tx, sagaId, 'charge')
        await cancel(sagaId)
        return { data: { ref: 'ch_1' } }
      },
      compensate: async (context) => void (undone = context),
    })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({ status: 'COMPENSATED' })
    expect(undone).toEqual({ ref: 'ch_1' })
  })

  test('while steps side by side are under way keeps what each returns', async () => {
    const undone: object[] = []
    const both = Promise.withResolvers<void>()
    const step = (name: string, work: (id: string) => Promise<unknown>) => ({
      action: async (_context: object, _tx: Transaction, { sagaId }: { sagaId: string }) => {
        await work(sagaId)
        return { data: { [name]: true } }
      },
      compensate: async (context: object) => void undone.push(context),
    })
    const cancels = async (id: string) => {
      await cancel(id)
      both.resolve()
    }
    const saga = defineSaga('cancel-fork').parallel({
      a: (branch) =>
        branch.step('left', step('left', cancels)).step('never', step('never', cancels)),
      b: (branch) =>
        branch.step(
          'right',
          step('right', () => both.promise),
        ),
    })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({ status: 'COMPENSATED' })
    expect(undone).toEqual([{ right: true }, { left: true }])
  })

  test('before its first step undoes nothing', async () => {
    const saga = journey('cancel-first', nothing)
    const id = await begin(saga)
    expect(await cancel(id)).toEqual({ done: true })
    expect(await cancel(id)).toEqual({ done: false, was: 'RUNNING', why: 'status' })
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual([])
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'COMPENSATED',
      error: { code: 'SAGA_CANCELLED' },
    })
  })

  test('while a step runs lets it end, and undoes it with the others', async () => {
    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const saga = journey('cancel-running', async () => {
      reached.resolve()
      await held.promise
    })
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    const running = orchestrator.runOnce()
    await reached.promise
    expect(await cancel(id)).toEqual({ done: true })
    // No other orchestrator begins to undo while the step is under way.
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual(['one'])
    held.resolve()
    await running
    expect(await entries(pool, id)).toEqual(['one', 'two', 'undo two', 'undo one'])
    expect((await getSaga(pool, id))?.status).toBe('COMPENSATED')
  })

  test('while it waits for another attempt undoes that step too', async () => {
    const saga = journey('cancel-retrying', async () => {
      throw new Error('busy')
    })
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    await drain(orchestrator)
    expect(await cancel(id)).toEqual({ done: true })
    await drain(orchestrator)
    expect(await entries(pool, id)).toEqual(['one', 'undo two', 'undo one'])
  })

  test('at the moment its turn is taken: the turn is over', async () => {
    let calls = 0
    const saga = journey('cancel-taken', async () => {
      calls += 1
      throw new Error('busy')
    })
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    await drain(orchestrator)
    await advanceClock(pool, '61s')
    let looking: Promise<number> | undefined
    await transaction(pool, async (tx) => {
      await tx.query({ text: 'select from sagas.saga where id = $1 for update', values: [id] })
      looking = orchestratorOf(saga).runOnce()
      // The turn is claimed, and waits for this transaction to end.
      await expect.poll(() => waitingForLock()).toBe(true)
      await cancelSaga(tx, id)
    })
    await looking
    await drain(orchestrator)
    expect(calls).toBe(1)
    expect(await entries(pool, id)).toEqual(['one', 'undo two', 'undo one'])
  })

  test('while it sleeps wakes it', async () => {
    const saga = journey('cancel-asleep', nothing)
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    await drain(orchestrator)
    expect((await getSaga(pool, id))?.step).toBe('rest')
    expect(await cancel(id)).toEqual({ done: true })
    await drain(orchestrator)
    expect(await entries(pool, id)).toEqual(['one', 'two', 'undo two', 'undo one'])
    await advanceClock(pool, '2h')
    await drain(orchestrator)
    expect(await entries(pool, id)).toHaveLength(4)
  })

  test('is refused once it is over, or if there is no such saga', async () => {
    const saga = defineSaga('over').step('only', { action: nothing })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await cancel(id)).toEqual({ done: false, was: 'COMPLETED', why: 'status' })
    const missing = { done: false, was: undefined, why: 'missing' }
    expect(await cancel(uuid())).toEqual(missing)
    expect(await resume('rubbish')).toEqual(missing)
  })

  test('and a step at once: all of it is undone, or none of it was', async () => {
    const saga = journey('cancel-any-time', nothing)
    const orchestrator = orchestratorOf(saga)
    const ids = await Promise.all(Array.from({ length: 30 }, () => begin(saga)))
    await Promise.all([
      drain(orchestrator),
      drain(orchestratorOf(saga)),
      ...ids.map((id) => cancel(id)),
    ])
    await drain(orchestrator)
    for (const id of ids) {
      expect((await getSaga(pool, id))?.status).toBe('COMPENSATED')
      const done = await entries(pool, id)
      const undone = done.filter((entry) => entry.startsWith('undo')).map((entry) => entry.slice(5))
      // A step in doubt is undone though it left nothing behind.
      expect(undone).toEqual(
        expect.arrayContaining(done.filter((entry) => !entry.startsWith('undo'))),
      )
    }
  })
})

describe('a definition that changed', () => {
  test('leaves sagas of an unknown version to those who know it, with one alert', async () => {
    const old = defineSaga('moves', { version: 1 }).step('old', {
      action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'old'),
    })
    const recent = defineSaga('moves', { version: 2 }).step('new', {
      action: async (_context, tx, { sagaId }) => enter(tx, sagaId, 'new'),
    })
    const ids = [await begin(old), await begin(old), await begin(recent)] as const
    await drain(orchestratorOf(recent))
    expect(await getSaga(pool, ids[0])).toMatchObject({
      ...{ status: 'RUNNING', error: undefined },
      held: { code: 'SAGA_UNKNOWN' },
    })
    expect(await entries(pool, ids[2])).toEqual(['new'])
    // Another process may know it: only what waits for long is an alert.
    expect(await alertsOf('moves v1')).toEqual([])
    await waitForLong(ids.slice(0, 2))
    await drain(orchestratorOf(recent))
    expect(await alertsOf('moves v1')).toEqual([{ code: 'SAGA_UNKNOWN', state: 'open' }])
    await advanceClock(pool, '6s')
    await drain(orchestratorOf(recent, old))
    for (const id of ids.slice(0, 2)) {
      expect(await getSaga(pool, id)).toMatchObject({ status: 'COMPLETED', held: undefined })
      expect(await entries(pool, id)).toEqual(['old'])
    }
    expect(await alertsOf('moves v1')).toEqual([{ code: 'SAGA_UNKNOWN', state: 'recovered' }])
  })

  test('keeps why a saga is undone while no process knows it', async () => {
    let isClosed = true
    const saga = journey(
      'undone-unknown',
      async () => {
        throw Object.assign(new Error('no seat'), { code: 'FULL' })
      },
      async () => {
        if (isClosed) throw new Error('closed')
      },
    )
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    await advanceClock(pool, '61s')
    await drain(orchestratorOf(saga))
    await advanceClock(pool, '61s')
    await drain(orchestratorOf(defineSaga('another')))
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'COMPENSATING',
      error: { code: 'FULL', message: 'no seat' },
      held: { code: 'SAGA_UNKNOWN' },
    })
    isClosed = false
    await advanceClock(pool, '6s')
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({
      ...{ status: 'COMPENSATED', held: undefined },
      error: { code: 'FULL', message: 'no seat' },
    })
  })

  test('has an alert that ends with the last saga that waits for it', async () => {
    const gone = defineSaga('gone').step('only', { action: nothing })
    const ids = [await begin(gone), await begin(gone)] as const
    const stranger = orchestratorOf(defineSaga('stranger'))
    await drain(stranger)
    await waitForLong(ids)
    await drain(stranger)
    const operator = { by: 'ada', reason: 'it is gone for good' }
    await transaction(pool, (tx) => terminateSaga(tx, ids[0], operator))
    expect(await alertsOf('gone v1')).toEqual([{ code: 'SAGA_UNKNOWN', state: 'open' }])
    await transaction(pool, (tx) => terminateSaga(tx, ids[1], operator))
    expect(await alertsOf('gone v1')).toEqual([{ code: 'SAGA_UNKNOWN', state: 'recovered' }])
  })

  test('never runs a saga on other steps', async () => {
    const step = { action: nothing }
    const before = defineSaga('renamed').step('a', step).timer('b', '1h').step('c', step)
    const after = defineSaga('renamed').step('a', step).step('x', step)
    const id = await begin(before)
    await drain(orchestratorOf(before))
    await advanceClock(pool, '61m')
    await drain(orchestratorOf(after))
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'RUNNING',
      step: 'b',
      held: { code: 'SAGA_CHANGED' },
    })
    await waitForLong([id])
    await drain(orchestratorOf(after))
    expect(await alertsOf('renamed v1')).toEqual([{ code: 'SAGA_CHANGED', state: 'open' }])
    await advanceClock(pool, '6s')
    await drain(orchestratorOf(before))
    expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
  })

  test('is not registered twice under one version', () => {
    const saga = defineSaga('twice')
    expect(() => orchestratorOf(saga, saga)).toThrow('registered twice')
  })
})

test.each([
  ['cancelled', cancel, ['one', 'undo two', 'undo one'], 'COMPENSATED'],
  ['resumed', resume, ['one', 'two'], 'RUNNING'],
] as const)(
  'a saga that kills its orchestrators has failed, and can be %s',
  async (name, steer, left, status) => {
    const gone = Promise.withResolvers<void>()
    let deadly = true
    const saga = journey(`deadly-${name}`, async () => {
      if (deadly) await gone.promise
    })
    const id = await begin(saga)
    const lives: Promise<number>[] = []
    for (let life = 0; life < 5; life += 1) {
      const looking = orchestratorOf(saga).runOnce()
      lives.push(looking)
      // It hangs in the middle of the step, and its lease runs out.
      await Promise.race([looking, new Promise((resolve) => setTimeout(resolve, 200))])
      await expireTurns(pool)
    }
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'FAILED',
      step: 'two',
      error: { code: 'SAGA_FATAL' },
    })
    expect(await alertsOf(id)).toEqual([{ code: 'SAGA_FATAL', state: 'open' }])
    deadly = false
    expect(await steer(id)).toEqual({ done: true })
    const error = { code: 'SAGA_CANCELLED', message: SAGA_CODES.SAGA_CANCELLED }
    expect((await getSaga(pool, id))?.error).toEqual(name === 'cancelled' ? error : undefined)
    await drain(orchestratorOf(saga))
    expect(await alertsOf(id)).toEqual([{ code: 'SAGA_FATAL', state: 'recovered' }])
    // Those that were thought dead come back, and change nothing.
    gone.resolve()
    await Promise.all(lives)
    expect(await entries(pool, id)).toEqual(left)
    expect((await getSaga(pool, id))?.status).toBe(status)
  },
)
