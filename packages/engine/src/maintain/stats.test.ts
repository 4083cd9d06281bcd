import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { pause } from '../control/pause.ts'
import type { Outbox } from '../outbox/define.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { delivered, refused, retryLater } from '../outbox/outcome.ts'
import { createRelay } from '../relay/relay.ts'
import { PosthornError } from '../errors.ts'
import { selectStats } from './stats.sql.ts'
import { outboxStats } from './stats.ts'
import {
  everywhere,
  fakeTransport,
  testDatabase,
  viewTable,
  testSession,
} from '../testing/index.ts'
import {
  LOGGED,
  SHAPES,
  clubEvents,
  outboundLetters,
  outboxTables,
  tripEvents,
} from '../testing/outboxes.ts'
import { transaction } from '../database/transaction.ts'
import { inSql } from '../outbox/resolved-definition.ts'

const db = await testDatabase({ sql: outboxTables })

beforeAll(async () => useMovableClock(db.pool))

describe.each([...SHAPES, LOGGED])('stats of $name', ({ outbox, sample }) => {
  const { states, counter } = outbox
  const stats = () => outboxStats(db.pool, outbox)
  const put = (count: number) =>
    transaction(db.pool, (tx) =>
      enqueueAll(
        tx,
        outbox,
        Array.from({ length: count }, (_, n) => sample(n)),
      ),
    )

  beforeEach(async () => viewTable(db.pool, outbox).empty())

  test('of an empty table are zero', async () => {
    const found = await stats()
    expect(new Set(Object.values(found.counts))).toEqual(new Set([0]))
    expect(Object.keys(found.counts).toSorted()).toEqual(found.states.toSorted())
    expect(found).toMatchObject({
      name: outbox.name,
      approximate: false,
      oldestDueSeconds: 0,
      perSecond: 0,
      attemptsPerSecond: 0,
      failureRate: 0,
      relays: 0,
      paused: false,
      heldKeys: 0,
      blockedKeys: 0,
      quarantined: 0,
    })
  })

  test('tell what waits, and for how long by the business clock', async () => {
    await put(5)
    await advanceClock(db.pool, '1h')
    await put(2)
    const { counts, oldestDueSeconds } = await stats()
    expect(counts[String(states.ready)]).toBe(7)
    expect(oldestDueSeconds).toBeGreaterThan(3_600)
    expect(oldestDueSeconds).toBeLessThan(3_660)
  })

  test('do not call due what is not due yet', async () => {
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(1)], { delay: '1h' }))
    expect((await stats()).oldestDueSeconds).toBe(0)
  })

  test('tell what a relay did', async () => {
    await put(10)
    // In the ordered outbox there are ten keys, so that no failure holds back another message.
    let attempts = 0
    const transport = fakeTransport(() => {
      attempts += 1
      if (attempts <= 6) return delivered()
      return attempts <= 9 ? retryLater(new Error('busy')) : refused(new Error('never'))
    })
    const transports = everywhere(transport, ['topics'])
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
    for (let i = 0; i < 5 && transport.attempted.length < 10; i += 1) await relay.runOnce()
    await relay.runOnce()
    const found = await stats()
    const waits = counter.bumps === 'on-retry-claim' ? states.ready : states.retry
    const dead = states.dead ?? states.retry
    const expected: Record<string, number> = Object.fromEntries(found.states.map((s) => [s, 0]))
    expected[String(states.sent)] = 6
    expected[String(waits)] = 3
    expected[String(dead)]! += 1
    expect(found.counts).toEqual(expected)
    expect(found.failureRate).toBeCloseTo(0.4)
    expect(found.relays, 'a look is over when it is over').toBe(0)
    // A dead message holds its key only where it blocks.
    const held = states.dead === undefined ? 4 : 3
    expect(found.heldKeys).toBe(outbox.order ? held : 0)
  })

  test('in an outage tell what is tried again from what is for later, and how old it is', async () => {
    await put(3)
    await transaction(db.pool, (tx) =>
      enqueueAll(tx, outbox, [sample(7), sample(8)], { delay: '1h' }),
    )
    const down = fakeTransport(() => retryLater(new Error('down'), { after: '1h' }))
    const transports = everywhere(down, ['topics'])
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
    for (let i = 0; i < 5 && down.attempted.length < 3; i += 1) await relay.runOnce()
    await relay.runOnce()
    const { createdAt } = outbox.columns
    if (createdAt) {
      await db.pool.query(
        `update ${outbox.exceptions ?? outbox.table} set ${createdAt} = ${createdAt} - interval '10 minutes'`,
      )
    }
    const found = await stats()
    expect(found).toMatchObject({ due: 0, retrying: 3, scheduled: 2, oldestDueSeconds: 0 })
    if (createdAt) expect(found.oldestUndeliveredSeconds).toBeGreaterThanOrEqual(600)
  })

  test('tell what was postponed from what failed and what is for later', async () => {
    const { columns } = outbox
    // Without a code and a count nobody can tell.
    if (!columns.errorCode && counter.unreachable !== 'charged') return
    await put(2)
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(7)], { delay: '1h' }))
    const open = new PosthornError('BREAKER_OPEN')
    const waits = fakeTransport(() => retryLater(open, { after: '1h', charge: false }))
    const transports = everywhere(waits, ['topics'])
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
    for (let i = 0; i < 5 && waits.attempted.length < 2; i += 1) await relay.runOnce()
    await relay.runOnce()
    expect(await stats()).toMatchObject({ due: 0, retrying: 0, postponed: 2, scheduled: 1 })
  })

  test('tell since when messages are dead', async () => {
    if (states.dead === undefined) return
    await put(1)
    expect((await stats()).deadSince).toBeUndefined()
    const transports = everywhere(
      fakeTransport(() => refused(new Error('never'))),
      ['topics'],
    )
    const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports, mode: 'poll' })
    const before = Date.now() - 60_000
    for (let i = 0; i < 3; i += 1) await relay.runOnce()
    expect((await stats()).deadSince?.getTime()).toBeGreaterThan(before)
  })

  test('tell what cannot be read', async () => {
    await put(1)
    const unreadable: Outbox = {
      ...outbox,
      message: () => {
        throw new Error('no such version')
      },
    }
    const transports = everywhere(fakeTransport(), ['topics'])
    const relay = createRelay({ pool: db.pool, outboxes: [unreadable], transports, mode: 'poll' })
    for (let i = 0; i < 3; i += 1) await relay.runOnce()
    const { counts, quarantined, blockedKeys } = await stats()
    expect(counts[String(states.dead ?? states.ready)]).toBe(1)
    expect(quarantined).toBe(states.dead === undefined ? 1 : 0)
    expect(blockedKeys).toBe(outbox.order?.dead === 'block' ? 1 : 0)
  })

  test('tell the speed of the last minute from this one and the one before', async () => {
    const session = await testSession(db.pool, outbox, 'r')
    const pulse = { delivered: 240, failed: 30, dead: 30, lost: 0 }
    await session.beat({ pulses: new Map([[outbox.name, pulse]]), breakers: undefined })
    // Five minutes' worth, all too old to count.
    await db.pool.query(
      `insert into posthorn.pulse (outbox, relay, at, delivered)
       select $1, 'r', date_trunc('minute', now()) - n * interval '1 minute', 1000
         from generate_series(2, 6) as n`,
      [outbox.name],
    )
    const found = await stats()
    // The minute may have turned since: then a part of it is left.
    expect(found.perSecond).toBeGreaterThan(3)
    expect(found.perSecond).toBeLessThanOrEqual(4)
    expect(found.failureRate).toBeCloseTo(0.2)
    expect(found.relays).toBe(1)
  })

  test('tell a pause', async () => {
    await transaction(db.pool, (tx) => pause(tx, outbox, { by: 'ops' }))
    expect((await stats()).paused).toBe(true)
  })
})

