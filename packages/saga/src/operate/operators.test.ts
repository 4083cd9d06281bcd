import { fixed, sql, toMessage, transaction, uuid, type Transaction } from '@posthorn/engine'
import {
  advanceClock,
  listAlerts,
  searchAudit,
  useMovableClock,
  type Alert,
} from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  acceptReply,
  cancelSaga,
  defineSaga,
  getSaga,
  refuse,
  resumeSaga,
  sagaMigrations,
  skipStep,
  startSaga,
  terminateSaga,
  type AnySaga,
  type Refusal,
  type SagaOperator,
  type Steering,
} from '../index.ts'
import { LEDGER, drain, enter, entries, expireTurns } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const orchestratorOf = (...sagas: AnySaga[]) => createOrchestrator({ pool, sagas })
const ada = { by: 'ada', reason: 'T-481' }

function begin(saga: AnySaga) {
  return transaction(pool, async (tx) => {
    const { id } = await startSaga(tx, saga, { input: {}, tenant: 'acme' })
    return id
  })
}

const skip = (id: string, options: { step: string; data?: object }) =>
  transaction(pool, (tx) => skipStep(tx, id, { ...ada, ...options }))
const terminate = (id: string, options: Partial<SagaOperator> = {}) =>
  transaction(pool, (tx) => terminateSaga(tx, id, { ...ada, ...options }))
/** What happens in a step, by its name: `undo b` when it is undone. */
type Behaviour = Record<string, (key: string, context: object) => Promise<Refusal | void>>

/** Steps a, b and c; each notes that it ran, and with which key. */
function abc(name: string, behave: Behaviour = {}) {
  let saga: AnySaga = defineSaga(name)
  for (const step of ['a', 'b', 'c']) {
    saga = saga.step(step, {
      retry: fixed('1m', { attempts: 2 }),
      undoRetry: fixed('1m', { attempts: 1 }),
      action: async (context: object, tx, { sagaId, idempotencyKey }) => {
        await enter(tx, sagaId, step)
        const result = await behave[step]?.(idempotencyKey, context)
        return result ?? { data: { [step]: idempotencyKey.split('/').slice(1).join('/') } }
      },
      compensate: async (context: object, tx, { sagaId, idempotencyKey }) => {
        await enter(tx, sagaId, `undo ${step}`)
        await behave[`undo ${step}`]?.(idempotencyKey, context)
      },
    })
  }
  return saga
}

const fail = (message: string) => async () => {
  throw new Error(message)
}

async function alertsOf(id: string): Promise<Alert['state'][]> {
  const { items } = await listAlerts(pool, { source: 'sagas' })
  return items.filter(({ subject }) => subject === id).map(({ state }) => state)
}

/** The last thing an operator did, in the audit. */
async function lastAudit() {
  const { items } = await searchAudit(pool, { kind: 'operation', outbox: 'sagas', limit: 1 })
  return items[0]
}

/** A saga whose compensation of `b` is refused for good, at that place. */
async function stuckAtUndoB(name: string, behave: Behaviour = {}) {
  const saga = abc(name, {
    c: async () => refuse('FULL', 'no seat'),
    'undo b': fail('the airline is closed'),
    ...behave,
  })
  const id = await begin(saga)
  await drain(orchestratorOf(saga))
  expect(await getSaga(pool, id)).toMatchObject({ status: 'FAILED', step: 'b' })
  return { id, saga }
}

