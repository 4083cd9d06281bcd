import { transaction, type Transaction } from '@posthorn/engine'
import { killAtPoint, testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import {
  getSaga,
  sagaEvents,
  sagaMigrations,
  skipStep,
  startSaga,
  terminateSaga,
  type SagaStatus,
  type Steering,
} from '../index.ts'
import { CRASH_POINTS, bringReply, crashingSaga, type CrashPoint } from '../testing/crash-points.ts'
import { LEDGER, drain, entries, expireTurns, WORLD, listStanding } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: `${LEDGER};${WORLD}` })
const { pool } = db
const events = sagaEvents({ transport: 'topics' })
const program = new URL('../testing/crash-process.ts', import.meta.url)

/** Runs an orchestrator of its own until it stands at the point, and kills it there. */
function killAt(point: CrashPoint): Promise<void> {
  return killAtPoint(program, point, { env: { DATABASE_URL: db.url }, timeoutMs: 20_000 })
}

const ENDS = ['well', 'badly'] as const

/** Undoing happens only on the way back, and `c` refuses before it calls. */
function isPassed(ends: (typeof ENDS)[number], point: CrashPoint): boolean {
  if (ends === 'well') return !point.startsWith('undo')
  return point !== 'c: called' && point !== 'c: written'
}

const cases = CRASH_POINTS.flatMap((point) =>
  ENDS.filter((ends) => isPassed(ends, point)).map((ends) => [ends, point] as const),
)

test.each(cases)('ends %s after a kill at "%s"', async (ends, point) => {
  const saga = crashingSaga(pool, async () => undefined)
  const { id } = await transaction(pool, (tx) => startSaga(tx, saga, { input: { ends } }))
  await bringReply(pool, id)
  await killAt(point)
  await expireTurns(pool)
  const orchestrator = createOrchestrator({ pool, sagas: [saga], events })
  await drain(orchestrator)

  const found = await getSaga(pool, id)
  const done = ['a', 'b', 'reply', 'c']
  const sent = found?.events.map(({ type }) => type)
  if (ends === 'well') {
    expect(found?.status).toBe('COMPLETED')
    expect(await entries(pool, id)).toEqual(done)
    expect(await listStanding(pool, id)).toEqual(['a', 'b', 'c'])
    expect(sent).toEqual(['a', 'b', 'c'])
  } else {
    expect(found?.status).toBe('COMPENSATED')
    expect(await listStanding(pool, id)).toEqual([])
    // Killed in `c`, it may have taken effect: it is undone as well.
    const undone = point === 'c: begun' ? ['undo c', 'undo b', 'undo a'] : ['undo b', 'undo a']
    expect(await entries(pool, id)).toEqual([...done.slice(0, 3), ...undone])
    expect(sent).toEqual(['a', 'b'])
  }
})

test('wakes for a reply that came when the orchestrator was dead', async () => {
  const saga = crashingSaga(pool, async () => undefined)
  const { id } = await transaction(pool, (tx) => startSaga(tx, saga, { input: { ends: 'well' } }))
  // It sleeps, and its turn was never settled.
  await killAt('turn over')
  expect(await bringReply(pool, id)).toBe('woke')
  await expireTurns(pool)
  await drain(createOrchestrator({ pool, sagas: [saga], events }))
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
  expect(await entries(pool, id)).toEqual(['a', 'b', 'reply', 'c'])
})

const ada = { by: 'ada', reason: 'its process is gone' }

interface Rescue {
  readonly ends: (typeof ENDS)[number]
  readonly killed: CrashPoint
  act(tx: Transaction, id: string): Promise<Steering>
  readonly status: SagaStatus
  readonly ledger: readonly string[]
  readonly standing: readonly string[]
}

const RESCUES: Record<string, Rescue> = {
  skips: {
    ...{ ends: 'well', killed: 'b: called', status: 'COMPLETED' },
    act: (tx, id) => skipStep(tx, id, { ...ada, step: 'b' }),
    ...{ ledger: ['a', 'reply', 'c'], standing: ['a', 'b', 'c'] },
  },
  'skips the undoing': {
    ...{ ends: 'badly', killed: 'undo b: begun', status: 'COMPENSATED' },
    act: (tx, id) => skipStep(tx, id, { ...ada, step: 'b' }),
    ...{ ledger: ['a', 'b', 'reply', 'undo a'], standing: ['b'] },
  },
  terminates: {
    ...{ ends: 'badly', killed: 'undo b: written', status: 'TERMINATED' },
    act: (tx, id) => terminateSaga(tx, id, { ...ada, step: 'b' }),
    ...{ ledger: ['a', 'b', 'reply'], standing: ['a'] },
  },
}

test.each(Object.entries(RESCUES))(
  'an operator %s a step whose process was killed in it',
  async (_verb, { ends, killed, act, status, ledger, standing }) => {
    const saga = crashingSaga(pool, async () => undefined)
    const { id } = await transaction(pool, (tx) => startSaga(tx, saga, { input: { ends } }))
    await bringReply(pool, id)
    await killAt(killed)
    // Before the lease of the dead process has run out.
    expect(await transaction(pool, (tx) => act(tx, id))).toEqual({ done: true })
    await drain(createOrchestrator({ pool, sagas: [saga], events }))
    await expireTurns(pool)
    await drain(createOrchestrator({ pool, sagas: [saga], events }))
    expect((await getSaga(pool, id))?.status).toBe(status)
    expect(await entries(pool, id)).toEqual(ledger)
    expect(await listStanding(pool, id)).toEqual(standing)
  },
)
