import { fixed, toMessage, transaction, uuid, type Transaction } from '@posthorn/engine'
import { advanceClock, readClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  acceptReply,
  awaitSaga,
  cancelSaga,
  defineSaga,
  getSaga,
  sagas,
  refuse,
  sagaMigrations,
  startSaga,
  type AnySaga,
} from '../index.ts'
import { LEDGER, drain, enter, entries, expireTurns } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const orchestratorOf = (...all: AnySaga[]) => createOrchestrator({ pool, sagas: all })

function begin(saga: AnySaga, input: object = {}) {
  return transaction(pool, async (tx) => (await startSaga(tx, saga, { input })).id)
}

const cancel = (id: string) => transaction(pool, (tx) => cancelSaga(tx, id))

function answer(sagaId: string, type: string) {
  const message = toMessage({ id: uuid(), type, payload: type, headers: { 'saga-id': sagaId } })
  return transaction(pool, (tx) => acceptReply(tx, { consumer: 'test', message }))
}

/** A step that notes what it does, after what the test makes it wait for. */
function noted(name: string, first: (attempt: number) => Promise<unknown> = async () => undefined) {
  return {
    retry: fixed('1m', { attempts: 2 }),
    action: async (
      _context: object,
      tx: Transaction,
      { sagaId, attempt }: { sagaId: string; attempt: number },
    ) => {
      const said = await first(attempt)
      if (said !== undefined) return said as ReturnType<typeof refuse>
      await enter(tx, sagaId, name)
      return { data: { [name]: `${name}!` } }
    },
    compensate: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) =>
      enter(tx, sagaId, `undo ${name}`),
  }
}

const statusesOf = async (id: string) =>
  Object.fromEntries(
    (await getSaga(pool, id))?.steps.map(({ name, status }) => [name, status]) ?? [],
  )