describe('skipping', () => {
  test('a step that keeps failing lets the saga go on, with the data it is given', async () => {
    let context: object = {}
    const saga = abc('skip-forward', {
      b: fail('down'),
      c: async (_key, given) => void (context = given),
    })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({
      step: 'b',
      steps: [{}, { status: 'RETRYING' }, {}],
    })
    expect(await skip(id, { step: 'b', data: { b: 'by hand' } })).toEqual({ done: true })
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual(['a', 'c'])
    expect(context).toMatchObject({ a: 'a', b: 'by hand' })
    const ended = await getSaga(pool, id)
    expect(ended).toMatchObject({
      status: 'COMPLETED',
      steps: [{ skipped: undefined }, { status: 'COMPLETED', skipped: 'action' }, {}],
      actions: [{ action: 'skip', step: 'b', was: 'RUNNING', ...ada }],
      allows: [],
    })
    expect(await lastAudit()).toMatchObject({
      ...{ operation: 'saga.skip', subject: `${id}/b`, tenant: 'acme' },
      ...{ actor: 'ada', reason: 'T-481' },
    })
    // The attempt that was to come finds that its turn is over.
    await advanceClock(pool, '2m')
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toEqual(ended)
  })

  test('is undone with the others: an attempt may have taken effect', async () => {
    const saga = abc('skip-undone', { b: fail('down'), c: fail('down too') })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    await skip(id, { step: 'b' })
    await drain(orchestratorOf(saga))
    await transaction(pool, (tx) => cancelSaga(tx, id))
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual(['a', 'undo c', 'undo b', 'undo a'])
  })

  test('the last step completes the saga', async () => {
    const saga = abc('skip-last', { c: fail('down') })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    await skip(id, { step: 'c' })
    await drain(orchestratorOf(saga))
    expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
  })

  test('a compensation that is refused for good undoes the rest', async () => {
    const { id, saga } = await stuckAtUndoB('skip-undo')
    expect(await alertsOf(id)).toEqual(['open'])
    expect(await skip(id, { step: 'b' })).toEqual({ done: true })
    expect(await alertsOf(id)).toEqual(['recovered'])
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual(['a', 'b', 'undo a'])
    expect(await getSaga(pool, id)).toMatchObject({
      status: 'COMPENSATED',
      error: { code: 'FULL' },
      steps: [
        { status: 'COMPENSATED', skipped: undefined },
        { status: 'COMPENSATED', skipped: 'compensation', undoneAt: undefined },
        { status: 'REFUSED' },
      ],
      actions: [{ action: 'skip', step: 'b', was: 'FAILED' }],
    })
  })
})

test('terminating ends a saga where it is: nothing more is done or undone', async () => {
  const saga = abc('terminate').reply('answered', { event: 'answer', timeout: '1h' })
  const id = await begin(saga)
  await drain(orchestratorOf(saga))
  expect(await terminate(id, { step: 'answered' })).toEqual({ done: true })
  const message = toMessage({ id: uuid(), type: 'answer', payload: {}, headers: { 'saga-id': id } })
  expect(await transaction(pool, (tx) => acceptReply(tx, { consumer: 'test', message }))).toBe(
    'ignored',
  )
  await advanceClock(pool, '2h')
  await drain(orchestratorOf(saga))
  expect(await entries(pool, id)).toEqual(['a', 'b', 'c'])
  expect(await getSaga(pool, id)).toMatchObject({
    ...{ status: 'TERMINATED', error: { code: 'SAGA_TERMINATED' } },
    ...{ finishedAt: expect.any(Date) as Date, waitsFor: [], dueAt: undefined, allows: [] },
  })
})

describe('where steps run side by side', () => {
  /** a, then b and c beside d, then e; what is in `down` fails. */
  function forked(name: string, down: ReadonlySet<string>) {
    const step = (of: string) => ({
      retry: fixed('1m', { attempts: 2 }),
      undoRetry: fixed('1m', { attempts: 1 }),
      action: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
        if (down.has(of)) throw new Error('down')
        await enter(tx, sagaId, of)
      },
      compensate: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
        if (down.has(`undo ${of}`)) throw new Error('closed')
        await enter(tx, sagaId, `undo ${of}`)
      },
    })
    return defineSaga(name)
      .step('a', step('a'))
      .parallel({
        left: (branch) => branch.step('b', step('b')).step('c', step('c')),
        right: (branch) => branch.step('d', step('d')),
      })
      .step('e', step('e'))
  }

  test('the step of one branch is skipped, and the other goes on', async () => {
    const down = new Set(['c', 'd'])
    const saga = forked('fork-skip', down)
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({ atHand: ['c', 'd'] })
    expect(await skip(id, { step: 'd' })).toEqual({ done: true })
    expect(await skip(id, { step: 'd' })).toMatchObject({ done: false, why: 'moved' })
    await drain(orchestratorOf(saga))
    expect(await getSaga(pool, id)).toMatchObject({ status: 'RUNNING', atHand: ['c'] })
    down.clear()
    await advanceClock(pool, '61s')
    await drain(orchestratorOf(saga))
    expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
    expect(await entries(pool, id)).toEqual(['a', 'b', 'c', 'e'])
  })
})