describe('with many finished rows', () => {
  const many: Record<string, string> = {
    'parcels.rows': `insert into parcels.parcel_row (id, tour_id, address_id, status, published_at)
      select gen_random_uuid(), gen_random_uuid(), 'c', 'SUCCESS', now() from generate_series(1, 210000)`,
    'letters.outbound': `insert into letters.outbound_letter
        (id, org_id, idempotency_key, channel, to_recipient, payload_json, status)
      select gen_random_uuid(), 'o', n, 'c', 'r', '{}',
             case when n % 10 = 0 then 'CANCELLED' else 'DELIVERED' end
        from generate_series(1, 210000) as n`,
    'clubs.events': `insert into clubs.outbox_events
        (event_id, event_type, aggregate_type, aggregate_id, payload, status, processed_at)
      select gen_random_uuid(), 't', 'a', gen_random_uuid(), '{}', 1, now() from generate_series(1, 210000)`,
  }

  test.each(SHAPES)('$name is not read from end to end', async ({ outbox, sample }) => {
    await viewTable(db.pool, outbox).empty()
    await db.pool.query(many[outbox.name]!)
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(1), sample(2), sample(3)]))
    const { states } = outbox
    const last = String(states.confirmed ?? states.sent)

    await db.pool.query(`analyze ${outbox.table}`)
    const { approximate, counts } = await outboxStats(db.pool, outbox)
    expect(approximate).toBe(true)
    expect(counts[String(states.ready)]).toBe(3)
    const cancelled = outbox.name === 'letters.outbound' ? counts['CANCELLED']! : 0
    if (outbox.name === 'letters.outbound') {
      expect(cancelled).toBeGreaterThan(17_000)
      expect(cancelled).toBeLessThan(25_000)
    }
    expect(counts[last]! + cancelled).toBeGreaterThan(209_000)
    expect(counts[last]! + cancelled).toBeLessThan(211_000)

    expect(await scansOf(outbox)).toEqual([])
    await db.pool.query(`truncate ${outbox.table}`)
  })

  /** Sequential scans of the outbox's table that were carried out. */
  async function scansOf(outbox: Outbox): Promise<Plan[]> {
    const { rows } = await db.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${selectStats(inSql(outbox)).text}`,
    )
    const nodes: Plan[] = []
    const visit = (plan: Plan) => {
      nodes.push(plan)
      plan.Plans?.forEach(visit)
    }
    visit(rows[0]!['QUERY PLAN'][0].Plan)
    const table = outbox.table.split('.')[1]
    const ofTable = nodes.filter((node) => node['Relation Name'] === table)
    expect(ofTable.length).toBeGreaterThan(1)
    return ofTable.filter((node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0)
  }

  interface Plan {
    readonly 'Node Type': string
    readonly 'Relation Name'?: string
    readonly 'Actual Loops': number
    readonly Plans?: readonly Plan[]
  }
})

describe('quarantine in a large table', () => {
  test('is counted where there is an index for it', async () => {
    await viewTable(db.pool, clubEvents as unknown as Outbox).empty()
    await db.pool.query(`
      insert into clubs.outbox_events
        (event_id, event_type, aggregate_type, aggregate_id, payload, status, quarantined_at)
      select gen_random_uuid(), 't', 'a', gen_random_uuid(), '{}',
             (n > 7)::int, case when n <= 7 then now() end
        from generate_series(1, 210000) as n`)
    // Never analysed: the size alone says that it is large.
    const found = await outboxStats(db.pool, clubEvents)
    expect(found).toMatchObject({ quarantined: 7, counts: { 0: 7 } })
    await db.pool.query('truncate clubs.outbox_events')
  })
})

test('the states are all words of the table, in the order of a life', async () => {
  expect((await outboxStats(db.pool, tripEvents)).states).toEqual([
    'PENDING',
    'CLAIMED',
    'FAILED',
    'SENT',
    'DEAD_LETTER',
  ])
  expect((await outboxStats(db.pool, clubEvents)).states).toEqual(['0', '1'])
  expect((await outboxStats(db.pool, outboundLetters)).states).toEqual([
    'QUEUED',
    'SENDING',
    'SENT',
    'DELIVERED',
    'FAILED',
    'CANCELLED',
  ])
})
