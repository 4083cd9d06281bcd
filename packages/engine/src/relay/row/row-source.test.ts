import { beforeEach, expect, test } from 'vitest'
import { enqueueAll } from '../../enqueue/enqueue.ts'
import { poolHandle } from '../../database/pool-handle.ts'
import { transaction } from '../../database/transaction.ts'
import type { Outbox } from '../../outbox/define.ts'
import { delivered } from '../../outbox/outcome.ts'
import { testDatabase, viewTable } from '../../testing/index.ts'
import { SAMPLES, outboundLetters, outboxTables, parcelRows } from '../../testing/outboxes.ts'
import type { Claim } from '../settle/claim.ts'
import { DueFloor, RowSource } from './row-source.ts'
import { idOf, settlementOf } from '../settle/settlement.ts'

const BATCH = 10
const LOWEST = '00000000-0000-0000-0000-000000000000'
const FRONT = { floorDue: '-infinity', floorId: LOWEST, floorLateMs: 0 }
const at = (due: string, id: string) => [{ claim_upto: `${due}|${id}` }]

test('goes on behind a full claim, and to the front each second and at the end', () => {
  let now = 0
  const floor = new DueFloor('uuid', () => now)
  expect(floor.next()).toEqual(FRONT)
  floor.learn(floor.next(), { rows: at('2026-01-01', 'a'), isFull: true, ms: 5 })
  const second = floor.next()
  expect(second).toEqual({ floorDue: '2026-01-01', floorId: 'a', floorLateMs: 0 })
  floor.learn(second, { rows: at('2026-01-02', 'b'), isFull: true, ms: 5 })
  now = 999
  expect(floor.next()).toEqual({ floorDue: '2026-01-02', floorId: 'b', floorLateMs: 0 })
  now = 1_000
  expect(floor.next()).toEqual(FRONT)
  // A slow look from the front is followed by ten times its time without one.
  floor.learn(floor.next(), { rows: at('2026-01-03', 'c'), isFull: true, ms: 600 })
  now = 6_999
  expect(floor.next()).toEqual({ floorDue: '2026-01-03', floorId: 'c', floorLateMs: 0 })
  floor.learn(floor.next(), { rows: at('2026-01-04', 'd'), isFull: false, ms: 5 })
  expect(floor.next()).toEqual(FRONT)
})

test('in a flow it leaves the front out while that is slow, and owes it', () => {
  let now = 0
  const floor = new DueFloor('uuid', () => now)
  const learn = (due: string, ms: number) => {
    const from = floor.next()
    floor.learn(from, { rows: due === '' ? [] : at(due, 'a'), isFull: false, ms })
    return from
  }
  // Quick: always from the front.
  learn('2026-01-01', 1)
  expect([learn('2026-01-01', 1), floor.owedMs()]).toEqual([FRONT, undefined])
  // Slow: the front has just been looked at, so nothing is owed.
  learn('2026-01-02', 30)
  expect(floor.owedMs()).toBeUndefined()
  const second = { floorDue: '2026-01-02', floorId: LOWEST, floorLateMs: 1_000 }
  now = 100
  expect([learn('2026-01-03', 1), floor.owedMs()]).toEqual([second, 200])
  // A claim that found nothing leaves the floor where it is.
  const third = { floorDue: '2026-01-03', floorId: LOWEST, floorLateMs: 1_000 }
  expect(learn('', 1)).toEqual(third)
  expect([learn('', 1), floor.owedMs()]).toEqual([third, 200])
  now = 300
  expect([floor.owedMs(), floor.next()]).toEqual([0, FRONT])
  // Quick again: from the front from now on.
  learn('2026-01-04', 1)
  expect([floor.next(), floor.owedMs()]).toEqual([FRONT, undefined])
  learn('2026-01-05', 30)
  floor.reset()
  expect(floor.next()).toEqual(FRONT)
})

test('a look at the front that began before does not make up for one that is owed', () => {
  let now = 0
  const floor = new DueFloor('uuid', () => now)
  const front = floor.next()
  const one = (due: string, ms: number) => ({ rows: at(due, 'a'), isFull: false, ms })
  floor.learn(front, one('2026-01-01', 30))
  now = 100
  floor.learn(floor.next(), one('2026-01-02', 1))
  // Another lane's, of the moment before.
  now = 110
  floor.learn(front, one('2026-01-01', 30))
  expect(floor.owedMs()).toBe(300)
  now = 500
  floor.learn(front, one('2026-01-03', 30))
  expect(floor.owedMs()).toBeUndefined()
})

const db = await testDatabase({ sql: outboxTables })
const shapes = SAMPLES.filter(({ name }) => [parcelRows.name, outboundLetters.name].includes(name))

const sourceOf = (outbox: Outbox) => new RowSource(poolHandle(db.pool, { prepare: true }), outbox)
const settle = (source: RowSource, outbox: Outbox, claim: Claim) =>
  source.settle(
    claim,
    claim.rows.map((row) => settlementOf(outbox, row, { outcome: delivered(), backoffMs: 0 })),
  )

beforeEach(async () => {
  for (const { outbox } of shapes) await viewTable(db.pool, outbox).empty()
})

test.each(shapes)('in a backlog of $name nothing is hidden', async ({ outbox, sample }) => {
  const { table, columns } = outbox
  const put = (count: number, from: number) =>
    transaction(db.pool, (tx) =>
      enqueueAll(
        tx,
        outbox,
        Array.from({ length: count }, (_, n) => sample(from + n)),
      ),
    )
  const zombie = sourceOf(outbox)
  await put(BATCH, 0)
  const lost = (await zombie.claim('batch', BATCH)) as Claim
  const late = await db.pool.connect()
  await late.query('begin')
  const [written] = await put(3 * BATCH, 100)
  await late.query(
    `update ${table} set ${columns.dueAt} = ${columns.dueAt} where ${columns.id} = $1`,
    [written?.id],
  )
  const source = sourceOf(outbox)
  const arrived: string[] = []
  const next = async () => {
    const claim = await source.claim('batch', BATCH)
    if (!claim) return false
    if (claim.rows.length > 0) await settle(source, outbox, claim)
    arrived.push(...claim.rows.map((row) => idOf(outbox, row)))
    return true
  }
  await next()
  // Below the floor by now: one that is dated back, one that was locked, and all of a lost claim.
  const [early] = await put(1, 200)
  await db.pool.query(
    `update ${table} set ${columns.dueAt} = now() - interval '1 day' where ${columns.id} = $1`,
    [early?.id],
  )
  await late.query('commit')
  late.release()
  await viewTable(db.pool, outbox).expireLeases()
  while (await next());
  const states = await viewTable(db.pool, outbox).states()
  const lostIds = new Set(lost.rows.map((row) => idOf(outbox, row)))
  const expected = [...states.keys()].filter((id) => !lostIds.has(id))
  expect(arrived.toSorted()).toEqual(expected.toSorted())
})