describe('what is refused', () => {
  test('says why, and changes nothing', async () => {
    const saga = abc('refused', { b: fail('down') })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    const before = await getSaga(pool, id)
    expect(before?.allows).toEqual(['cancel', 'skip', 'terminate'])
    const was = { done: false, was: 'RUNNING' }
    expect(await skip(id, { step: 'a' })).toEqual({ ...was, why: 'moved' })
    expect(await terminate(id, { step: 'c' })).toEqual({ ...was, why: 'moved' })
    expect(await terminate(uuid())).toEqual({ done: false, was: undefined, why: 'missing' })
    await expect(terminate(id, { reason: ' ' })).rejects.toMatchObject({
      code: 'SAGA_REASON_MISSING',
    })
    expect(await getSaga(pool, id)).toEqual(before)
    await terminate(id)
    const over = { done: false, was: 'TERMINATED', why: 'status' }
    expect(await Promise.all([skip(id, { step: 'b' }), terminate(id)])).toEqual([over, over])
    expect(await transaction(pool, (tx) => resumeSaga(tx, id))).toEqual(over)
  })

  test('a saga that is being cancelled is not skipped', async () => {
    const saga = abc('refused-cancelled')
    const id = await begin(saga)
    await transaction(pool, (tx) => cancelSaga(tx, id, { by: 'ada' }))
    expect((await getSaga(pool, id))?.allows).toEqual(['terminate'])
    expect(await skip(id, { step: 'a' })).toMatchObject({ done: false, why: 'status' })
    expect((await getSaga(pool, id))?.actions).toMatchObject([
      { action: 'cancel', by: 'ada', reason: undefined },
    ])
  })
})

describe('an operator and a step at once', () => {
  const WISHES: Record<string, (id: string) => Promise<Steering>> = {
    skip: (id) => skip(id, { step: 'b' }),
    terminate: (id) => terminate(id, { step: 'b' }),
  }

  test.each(Object.entries(WISHES))('%s: the step under way changes nothing', async (verb, act) => {
    const reached = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let calls = 0
    const saga = abc(`under-way-${verb}`, {
      b: async () => {
        calls += 1
        if (calls > 1) return
        reached.resolve()
        await go.promise
      },
    })
    const id = await begin(saga)
    const running = orchestratorOf(saga).runOnce()
    await reached.promise
    expect(await act(id)).toEqual({ done: true })
    await drain(orchestratorOf(saga))
    const after = await getSaga(pool, id)
    const left = verb === 'skip' ? ['a', 'c'] : ['a']
    expect(await entries(pool, id)).toEqual(left)
    go.resolve()
    await running
    expect(await entries(pool, id)).toEqual(left)
    expect(await getSaga(pool, id)).toEqual(after)
  })

  test('an operator whose connection breaks before the commit has done nothing', async () => {
    const saga = abc('broken-operator', { b: fail('down') })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    const before = await getSaga(pool, id)
    const broken = transaction(pool, async (tx) => {
      await skipStep(tx, id, { ...ada, step: 'b' })
      await tx.query(sql`select pg_terminate_backend(pg_backend_pid())`)
    })
    await expect(broken).rejects.toThrow(/terminat/)
    expect(await getSaga(pool, id)).toEqual(before)
  })

  test('exactly one of them wins, however they meet', async () => {
    const saga = abc('race')
    const verbs = Object.keys(WISHES)
    const ids = await Promise.all(Array.from({ length: 40 }, () => begin(saga)))
    const wish = (id: string, n: number): Promise<Steering> =>
      (WISHES[verbs[n % verbs.length] ?? ''] as (id: string) => Promise<Steering>)(id)
    const racing = async (id: string, n: number) => {
      // Until the step is at hand, or over: so the wish comes at any moment of it.
      for (;;) {
        const came = await wish(id, n)
        if (came.done) return 'operator'
        if (came.why !== 'moved') return 'step'
        if ((await getSaga(pool, id))?.step !== 'a') return 'step'
      }
    }
    const [, , ...winners] = await Promise.all([
      drain(orchestratorOf(saga)),
      drain(orchestratorOf(saga)),
      ...ids.map(racing),
    ])
    await expireTurns(pool)
    await drain(orchestratorOf(saga))
    for (const [n, id] of ids.entries()) {
      const verb = verbs[n % verbs.length] ?? ''
      const done = await entries(pool, id)
      const found = await getSaga(pool, id)
      expect(found?.actions).toHaveLength(winners[n] === 'operator' ? 1 : 0)
      if (winners[n] === 'step') {
        expect({ done, status: found?.status }).toEqual({
          done: ['a', 'b', 'c'],
          status: 'COMPLETED',
        })
        continue
      }
      expect({ done, status: found?.status }).toEqual({
        done: verb === 'skip' ? ['a', 'c'] : ['a'],
        status: verb === 'skip' ? 'COMPLETED' : 'TERMINATED',
      })
    }
  })
})
