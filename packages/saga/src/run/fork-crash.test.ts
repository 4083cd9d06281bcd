import { transaction } from '@posthorn/engine'
import { killAtPoint, killPoints, testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { getSaga, sagaMigrations, startSaga } from '../index.ts'
import { FORK_POINTS, forkingSaga, sendGo, straightSaga } from '../testing/crash-points.ts'
import { LEDGER, drain, entries, expireTurns, WORLD, listStanding } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: `${LEDGER};${WORLD}` })
const { pool } = db
const program = new URL('../testing/crash-process.ts', import.meta.url)
const saga = forkingSaga(pool, async () => undefined)

const all = FORK_POINTS.flatMap((point) =>
  point.startsWith('undo')
    ? [['badly', point] as const]
    : [['well', point] as const, ['badly', point] as const],
)

const cases = killPoints(all, {
  named: ([ends, point]) => `${ends} ${point}`,
  short: ['well upgraded', 'well left: called', 'badly right: written', 'badly undo left: called'],
})

test.each(cases)('side by side: ends %s after a kill at "%s"', async (ends, point) => {
  const { id } = await transaction(pool, (tx) => startSaga(tx, straightSaga, { input: { ends } }))
  await killAtPoint(program, point, {
    env: { DATABASE_URL: db.url, SIGNAL_TO: id },
    timeoutMs: 60_000,
  })
  await expireTurns(pool)
  const orchestrator = createOrchestrator({ pool, sagas: [saga] })
  await drain(orchestrator)
  // If it was killed before the saga was there to take it.
  await sendGo(pool, id, saga)
  await drain(orchestrator)

  const done = await entries(pool, id)
  const acts = done.filter((entry) => !entry.startsWith('undo'))
  expect(acts.slice(0, 1)).toEqual(['maybe'])
  const found = await getSaga(pool, id)
  expect(found?.steps.find(({ name }) => name === 'never')?.status).toBe('SKIPPED')
  if (ends === 'well') {
    expect(found).toMatchObject({ status: 'COMPLETED', version: 2 })
    expect(acts.at(-1)).toBe('join')
    expect(done.toSorted()).toEqual(['join', 'left', 'maybe', 'right', 'signal'])
    expect(await listStanding(pool, id)).toEqual(['left', 'maybe', 'right'])
  } else {
    expect(found).toMatchObject({ status: 'COMPENSATED', error: { code: 'NO' } })
    expect(acts.toSorted()).toEqual(['left', 'maybe', 'right', 'signal'])
    expect(done.slice(acts.length)).toEqual(['undo right', 'undo left', 'undo maybe'])
    expect(await listStanding(pool, id)).toEqual([])
  }
})
