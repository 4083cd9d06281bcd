import { fixed, transaction } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/engine/operate'
import { testDatabase } from '@posthorn/engine/testing'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import {
  cancelSaga,
  createOrchestrator,
  defineSaga,
  getSaga,
  refuse,
  sagaMigrations,
  startSaga,
  type AnySaga,
} from './index.ts'
import { LEDGER, enter, entries, expireTurns } from './testing/ledger.ts'
import { WORLD, callWorld, listStanding, undoInWorld } from './testing/world.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: `${LEDGER};${WORLD}` })
const { pool } = db
beforeAll(() => useMovableClock(pool))

/** What happens when a step is tried: `dies` before or after its effect takes the whole process with it. */
type Fate = 'works' | 'throws' | 'throws after' | 'dies' | 'dies after' | 'refuses'

const STEPS = ['a', 'b', 'c', 'd'] as const

interface Plan {
  /** By step: what becomes of its attempts, one after the other; then it works. */
  readonly acts: readonly (readonly Fate[])[]
  readonly undoes: readonly (readonly Exclude<Fate, 'refuses'>[])[]
  /** Cancelled before this round. */
  readonly cancelAt: number | undefined
}

const fates = <Each extends Fate>(...all: Each[]) =>
  fc.array(fc.array(fc.constantFrom(...all), { maxLength: 2 }), { minLength: 4, maxLength: 4 })

const plans = fc.array(
  fc.record({
    acts: fates(
      'works',
      'works',
      'works',
      'throws',
      'throws after',
      'dies',
      'dies after',
      'refuses',
    ),
    undoes: fates('works', 'throws', 'throws after', 'dies', 'dies after'),
    cancelAt: fc.option(fc.nat(6), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 4 },
)

/** A process that is gone: what was under way in it never comes to an end, until the test is over. */
class Afterlife {
  readonly #end = Promise.withResolvers<never>()
  readonly ticks: Promise<unknown>[] = []

  die(): Promise<never> {
    return this.#end.promise
  }

  async close(): Promise<void> {
    this.#end.promise.catch(() => undefined)
    this.#end.reject(new Error('the process had died'))
    await Promise.all(this.ticks)
  }
}

function sagaOf(name: string, plan: Plan, afterlife: Afterlife): AnySaga {
  const visits = new Map<string, number>()
  const fateOf = (key: string, list: readonly Fate[] | undefined) => {
    const visit = visits.get(key) ?? 0
    visits.set(key, visit + 1)
    return list?.[visit] ?? 'works'
  }
  let saga: AnySaga = defineSaga(name)
  STEPS.forEach((step, i) => {
    saga = saga.step(step, {
      retry: fixed('1s', { attempts: 2 }),
      undoRetry: fixed('1s', { attempts: 5 }),
      action: async (_context: object, tx, { sagaId }) => {
        const fate = fateOf(step, plan.acts[i])
        if (fate === 'dies') await afterlife.die()
        if (fate === 'throws') throw new Error('before')
        if (fate === 'refuses') return refuse('NO', 'no')
        await callWorld(pool, sagaId, step)
        if (fate === 'dies after') await afterlife.die()
        await enter(tx, sagaId, step)
        if (fate === 'throws after') throw new Error('after')
        return {}
      },
      compensate: async (_context: object, tx, { sagaId }) => {
        const fate = fateOf(`undo ${step}`, plan.undoes[i])
        if (fate === 'dies') await afterlife.die()
        if (fate === 'throws') throw new Error('before')
        await undoInWorld(pool, sagaId, step)
        if (fate === 'dies after') await afterlife.die()
        await enter(tx, sagaId, `undo ${step}`)
        if (fate === 'throws after') throw new Error('after')
      },
    })
  })
  return saga
}

let runs = 0

test('after any crash or failure a saga ends complete or undone', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (given) => {
      const afterlife = new Afterlife()
      const sagas = given.map((plan) => sagaOf(`property-${(runs += 1)}`, plan, afterlife))
      const ids: string[] = []
      for (const saga of sagas) {
        ids.push((await transaction(pool, (tx) => startSaga(tx, saga, { input: {} }))).id)
      }
      for (let round = 0; round < 60; round += 1) {
        for (const [i, plan] of given.entries()) {
          if (plan.cancelAt === round) await transaction(pool, (tx) => cancelSaga(tx, ids[i] ?? ''))
        }
        const tick = createOrchestrator({ pool, sagas }).tick()
        afterlife.ticks.push(tick)
        const pause = new Promise((resolve) => setTimeout(resolve, 60))
        await Promise.race([tick, pause])
        await expireTurns(pool)
        await advanceClock(pool, '2s')
        const states = await Promise.all(ids.map((id) => getSaga(pool, id)))
        if (states.every((saga) => saga?.finishedAt)) break
      }
      await afterlife.close()
      for (const id of ids) await expectWhole(id)
    }),
    { numRuns: 12, endOnFailure: true },
  )
}, 120_000)

async function expectWhole(id: string): Promise<void> {
  const saga = await getSaga(pool, id)
  const done = await entries(pool, id)
  const acts = done.filter((entry) => !entry.startsWith('undo'))
  const undoes = done.filter((entry) => entry.startsWith('undo')).map((entry) => entry.slice(5))
  if (saga?.status === 'COMPLETED') {
    expect(done).toEqual([...STEPS])
    expect(await listStanding(pool, id)).toEqual([...STEPS])
    return
  }
  expect(saga?.status).toBe('COMPENSATED')
  expect(await listStanding(pool, id)).toEqual([])
  expect(acts).toEqual(STEPS.slice(0, acts.length))
  // Everything that was done is undone, last one first; the step in doubt may be among them.
  expect(undoes).toEqual(STEPS.slice(0, undoes.length).toReversed())
  expect(undoes.length - acts.length).toBeOneOf([0, 1])
  expect(done).toEqual([...acts, ...undoes.map((step) => `undo ${step}`)])
}
