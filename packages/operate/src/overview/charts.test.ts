import { expect, onTestFinished, test } from 'vitest'
import {
  advanceClock,
  latencyBucket,
  pause,
  percentile,
  resume,
  useMovableClock,
} from '@posthorn/engine/internal'
import {
  createRelay,
  delivered,
  enqueueAll,
  refused,
  retryLater,
  transaction,
  type Outbox,
} from '@posthorn/engine'
import { everywhere, fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { SAMPLES, outboxTables, tripEvents } from '../../../engine/src/testing/outboxes.ts'
import { readCharts, readDestinationCharts, readLagHistory } from './charts.ts'
import { sampleLag } from './overview.ts'

const db = await testDatabase({ sql: outboxTables })
const { pool } = db
const trips = tripEvents as unknown as Outbox
const sample = SAMPLES.find(({ outbox }) => outbox.name === trips.name)?.sample
const sum = (numbers: readonly (number | null)[] = []) =>
  numbers.reduce<number>((total, n) => total + (n ?? 0), 0)

async function put(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => sample?.(n) ?? {})
  await transaction(pool, (tx) => enqueueAll(tx, trips, rows))
}

test('a percentile is within its bucket, and none of nothing', () => {
  expect(percentile({}, 0.5)).toBeUndefined()
  for (const ms of [0, 1, 3, 47, 900, 12_345, 10_000_000]) {
    const p50 = percentile({ [latencyBucket(ms)]: 10 }, 0.5) ?? -1
    expect(p50).toBeGreaterThanOrEqual(ms === 0 ? 0 : ms / 2)
    expect(p50).toBeLessThanOrEqual(Math.max(1, ms * Math.SQRT2))
  }
  const counts = { [latencyBucket(10)]: 98, [latencyBucket(5_000)]: 2 }
  expect(percentile(counts, 0.5)).toBeLessThan(15)
  expect(percentile(counts, 0.99)).toBeGreaterThan(2_000)
})

test('what relays did becomes lines: latency, codes, destinations and marks', async () => {
  await useMovableClock(pool)
  const answers = [
    () => delivered(),
    () => retryLater(new Error('busy')),
    () => refused(Object.assign(new Error('no'), { code: 'NO' })),
  ]
  let n = 0
  const fake = fakeTransport(() => (answers[n++ % 3] ?? delivered)())
  const transports = everywhere(fake, ['topics'])
  const relay = createRelay({ pool, outboxes: [trips], transports, version: '7.1' })
  onTestFinished(() => relay.stop())
  await put(30)
  await relay.runOnce()
  await relay.runOnce()
  await transaction(pool, (tx) => pause(tx, trips, { by: 'ada', reason: 'a look' }))
  await advanceClock(pool, '1m', { actor: 'ada' })
  await relay.runOnce()
  const charts = await readCharts(pool, [trips.name], { minutes: 15 })
  expect(charts).toMatchObject({ stretchSeconds: 60, count: 15 })
  const chart = charts.outboxes[trips.name]
  expect(sum(chart?.delivered)).toBeGreaterThan(0)
  expect(sum(chart?.dead)).toBeGreaterThan(0)
  expect(sum(chart?.codes['NO'])).toBe(sum(chart?.dead))
  expect(chart?.latency.p99.filter((ms) => ms !== null).length).toBeGreaterThan(0)
  // Nothing waited for as long as the clock was moved by.
  for (const ms of chart?.latency.p50 ?? []) expect(ms ?? 0).toBeLessThan(55_000)
  expect(charts.latency).toEqual(chart?.latency)
  const [destination] = charts.destinations
  expect(destination).toMatchObject({ outbox: trips.name })
  expect(sum(destination?.answered) + sum(destination?.unanswered)).toBeGreaterThan(0)
  const name = destination?.destination ?? ''
  const asked = { outbox: trips.name, destinations: [name, 'topics:none'] }
  const own = await readDestinationCharts(pool, asked, { minutes: 15 })
  expect(own.destinations).toEqual([destination])
  expect(charts.marks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'deploy', text: '7.1' }),
      expect.objectContaining({ kind: 'pause', actor: 'ada', text: 'a look' }),
      expect.objectContaining({ kind: 'clock', text: '1m' }),
    ]),
  )
})

test('long times come in wider stretches, and nothing is counted twice', async () => {
  const [short, day, week] = await Promise.all(
    [180, 1_440, 10_080].map((minutes) => readCharts(pool, [trips.name], { minutes })),
  )
  expect([short?.count, day?.count, week?.count]).toEqual([180, 288, 336])
  const total = (charts: typeof short) => sum(charts?.outboxes[trips.name]?.delivered)
  expect(total(week)).toBe(total(short))
  expect(total(day)).toBe(total(short))
})

test('how far a group was behind is kept, the most of each minute', async () => {
  const group = { topic: 't', group: 'g', transport: 'kafka' }
  await sampleLag(pool, { lag: async () => 40 }, group)
  await pool.query('delete from posthorn.consumer_lag')
  await sampleLag(pool, { lag: async () => 7 }, group)
  const { consumers } = await readLagHistory(pool, { minutes: 5 })
  expect(consumers).toMatchObject([{ topic: 't', group: 'g' }])
  expect(consumers[0]?.lag).toContain(40)
})

test('the age of the oldest undelivered is a line of its own: what waits for a retry is not due', async () => {
  await pool.query(
    `insert into posthorn.sample (outbox, at, waiting, due, oldest_due_seconds, oldest_undelivered_seconds)
     values ('test.retrying', date_trunc('minute', now()) - interval '2 minutes', 3, 0, 0, 900)`,
  )
  const { outboxes } = await readCharts(pool, ['test.retrying'], { minutes: 15 })
  const chart = outboxes['test.retrying']
  expect(Math.max(...(chart?.oldestDueSeconds ?? []).map((n) => n ?? 0))).toBe(0)
  expect(Math.max(...(chart?.oldestUndeliveredSeconds ?? []).map((n) => n ?? 0))).toBe(900)
})

test('the lag of consumers has the marks of what was done meanwhile', async () => {
  await transaction(pool, (tx) => resume(tx, trips, { by: 'ada', reason: 'seen' }))
  await transaction(pool, (tx) => pause(tx, trips, { by: 'ada', reason: 'broker away' }))
  const { marks } = await readLagHistory(pool, { minutes: 15, outboxes: [trips.name] })
  expect(marks).toContainEqual(
    expect.objectContaining({ kind: 'pause', outbox: trips.name, text: 'broker away' }),
  )
})
