import fc from 'fast-check'
import { advanceClock, readClock, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { getSaga, sagaMigrations, type SagaDetails } from '../index.ts'
import { Driver } from '../testing/driver.ts'
import { LEDGER, entries, WORLD, listStanding } from '../testing/ledger.ts'
import { plans, stepsOf, type Plan } from '../testing/random-saga.ts'

/*
 * Any interleaving of steps side by side, replies, signals, timers, deadlines, conditions, failures,
 * processes that die or come back, and cancellations: a saga ends COMPLETED, COMPENSATED with every
 * done step undone once, or FAILED with an alert.
 */
const db = await testDatabase({ migrations: [await sagaMigrations()], sql: `${LEDGER};${WORLD}` })
const { pool } = db
beforeAll(() => useMovableClock(pool))

/** Sagas that run at the same time in one run. */
const SAGAS = 12
const RUNS = process.env['PROOF'] === 'full' ? 100 : 8
const MOST_ROUNDS = 80

let count = 0

test('after any crash, failure or cancellation a saga ends complete, undone or with an alert', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plans, { minLength: 1, maxLength: SAGAS, size: 'max' }),
      async (given) => {
        const now = (await readClock(pool)).now
        const at = new Date(now.getTime() + 120_000)
        const drivers = given.map((plan) => new Driver(pool, `property-${(count += 1)}`, plan))
        for (const driver of drivers) await driver.begin(at)
        for (let round = 0; round < MOST_ROUNDS; round += 1) {
          await Promise.all(drivers.map((driver) => driver.play(round)))
          const { rows } = await pool.query(
            `select from sagas.saga where finished_at is null and id = any($1)`,
            [drivers.map(({ id }) => id)],
          )
          if (rows.length === 0) break
          await advanceClock(pool, '1m')
        }
        await Promise.all(drivers.map((driver) => driver.close()))
        for (const { id, plan } of drivers) await expectWhole(id, plan)
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 300_000)

async function expectWhole(id: string, plan: Plan): Promise<void> {
  const saga = await getSaga(pool, id)
  const done = await entries(pool, id)
  const acts = done.filter((entry) => !entry.startsWith('undo'))
  const undoes = done.filter((entry) => entry.startsWith('undo')).map((entry) => entry.slice(5))
  // Each at most once, and nothing is begun any more once something was undone.
  expect(new Set(done).size).toBe(done.length)
  expect(done).toEqual([...acts, ...undoes.map((step) => `undo ${step}`)])
  expectOrder(acts, plan)
  const names = stepsOf(plan).map(({ name }) => name)
  expect(undoes).toEqual(names.filter((name) => undoes.includes(name)).toReversed())
  const standing = await listStanding(pool, id)
  if (saga?.status === 'COMPLETED') {
    expect(undoes).toEqual([])
    const taken = effectsOf(saga, plan).toSorted()
    expect(acts.toSorted()).toEqual(taken)
    expect(standing).toEqual(taken)
  } else if (saga?.status === 'COMPENSATED') {
    expect(standing).toEqual([])
    expect(undoes).toEqual(expect.arrayContaining(acts))
  } else {
    expect(saga).toMatchObject({ status: 'FAILED', error: { code: 'SAGA_STUCK' } })
    expect(stepsOf(plan).some(({ isStuck }) => isStuck)).toBe(true)
    const { rows } = await pool.query(
      `select code from posthorn.alert where subject = $1 and recovered_at is null`,
      [id],
    )
    expect(rows).toEqual([{ code: 'SAGA_STUCK' }])
  }
}

/** Steps with an effect that were taken; every other one was left out, and says so. */
function effectsOf(saga: SagaDetails, plan: Plan): string[] {
  const statuses = new Map(saga.steps.map(({ name, status }) => [name, status]))
  return stepsOf(plan).flatMap(({ name, kind, when }) => {
    const status = statuses.get(name)
    expect(status).toBeOneOf(when === undefined ? ['COMPLETED'] : ['COMPLETED', 'SKIPPED'])
    return status === 'COMPLETED' && kind !== 'timer' && kind !== 'until' ? [name] : []
  })
}

/** Units one after the other, and so the steps of each branch; branches in any order. */
function expectOrder(acts: readonly string[], { units }: Plan): void {
  const place = new Map(
    units.flatMap((branches, unit) =>
      branches.flatMap((steps, branch) =>
        steps.map(({ name }, step) => [name, { unit, branch, step }] as const),
      ),
    ),
  )
  acts.forEach((name, i) => {
    const later = place.get(name)
    for (const before of acts.slice(0, i)) {
      const earlier = place.get(before)
      if (!earlier || !later) throw new Error(`${before} or ${name} is none of the steps`)
      expect(earlier.unit).toBeLessThanOrEqual(later.unit)
      if (earlier.unit === later.unit && earlier.branch === later.branch) {
        expect(earlier.step).toBeLessThan(later.step)
      }
    }
  })
}