describe('steps side by side', () => {
  test('run at the same time, and the saga goes on when all are done', async () => {
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const meet = (i: 0 | 1) => async () => {
      both[i].resolve()
      await both[1 - i]?.promise
    }
    const seen: unknown[] = []
    const saga = defineSaga<{ n: number }>('joins')
      .step('first', noted('first'))
      .parallel({
        air: (branch) => branch.step('flight', noted('flight', meet(0))),
        ground: (branch) =>
          branch
            .step('hotel', noted('hotel', meet(1)))
            .step('car', { ...noted('car'), action: async (context) => void seen.push(context) }),
      })
      .step('last', { action: async (context) => void seen.push(context) })
    const id = await begin(saga, { n: 1 })
    await orchestratorOf(saga).runOnce()
    // A branch does not see the others; what comes after sees them all.
    const before = { n: 1, first: 'first!', hotel: 'hotel!' }
    expect(seen).toEqual([before, { ...before, flight: 'flight!' }])
    const found = await getSaga(pool, id)
    expect(found?.status).toBe('COMPLETED')
    expect(found?.steps.map(({ branch }) => branch)).toEqual([
      undefined,
      { fork: 1, name: 'air' },
      { fork: 1, name: 'ground' },
      { fork: 1, name: 'ground' },
      undefined,
    ])
    // Real times, from which it can be drawn who waited for whom.
    const [, flight, hotel] = found?.steps ?? []
    const times = [flight?.startedAt, hotel?.startedAt, flight?.endedAt, hotel?.endedAt]
    expect(times).toEqual(times.map(() => expect.any(Date) as Date))
    expect(Number(flight?.startedAt)).toBeLessThanOrEqual(Number(hotel?.endedAt))
    expect(Number(hotel?.startedAt)).toBeLessThanOrEqual(Number(flight?.endedAt))
  })

  test('one that refuses: what is under way ends, then all that is done is undone in reverse', async () => {
    const refused = Promise.withResolvers<void>()
    const saga = defineSaga('refuses')
      .step('first', noted('first'))
      .parallel({
        quick: (branch) => branch.step('done', noted('done')).step('next', noted('next')),
        slow: (branch) =>
          branch
            .step(
              'slow',
              noted('slow', () => refused.promise),
            )
            .step('never', noted('never')),
        no: (branch) =>
          branch.step('no', {
            action: async () => {
              setTimeout(refused.resolve, 20)
              return refuse('NO', 'no')
            },
          }),
        waits: (branch) => branch.reply('waits', { ...noted('waits'), event: 'yes' }),
      })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    const done = await entries(pool, id)
    const acts = done.filter((entry) => !entry.startsWith('undo'))
    expect(acts).toEqual(expect.arrayContaining(['first', 'done', 'slow']))
    expect(acts).not.toContain('never')
    const undone = ['slow', 'next', 'done', 'first'].filter((name) => acts.includes(name))
    expect(done).toEqual([...acts, ...undone.map((name) => `undo ${name}`)])
    expect(await getSaga(pool, id)).toMatchObject({ status: 'COMPENSATED', error: { code: 'NO' } })
    expect(await statusesOf(id)).toMatchObject({
      no: 'REFUSED',
      slow: 'COMPENSATED',
      never: 'PENDING',
    })
  })

  test('each has its own attempts, reply and timeout, and the earliest wakes the saga', async () => {
    const saga = defineSaga('own-pace')
      .parallel({
        retried: (branch) =>
          branch.step(
            'busy',
            noted('busy', async (n) => (n === 1 ? Promise.reject(new Error('busy')) : undefined)),
          ),
        answered: (branch) =>
          branch
            .step('ask', noted('ask'))
            .reply('answered', { ...noted('answered'), event: 'yes', timeout: '1h' }),
        rests: (branch) => branch.timer('rest', '5m'),
      })
      .step('last', noted('last'))
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    await drain(orchestrator)
    expect(await statusesOf(id)).toEqual({
      busy: 'RETRYING',
      ask: 'COMPLETED',
      answered: 'WAITING',
      rest: 'WAITING',
      last: 'PENDING',
    })
    expect(await getSaga(pool, id)).toMatchObject({ waitsFor: ['yes'] })
    await advanceClock(pool, '61s')
    await drain(orchestrator)
    expect(await entries(pool, id)).toEqual(['ask', 'busy'])
    expect(await answer(id, 'yes')).toBe('woke')
    await drain(orchestrator)
    expect(await entries(pool, id)).toEqual(['ask', 'busy', 'answered'])
    expect(await getSaga(pool, id)).toMatchObject({ status: 'RUNNING', waitsFor: [] })
    await advanceClock(pool, '5m')
    await drain(orchestrator)
    expect(await entries(pool, id)).toEqual(['ask', 'busy', 'answered', 'last'])
    expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
  })

  test('a reply that comes while another branch works is not slept past', async () => {
    const saga = defineSaga('not-slept-past').parallel({
      works: (branch) =>
        branch.step('work', {
          action: async (_context, tx, { sagaId }) => {
            await answer(sagaId, 'yes')
            await enter(tx, sagaId, 'work')
          },
        }),
      waits: (branch) => branch.reply('answered', { ...noted('answered'), event: 'yes' }),
    })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual(['work', 'answered'])
    expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
  })

  test('cancelled after their process was lost: all that may be done is undone', async () => {
    const gone = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const saga = defineSaga('lost').parallel({
      a: (branch) =>
        branch.step(
          'a',
          noted('a', () => {
            reached.resolve()
            return gone.promise
          }),
        ),
      b: (branch) =>
        branch.step(
          'b',
          noted('b', () => gone.promise),
        ),
      c: (branch) => branch.reply('c', { ...noted('c'), event: 'yes' }),
    })
    const id = await begin(saga)
    const lost = orchestratorOf(saga).runOnce()
    await reached.promise
    await cancel(id)
    await expireTurns(pool)
    await drain(orchestratorOf(saga))
    gone.resolve()
    await lost
    expect(await entries(pool, id)).toEqual(['undo b', 'undo a'])
    expect((await getSaga(pool, id))?.status).toBe('COMPENSATED')
  })

  test('run one after the other in a local saga', async () => {
    const saga = defineSaga('local')
      .parallel({
        a: (branch) => branch.step('a', noted('a')),
        b: (branch) => branch.step('b', { ...noted('b'), when: () => false }),
      })
      .step('c', noted('c'))
    const result = await sagas(pool, []).executeLocally(saga, {})
    expect(result).toMatchObject({ status: 'COMPLETED', context: { a: 'a!', c: 'c!' } })
    expect(await entries(pool, result.id)).toEqual(['a', 'c'])
    expect(await statusesOf(result.id)).toEqual({ a: 'COMPLETED', b: 'SKIPPED', c: 'COMPLETED' })
  })

  test('must be two or more, each with steps, without branches of their own and with replies of their own', () => {
    const saga = defineSaga('wrong')
    const nothing = { action: async () => undefined }
    expect(() => saga.parallel({ a: (branch) => branch.step('a', nothing) })).toThrow(
      'two branches',
    )
    expect(() =>
      saga.parallel({ a: (branch) => branch.step('a', nothing), b: (branch) => branch }),
    ).toThrow('branch "b" has no step')
    const same = (branch: ReturnType<typeof defineSaga<object>>) => branch.step('a', nothing)
    expect(() => saga.parallel({ a: same, b: same })).toThrow('"a" stands twice')
    expect(() =>
      saga.parallel({
        a: (branch) => branch.reply('a', { event: 'yes' }),
        b: (branch) => branch.reply('b', { event: 'yes' }),
      }),
    ).toThrow('branches "a" and "b" wait for yes')
  })
})

