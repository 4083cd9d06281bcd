import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readBloat, readOverview } from './overview.ts'
import {
  inSql,
  listHeldKeys,
  outboxStats,
  selectStats,
  takeSamples,
} from '@posthorn/engine/internal'
import {
  createRelay,
  defineOutbox,
  delivered,
  enqueueAll,
  exponential,
  retryLater,
  silentLog,
  transaction,
  type Outbox,
} from '@posthorn/engine'
import { readHistory } from './history.ts'
import { everywhere, fakeTransport, testDatabase, viewTable } from '@posthorn/engine/testing'
import {
  SAMPLES,
  clubEvents,
  outboxTables,
  tripEvents,
  type TripEvent,
} from '../../../engine/src/testing/outboxes.ts'

const db = await testDatabase({ sql: outboxTables })
const { pool } = db
const boxes = SAMPLES.map(({ outbox }) => outbox)
const trips = tripEvents as unknown as Outbox
const soon = { timeout: 20_000 }

async function put(outbox: Outbox, count: number): Promise<void> {
  const sample = SAMPLES.find((each) => each.outbox.name === outbox.name)?.sample
  const rows = Array.from({ length: count }, (_, n) => sample?.(n) ?? {})
  await transaction(pool, (tx) => enqueueAll(tx, outbox, rows))
}

test('an empty database has an overview too', async () => {
  const { outboxes, alerts, clock, at } = await readOverview(pool, boxes)
  expect(outboxes.map(({ name }) => name)).toEqual(boxes.map(({ name }) => name))
  expect(alerts).toEqual({})
  expect(clock.aheadSeconds).toBe(0)
  expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(60_000)
  for (const outbox of outboxes) {
    expect(outbox).toMatchObject({
      due: 0,
      drainSeconds: 0,
      openAlerts: 0,
      alive: [],
      breakers: [],
      pause: undefined,
    })
  }
  await expect(readOverview(pool, [])).resolves.toMatchObject({ outboxes: [] })
})

test('a relay says which of its breakers are open, until it closes or leaves', async () => {
  const fragile = defineOutbox<TripEvent>({
    name: 'trips.events',
    table: 'trips.trip_outbox',
    states: {
      ready: 'PENDING',
      claimed: 'CLAIMED',
      sent: 'SENT',
      failing: 'FAILED',
      dead: 'DEAD_LETTER',
    },
    columns: { dueAt: 'next_retry_at', sentAt: 'sent_at', createdAt: 'created_at' },
    counter: { column: 'retry_count', bumps: 'on-failure' },
    claim: { lease: '1s', every: '200ms' },
    retry: exponential('100ms', { attempts: 100 }),
    breaker: { attempts: 2, failures: 0.5, probe: '1s' },
    destination: (row) => ({ transport: 'topics', topic: row.topic }),
    message: (row) => ({ id: row.id, type: row.event_type, payload: row.payload }),
  }) as unknown as Outbox
  const fake = fakeTransport(() => retryLater(new Error('down')))
  const transports = everywhere(fake, ['topics'])
  const relay = createRelay({ pool, outboxes: [fragile], transports, name: 'fragile' })
  await put(trips, 5)
  await relay.start()
  onTestFinished(() => relay.stop())
  const now = async () => (await readOverview(pool, [fragile])).outboxes[0]
  await expect
    .poll(async () => (await now())?.breakers, soon)
    .toMatchObject([
      {
        destination: expect.stringMatching(/^topics:/),
        relay: 'fragile',
        openSince: expect.any(Date),
        nextProbeAt: expect.any(Date),
        cause: { code: 'DELIVERY_FAILED', message: 'down' },
      },
    ])
  expect((await now())?.alive).toMatchObject([{ name: 'fragile' }])
  fake.answer = () => delivered()
  await expect.poll(async () => (await now())?.breakers, soon).toEqual([])
  await relay.stop()
  expect((await now())?.alive).toEqual([])
  await viewTable(pool, trips).empty()
})

