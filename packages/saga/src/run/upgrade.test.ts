import { fixed, toMessage, transaction, uuid, type Transaction } from '@posthorn/engine'
import { advanceClock, listAlerts, searchAudit, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import {
  acceptReply,
  cancelSaga,
  defineSaga,
  getSaga,
  refuse,
  sagaMigrations,
  startSaga,
  type AnySaga,
  type Upgrade,
} from '../index.ts'
import { LEDGER, drain, enter, entries, expireTurns } from '../testing/ledger.ts'
import { createOrchestrator } from '../testing/orchestrator.ts'

const db = await testDatabase({ migrations: [await sagaMigrations()], sql: LEDGER })
const { pool } = db
beforeAll(() => useMovableClock(pool))

const orchestratorOf = (...sagas: AnySaga[]) => createOrchestrator({ pool, sagas })

function begin(saga: AnySaga, input: object = {}) {
  return transaction(pool, async (tx) => (await startSaga(tx, saga, { input, tenant: 'acme' })).id)
}

function answer(sagaId: string) {
  const message = toMessage({ id: uuid(), type: 'go', payload: {}, headers: { 'saga-id': sagaId } })
  return transaction(pool, (tx) => acceptReply(tx, { consumer: 'test', message }))
}

const noted = (name: string) => ({
  retry: fixed('1m', { attempts: 2 }),
  action: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) => {
    await enter(tx, sagaId, name)
    return { data: { [name]: 1 } }
  },
  compensate: async (_context: object, tx: Transaction, { sagaId }: { sagaId: string }) =>
    enter(tx, sagaId, `undo ${name}`),
})

/** Reserves, waits for word, ships. */
const first = (name: string) =>
  defineSaga(name)
    .step('reserve', noted('reserve'))
    .reply('word', { event: 'go' })
    .step('ship', noted('ship'))

test('a registered version is pinned: its instances go on as they were begun', async () => {
  const old = first('pinned')
  const recent = defineSaga('pinned', { version: 2, upgrades: { 1: () => ({}) } }).step(
    'new',
    noted('new'),
  )
  const id = await begin(old)
  await drain(orchestratorOf(old, recent))
  await answer(id)
  await drain(orchestratorOf(old, recent))
  expect(await entries(pool, id)).toEqual(['reserve', 'ship'])
  expect((await getSaga(pool, id))?.version).toBe(1)
})

test('an upgraded instance goes on with the new steps, and the audit says so', async () => {
  const name = 'upgraded'
  const seen: unknown[] = []
  const upgrade: Upgrade = (old) => {
    seen.push(old)
    return {
      input: { ...old.input, currency: 'EUR' },
      renamed: { reserve: 'hold' },
      outputs: { hold: { held: 7 } },
    }
  }
  const recent = defineSaga<{ amount: number; currency: string }>(name, {
    version: 2,
    upgrades: { 1: upgrade },
  })
    .step('check', noted('check'))
    .step('hold', noted('hold'))
    .reply('word', { event: 'go' })
    .parallel({
      ship: (branch) => branch.step('ship', noted('ship')),
      mail: (branch) => branch.step('mail', noted('mail')),
    })
    .step('last', { action: async (context) => void seen.push(context) })
  const id = await begin(first(name), { amount: 5 })
  await drain(orchestratorOf(first(name)))
  await answer(id)
  await drain(orchestratorOf(recent))
  expect(seen).toEqual([
    { id, version: 1, input: { amount: 5 }, step: 'word', outputs: { reserve: { reserve: 1 } } },
    { amount: 5, currency: 'EUR', held: 7, ship: 1, mail: 1 },
  ])
  const found = await getSaga(pool, id)
  expect(found).toMatchObject({ status: 'COMPLETED', version: 2 })
  expect(found?.steps.map(({ name: step, status }) => `${step} ${status}`)).toEqual([
    // It came too late for this one.
    'check SKIPPED',
    'hold COMPLETED',
    'word COMPLETED',
    'ship COMPLETED',
    'mail COMPLETED',
    'last COMPLETED',
  ])
  const { items } = await searchAudit(pool, { search: id })
  expect(items).toMatchObject([
    {
      operation: 'upgrade saga',
      actor: 'ORCHESTRATOR',
      tenant: 'acme',
      reason: `${name} v1 is now v2`,
    },
  ])
})

test('what was done under the old version is undone under the new one', async () => {
  const name = 'undone'
  const recent = defineSaga(name, { version: 2, upgrades: { 1: () => ({ step: 'ship' }) } })
    .step('reserve', { ...noted('reserve'), ...{ compensate: noted('reserve v2').compensate } })
    .step('ship', { action: async () => refuse('NO', 'no') })
  const [id, cancelled] = [await begin(first(name)), await begin(first(name))]
  await drain(orchestratorOf(first(name)))
  await transaction(pool, (tx) => cancelSaga(tx, cancelled))
  await answer(id)
  await drain(orchestratorOf(recent))
  for (const each of [id, cancelled]) {
    expect(await entries(pool, each)).toEqual(['reserve', 'undo reserve v2'])
  }
})

test('an instance that the new version could not undo is left alone, with an alert', async () => {
  const name = 'refused'
  const without = (renamed: Record<string, null>) =>
    defineSaga(name, { version: 2, upgrades: { 1: () => ({ renamed }) } }).step(
      'ship',
      noted('ship'),
    )
  const id = await begin(first(name))
  await drain(orchestratorOf(first(name)))
  await answer(id)
  await drain(orchestratorOf(without({})))
  expect(await getSaga(pool, id)).toMatchObject({
    status: 'RUNNING',
    version: 1,
    held: { code: 'SAGA_UPGRADE_REFUSED' },
  })
  // That is no alert yet: another process may know its version.
  await pool.query(`update sagas.saga set held_at = held_at - interval '1 min' where id = $1`, [id])
  await advanceClock(pool, '6s')
  await drain(orchestratorOf(without({})))
  const { items } = await listAlerts(pool, { source: 'sagas' })
  expect(items).toContainEqual(
    expect.objectContaining({ subject: `${name} v1`, code: 'SAGA_UPGRADE_REFUSED' }),
  )
  // Said to be gone for good, it is forgotten.
  await advanceClock(pool, '6s')
  await drain(orchestratorOf(without({ reserve: null })))
  expect(await entries(pool, id)).toEqual(['reserve', 'ship'])
  expect((await getSaga(pool, id))?.status).toBe('COMPLETED')
})

test('a step that may have taken effect when its process was lost stays known to the new version', async () => {
  const name = 'in-doubt'
  const gone = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const old = defineSaga(name).step('charge', {
    action: async () => {
      reached.resolve()
      await gone.promise
    },
  })
  const recent = defineSaga(name, { version: 2, upgrades: { 1: () => ({ step: 'check' }) } })
    .step('check', { action: async () => refuse('NO', 'no') })
    .step('charge', noted('charge'))
  const id = await begin(old)
  const lost = orchestratorOf(old).runOnce()
  await reached.promise
  await expireTurns(pool)
  await drain(orchestratorOf(recent))
  gone.resolve()
  await lost
  expect(await entries(pool, id)).toEqual(['undo charge'])
  expect((await getSaga(pool, id))?.status).toBe('COMPENSATED')
})

test('only older versions are upgraded', () => {
  expect(() => defineSaga('newer', { version: 2, upgrades: { 2: () => ({}) } })).toThrow(
    'not older',
  )
})