describe('when', () => {
  test('a step is left out, and not undone', async () => {
    const saga = defineSaga<{ gift: boolean }>('gift')
      .step('pack', noted('pack'))
      .step('wrap', { ...noted('wrap'), when: ({ gift }) => gift })
      .step('ship', { action: async () => refuse('NO', 'no') })
    const ids = [await begin(saga, { gift: false }), await begin(saga, { gift: true })] as const
    await drain(orchestratorOf(saga))
    expect(await entries(pool, ids[0])).toEqual(['pack', 'undo pack'])
    expect(await statusesOf(ids[0])).toMatchObject({ wrap: 'SKIPPED' })
    expect(await entries(pool, ids[1])).toEqual(['pack', 'wrap', 'undo wrap', 'undo pack'])
  })

  test('is asked once: after a crash the step is taken, also if the code says otherwise by then', async () => {
    const gone = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const sagaThatSays = (says: boolean, first?: () => Promise<void>) =>
      defineSaga('asked-once')
        .step('maybe', { ...noted('maybe', first), when: () => says })
        .step('last', noted('last'))
    const before = sagaThatSays(true, () => {
      reached.resolve()
      return gone.promise
    })
    const id = await begin(before)
    const lost = orchestratorOf(before).runOnce()
    await reached.promise
    await expireTurns(pool)
    await drain(orchestratorOf(sagaThatSays(false)))
    gone.resolve()
    await lost
    expect(await entries(pool, id)).toEqual(['maybe', 'last'])
  })

  test('one that throws ends the way forward', async () => {
    const saga = defineSaga('throws')
      .step('first', noted('first'))
      .timer('rest', {
        after: '1h',
        when: () => {
          throw new Error('no idea')
        },
      })
    const id = await begin(saga)
    await drain(orchestratorOf(saga))
    expect(await entries(pool, id)).toEqual(['first', 'undo first'])
    expect(await getSaga(pool, id)).toMatchObject({ error: { message: 'no idea' } })
  })
})

describe('time', () => {
  const inMs = async (ms: number) => new Date(Number((await readClock(pool)).now) + ms)

  test('sleeps until a time from the context, and not at all if that is over', async () => {
    const saga = defineSaga<{ at: string }>('until')
      .timer('dawn', { until: ({ at }) => at })
      .step('rise', noted('rise'))
    const orchestrator = orchestratorOf(saga)
    const at = await inMs(60_000)
    const [later, over, never] = [
      await begin(saga, { at: at.toISOString() }),
      await begin(saga, { at: (await inMs(-1)).toISOString() }),
      await begin(saga, { at: 'dawn' }),
    ]
    await drain(orchestrator)
    expect((await getSaga(pool, later))?.steps[0]).toMatchObject({ status: 'WAITING', dueAt: at })
    expect((await getSaga(pool, over))?.status).toBe('COMPLETED')
    expect(await getSaga(pool, never)).toMatchObject({
      status: 'COMPENSATED',
      error: { message: 'dawn is not a time' },
    })
    await advanceClock(pool, '1m')
    await drain(orchestrator)
    expect((await getSaga(pool, later))?.status).toBe('COMPLETED')
  })

  test('past its deadline a saga compensates, with the reason', async () => {
    const saga = defineSaga('deadline', { deadline: '10m' })
      .step('first', noted('first'))
      .reply('answered', { event: 'yes' })
    const orchestrator = orchestratorOf(saga)
    const [late, intime] = [await begin(saga), await begin(saga)]
    await drain(orchestrator)
    expect(await getSaga(pool, late)).toMatchObject({ deadlineAt: expect.any(Date) as Date })
    await advanceClock(pool, '9m')
    await answer(intime, 'yes')
    await drain(orchestrator)
    await advanceClock(pool, '61s')
    await drain(orchestrator)
    expect((await getSaga(pool, intime))?.status).toBe('COMPLETED')
    expect(await entries(pool, late)).toEqual(['first', 'undo first'])
    expect(await awaitSaga(pool, late)).toMatchObject({
      status: 'COMPENSATED',
      error: { code: 'SAGA_DEADLINE_EXCEEDED' },
    })
  })

  test('without a reply in time it does what it does otherwise, and nothing that comes later counts', async () => {
    const answered = noted('answered')
    const saga = defineSaga('otherwise').reply('answered', {
      ...answered,
      event: 'yes',
      timeout: '10m',
      otherwise: noted('otherwise', async (n) => {
        if (n === 1) throw new Error('busy')
      }).action,
    })
    const orchestrator = orchestratorOf(saga)
    const id = await begin(saga)
    await drain(orchestrator)
    await advanceClock(pool, '11m')
    await drain(orchestrator)
    await answer(id, 'yes')
    await advanceClock(pool, '1m')
    await drain(orchestrator)
    expect(await entries(pool, id)).toEqual(['otherwise'])
    expect((await getSaga(pool, id))?.steps[0]).toMatchObject({
      status: 'COMPLETED',
      timedOut: true,
    })
  })
})
