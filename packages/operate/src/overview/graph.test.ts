import { beforeAll, describe, expect, test } from 'vitest'
import { advanceClock, cancel, replay, useMovableClock } from '@posthorn/engine/internal'
import {
  confirm,
  createRelay,
  delivered,
  enqueueAll,
  refused,
  retryLater,
  transaction,
  unreachable,
  type Outcome,
} from '@posthorn/engine'
import { outboxGraph, transitionRates } from './graph.ts'
import { everywhere, fakeTransport, testDatabase, viewTable } from '@posthorn/engine/testing'
import { SHAPES, outboxTables, tripEvents } from '../../../engine/src/testing/outboxes.ts'

const db = await testDatabase({ sql: outboxTables })

beforeAll(async () => useMovableClock(db.pool))

test('a graph names every state with its roles, and what moves messages', () => {
  expect(outboxGraph(tripEvents)).toEqual({
    nodes: [
      { state: 'PENDING', roles: ['ready', 'retry'] },
      { state: 'CLAIMED', roles: ['claimed'] },
      { state: 'SENT', roles: ['sent'] },
      { state: 'FAILED', roles: ['failing'] },
      { state: 'DEAD_LETTER', roles: ['dead'] },
    ],
    edges: [
      { from: undefined, to: 'PENDING', moves: ['enqueue'] },
      { from: 'PENDING', to: 'CLAIMED', moves: ['claim'] },
      { from: 'CLAIMED', to: 'SENT', moves: ['deliver'] },
      { from: 'CLAIMED', to: 'FAILED', moves: ['retry'] },
      { from: 'FAILED', to: 'PENDING', moves: ['retry'] },
      { from: 'FAILED', to: 'DEAD_LETTER', moves: ['die'] },
      { from: 'CLAIMED', to: 'PENDING', moves: ['release'] },
      { from: 'DEAD_LETTER', to: 'PENDING', moves: ['replay'] },
    ],
  })
})

describe.each(SHAPES)('the ways of $name', ({ outbox, sample }) => {
  const ANSWERS: readonly Outcome[] = [
    delivered(),
    retryLater(new Error('busy')),
    refused(new Error('never')),
    unreachable(new Error('down')),
  ]

  test('are all that its messages can take', async () => {
    await viewTable(db.pool, outbox).empty()
    let attempts = 0
    const fake = fakeTransport(() => ANSWERS[(attempts += 1) % ANSWERS.length] ?? delivered())
    const transports = everywhere(fake, ['topics'])
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
    const { rows } = await transaction(db.pool, async (tx) => {
      const made = Array.from({ length: 12 }, (_, n) => sample(n))
      return { rows: await enqueueAll(tx, outbox, made) }
    })
    for (let round = 0; round < 12; round += 1) {
      await relay.runOnce()
      await advanceClock(db.pool, '12h')
    }
    const ids = rows.map(({ id }) => id)
    await transaction(db.pool, async (tx) => {
      if (outbox.states.confirmed === undefined) return
      const outcomes = ids.map((id, n) => ({ id, outcome: ANSWERS[n % 3] ?? delivered() }))
      await confirm(tx, outbox, outcomes)
    })
    await transaction(db.pool, (tx) => replay(tx, outbox, { filter: {}, by: 'ops', limit: 2 }))
    if (outbox.states.cancelled !== undefined) {
      await transaction(db.pool, (tx) => cancel(tx, outbox, { ids, by: 'ops' }))
    }
    await relay.stop()
    const { pairs, seconds } = await transitionRates(db.pool, outbox)
    expect(seconds).toBe(60)
    expect(pairs.length).toBeGreaterThan(1)
    const known = outboxGraph(outbox).edges.map(({ from, to }) => `${from} → ${to}`)
    const strange = pairs
      .map(({ from, to }) => `${from} → ${to}`)
      .filter((way) => !known.includes(way))
    expect(strange).toEqual([])
  })
})

test('rates are of the last minute, or of as much as 20,000 transitions cover', async () => {
  await db.pool.query('delete from posthorn.transition')
  await db.pool.query(`
    insert into posthorn.transition (outbox, message_id, from_state, to_state, actor, at)
    select 'trips.events', n::text, 'CLAIMED', 'SENT', 'RELAY', clock_timestamp() - interval '2 minutes'
      from generate_series(1, 5) as n`)
  expect((await transitionRates(db.pool, tripEvents)).pairs).toEqual([])
  await db.pool.query(`
    insert into posthorn.transition (outbox, message_id, from_state, to_state, actor, at)
    select case when n % 2 = 0 then 'trips.events' else 'other' end, n::text, 'CLAIMED', 'SENT', 'RELAY',
           clock_timestamp() - (40000 - n) * interval '1 ms'
      from generate_series(1, 40000) as n`)
  const { seconds, pairs } = await transitionRates(db.pool, tripEvents)
  expect(seconds).toBeGreaterThanOrEqual(19)
  expect(seconds).toBeLessThan(50)
  const [pair] = pairs
  expect(pair).toMatchObject({ from: 'CLAIMED', to: 'SENT' })
  expect(pair?.perMinute).toBeGreaterThan(10_000)
  expect(pair?.perMinute).toBeLessThanOrEqual(33_000)
})
