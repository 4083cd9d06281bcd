import { beforeEach, describe, expect, test } from 'vitest'
import { transaction } from '../database/transaction.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { delivered, retryLater, type Outcome } from '../outbox/outcome.ts'
import { createRelay } from '../relay/relay.ts'
import { everywhere, fakeTransport, testDatabase, testSession } from '../testing/index.ts'
import { SAMPLES, outboxTables } from '../testing/outboxes.ts'
import { isDown, watchDestinations } from './destinations.ts'
import type { DestinationReport } from './destinations.sql.ts'
import { watchBacklog, isBehind } from './watchdog.ts'

const db = await testDatabase({ sql: outboxTables })
const { outbox, sample } = SAMPLES.find(({ name }) => name === 'hooks.deliveries')!
const silent = { debug() {}, info() {}, warn() {}, error() {} }

const standing = async () => {
  const { rows } = await db.pool.query<{ subject: string; code: string; detail: string }>(
    'select subject, code, detail from posthorn.alert where recovered_at is null order by id',
  )
  return rows
}
const watch = () => watchDestinations(db.pool, [outbox], silent)

beforeEach(async () => {
  await db.pool.query('truncate posthorn.alert, posthorn.pulse, posthorn.sample')
})

test('a destination behind an open breaker is down until it answers', async () => {
  const session = await testSession(db.pool, outbox, 'one')
  const cause = { code: 'HTTP_503', message: 'closed' }
  const open = [{ destination: 'webhook:shop', openMs: 1_000, cause }]
  const pulse = { delivered: 0, failed: 12, dead: 0, lost: 0, unanswered: { 'webhook:shop': 12 } }
  await session.beat({
    pulses: new Map([[outbox.name, pulse]]),
    breakers: { [outbox.name]: open },
  })
  await watch()
  await watch()
  expect(await standing()).toEqual([
    {
      ...{ subject: 'webhook:shop', code: 'DESTINATION_DOWN' },
      detail:
        'webhook:shop is not tried: its circuit breaker is open. Last failure: HTTP_503: closed',
    },
  ])
  const answers = { delivered: 40, failed: 0, dead: 0, lost: 0, answered: { 'webhook:shop': 40 } }
  await session.beat({ pulses: new Map([[outbox.name, answers]]), breakers: {} })
  await watch()
  expect(await standing()).toEqual([])
})

test('what is down stays so while no relay is alive to say otherwise', async () => {
  await db.pool.query(
    `insert into posthorn.alert (source, subject, code, detail) values ($1, 'webhook:shop', 'DESTINATION_DOWN', 'x')`,
    [outbox.name],
  )
  await watch()
  expect(await standing()).toHaveLength(1)
  await testSession(db.pool, outbox, 'new')
  await watch()
  expect(await standing()).toEqual([])
})

test('relays say by themselves that attempts fail, and that they do no longer', async () => {
  const runOnce = async (answer: Outcome) => {
    const relay = createRelay({
      ...{ pool: db.pool, outboxes: [outbox], log: silent },
      transports: everywhere(
        fakeTransport(() => answer),
        ['topics'],
      ),
    })
    const rows = Array.from({ length: 15 }, (_, n) => sample(n))
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, rows))
    await relay.runOnce()
    await watch()
  }
  await runOnce(retryLater(new Error('down'), { after: '1h' }))
  expect(await standing()).toEqual([
    {
      ...{ subject: 'topics:shop', code: 'DESTINATION_DOWN' },
      detail: 'topics:shop: 15 of 15 attempts failed in the last ten minutes.',
    },
  ])
  await testSession(db.pool, outbox, 'alive')
  await runOnce(delivered())
  expect(await standing(), 'half of the attempts failed').toHaveLength(1)
  await runOnce(delivered())
  expect(await standing()).toEqual([])
})

describe('a destination with', () => {
  const calm: DestinationReport = {
    ...{ outbox: 'o', destination: 'd', open_since: null, cause: null },
    ...{ answered: 0, unanswered: 0, answered_long: 0, unanswered_long: 0 },
    ...{ stands: false, heard: true, waits: false },
  }
  const open = { open_since: new Date() }
  test.each<[string, Partial<DestinationReport>, boolean]>([
    ['an open breaker', { ...open, unanswered_long: 1 }, true],
    ['a breaker that is open since nothing is sent', open, false],
    ['an open breaker and messages that wait', { ...open, stands: true, waits: true }, true],
    ['ten failures', { unanswered: 10, unanswered_long: 10, answered_long: 9, answered: 9 }, true],
    [
      'failures among many answers',
      { unanswered: 26, unanswered_long: 26, answered: 895, answered_long: 895 },
      false,
    ],
    ['five failures in ten minutes', { unanswered_long: 5 }, true],
    ['four failures', { unanswered_long: 4 }, false],
    ['one answer among few failures', { unanswered_long: 5, answered_long: 1 }, false],
  ])('%s: %j', (_, report, down) => {
    expect(isDown({ ...calm, ...report })).toBe(down)
  })
})

describe('a backlog', () => {
  const sampled = (seconds: readonly number[]) =>
    db.pool.query(
      `insert into posthorn.sample (outbox, at, waiting, oldest_due_seconds)
       select $1, date_trunc('minute', now()) - n * interval '1 minute', 9, s
         from unnest($2::float8[]) with ordinality as u (s, nth), lateral (select nth - 1 as n) as x`,
      [outbox.name, seconds],
    )
  const look = () => watchBacklog(db.pool, outbox, silent)

  test('that is older than usual twice in a row is told of, until it is not', async () => {
    await sampled([900, 2])
    await look()
    expect(await standing()).toEqual([])
    await db.pool.query(
      'update posthorn.sample set oldest_due_seconds = 840 where oldest_due_seconds = 2',
    )
    await look()
    expect(await standing()).toEqual([
      {
        ...{ subject: outbox.name, code: 'OUTBOX_BEHIND' },
        detail: 'The oldest message is due for 840 s. Usually nothing waits.',
      },
    ])
    await db.pool.query(
      'update posthorn.sample set oldest_due_seconds = 3 where oldest_due_seconds = 900',
    )
    await look()
    expect(await standing()).toEqual([])
  })

  test('that a destination explains, or that is as old every day, is not', async () => {
    await sampled([900, 840])
    await db.pool.query(
      `insert into posthorn.alert (source, subject, code, detail) values ($1, 'd', 'DESTINATION_DOWN', 'x')`,
      [outbox.name],
    )
    await look()
    expect(await standing()).toMatchObject([{ code: 'DESTINATION_DOWN' }])
    await db.pool.query('truncate posthorn.alert')
    await db.pool.query(
      `insert into posthorn.sample (outbox, at, waiting, oldest_due_seconds)
       select $1, now() - interval '1 day' - n * interval '1 minute', 9, 500
         from generate_series(1, 100) as n`,
      [outbox.name],
    )
    await look()
    expect(await standing()).toEqual([])
  })

  test.each([
    [299, 0, false, false],
    [300, 0, false, true],
    [500, 300, false, false],
    [600, 300, false, true],
    [600, 300, true, false],
  ])('of %i s where %i s are usual, explained: %s', (seconds, usual, explained, behind) => {
    expect(isBehind({ seconds, usual, explained })).toBe(behind)
  })
})