describe('what waits', () => {
  test('is counted once a minute, by one of many, also by the key', async () => {
    // A relay of the test before may have counted in this minute.
    await pool.query('delete from posthorn.sample')
    const outboxes = [trips, clubEvents as unknown as Outbox]
    for (const outbox of outboxes) await put(outbox, 3)
    await Promise.all(
      Array.from({ length: 5 }, () => takeSamples(pool, outboxes, { log: silentLog })),
    )
    const { rows } = await pool.query(
      `select outbox, max(waiting)::int as waiting, max(due)::int as due, count(*)::int as n
         from posthorn.sample group by outbox order by outbox`,
    )
    expect(rows).toMatchObject([
      { outbox: 'clubs.events', waiting: 3, due: 3 },
      { outbox: 'trips.events', waiting: 3, due: 3 },
    ])
    // The minute may turn between two of them.
    for (const { n } of rows) expect(n).toBeLessThanOrEqual(2)
    const { outboxes: history } = await readHistory(pool, ['trips.events'], { minutes: 5 })
    expect(history['trips.events']).toHaveLength(5)
    expect(history['trips.events']?.some(({ waiting }) => waiting === 3)).toBe(true)
    expect(history['trips.events']?.at(-1)?.seconds).toBeLessThanOrEqual(60)
    expect(history['trips.events']?.at(0)?.seconds).toBe(60)
    expect(history['trips.events']?.findLast(({ due }) => due === 3)).toMatchObject({
      retrying: 0,
      oldestUndeliveredSeconds: expect.any(Number),
    })
    for (const outbox of outboxes) await viewTable(pool, outbox).empty()
  })

  test('is not read from end to end beside many finished rows, and stays about right', async () => {
    await pool.query(`
      insert into trips.trip_outbox (id, topic, event_type, payload, status, sent_at, next_retry_at)
      select gen_random_uuid(), 't', 'e', '{}', case when n > 210000 then 'PENDING' else 'SENT' end,
             case when n <= 210000 then now() end,
             now() + case when n % 2 = 0 then interval '1 hour' else interval '-1 hour' end
        from generate_series(1, 230000) as n`)
    await pool.query('delete from posthorn.sample')
    await pool.query('analyze trips.trip_outbox')
    const estimated = await outboxStats(pool, trips)
    expect(estimated.approximate).toBe(true)
    expect(estimated.counts['PENDING']).toBeGreaterThan(15_000)
    expect(estimated.counts['PENDING']).toBeLessThan(25_000)
    await takeSamples(pool, [trips], { log: silentLog })
    const sampled = await outboxStats(pool, trips)
    expect(sampled.counts['PENDING']).toBeGreaterThanOrEqual(19_999)
    expect(sampled.counts['PENDING']).toBeLessThanOrEqual(20_001)
    expect(sampled.counts['SENT']).toBeGreaterThan(205_000)
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off) ${selectStats(inSql(trips)).text}`,
    )
    const scans = rows
      .map((row) => row['QUERY PLAN'])
      .filter((line) => /Seq Scan on trip_outbox/.test(line))
    expect(scans.filter((line) => !line.includes('never executed'))).toEqual([])
    await pool.query('truncate trips.trip_outbox')
  })

  test('is counted whole in a small table, however much of it waits', async () => {
    await pool.query('delete from posthorn.sample')
    await put(trips, 6_000)
    const { counts, due, approximate } = await outboxStats(pool, trips)
    expect({ approximate, due, counts }).toMatchObject({
      approximate: false,
      due: 6_000,
      counts: { PENDING: 6_000 },
    })
    await pool.query('truncate trips.trip_outbox')
  })
})

test('keys that wait are listed, blocked ones first', async () => {
  await pool.query(`
    insert into posthorn.held_key (outbox, key, bucket, due_at, held_by)
    values ('clubs.events', 'later', 1, now() + interval '1 h', 'm1'),
           ('clubs.events', 'blocked', 1, null, 'm2'),
           ('clubs.events', 'soon', 1, now(), 'm3'),
           ('other', 'other', 1, null, 'm4')`)
  const held = await listHeldKeys(pool, { name: 'clubs.events' })
  expect(held.map(({ key }) => key)).toEqual(['blocked', 'soon', 'later'])
  expect(held[0]).toMatchObject({ dueAt: undefined, heldBy: 'm2' })
  expect(await listHeldKeys(pool, { name: 'clubs.events' }, { limit: 1 })).toHaveLength(1)
})

test('sessions that hold back vacuum are named', async () => {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read')
    await client.query('select count(*) from posthorn.relay')
    await pause(20)
    const { tables, horizons } = await readBloat(pool, boxes)
    expect(tables.find(({ outbox }) => outbox === 'trips.events')).toMatchObject({
      table: 'trips.trip_outbox',
      deadRows: expect.any(Number),
    })
    expect(
      tables.find(({ table }) => table === 'posthorn.transition')?.bytes,
    ).toBeGreaterThanOrEqual(0)
    expect(horizons.some(({ name }) => name.includes('idle in transaction'))).toBe(true)
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('a destination that fails is counted over the same minute as its outbox', async () => {
  await pool.query("delete from posthorn.pulse where outbox = 'trips.events'")
  await pool.query(`
    insert into posthorn.pulse (outbox, relay, at, delivered, failed, answered, unanswered)
    select 'trips.events', 'counted', date_trunc('minute', now()) - n * interval '1 minute', 600, 1200,
           '{"topics:a": 600}', '{"topics:a": 1200}'
      from generate_series(0, 2) as n`)
  const { failing, outboxes } = await readOverview(pool, [trips])
  expect(failing).toMatchObject([{ outbox: 'trips.events', destination: 'topics:a' }])
  const [{ answered, unanswered } = { answered: 0, unanswered: 0 }] = failing
  // At least this minute, and at most this one and the one before.
  expect(unanswered).toBeLessThanOrEqual(2_400)
  expect(unanswered).toBeGreaterThanOrEqual(1_200)
  expect(Math.abs((outboxes[0]?.attemptsPerSecond ?? 0) * 60 - answered - unanswered)).toBeLessThan(
    100,
  )
  await pool.query("delete from posthorn.pulse where relay = 'counted'")
})
