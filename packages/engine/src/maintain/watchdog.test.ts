import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { transaction } from '../database/transaction.ts'
import { enqueueAll } from '../enqueue/enqueue.ts'
import { pause } from '../control/pause.ts'
import { delivered, refused, unreachable } from '../outbox/outcome.ts'
import { createRelay } from '../relay/relay.ts'
import {
  everywhere,
  fakeTransport,
  testDatabase,
  viewTable,
  testSession,
} from '../testing/index.ts'
import { LOGGED, SAMPLES, outboxTables } from '../testing/outboxes.ts'
import { takeSamples } from './sample.ts'
import { outboxStats } from './stats.ts'
import { isStalled, watchOutbox } from './watchdog.ts'

const db = await testDatabase({ sql: outboxTables })

beforeAll(async () => useMovableClock(db.pool))

const silent = { debug() {}, info() {}, warn() {}, error() {} }

describe.each([...SAMPLES, LOGGED])('the watchdog on $name', ({ outbox, sample }) => {
  const view = viewTable(db.pool, outbox)
  /** Longer than any head may be the same. */
  const quickS = Math.max(60, (3 * (outbox.everyMs ?? 0)) / 1_000)
  const watch = () => watchOutbox(db.pool, outbox, silent)
  const put = async (count = 3) =>
    transaction(db.pool, (tx) =>
      enqueueAll(
        tx,
        outbox,
        Array.from({ length: count }, (_, n) => sample(n)),
      ),
    )
  const relayTo = (transport = fakeTransport()) =>
    createRelay({
      pool: db.pool,
      outboxes: [outbox],
      transports: everywhere(transport, ['topics', 'webhook', 'provider', 'rabbitmq']),
      log: silent,
    })
  /** As if what was noted had been noted so much earlier. */
  const age = (seconds: number) =>
    db.pool.query(`update posthorn.watch set since = since - $1 * interval '1 s'`, [seconds])
  const standing = async () => {
    const { rows } = await db.pool.query<{ code: string; detail: string }>(
      'select code, detail from posthorn.alert where source = $1 and recovered_at is null',
      [outbox.name],
    )
    return rows
  }

  beforeEach(async () => {
    await view.empty()
    await db.pool.query('delete from posthorn.watch')
  })

  test('raises one alert where nothing takes what is due, and ends it when something does', async () => {
    await put()
    await watch()
    await age(quickS - 1)
    await watch()
    expect(await standing()).toEqual([])
    await age(2)
    await watch()
    await watch()
    expect(await standing()).toEqual([
      { code: 'OUTBOX_STALLED', detail: expect.stringContaining('no relay runs for this outbox') },
    ])
    expect((await outboxStats(db.pool, outbox)).stalledSince).toBeInstanceOf(Date)
    const relay = relayTo()
    while ((await relay.runOnce()) > 0);
    await watch()
    expect(await standing()).toEqual([])
    expect((await outboxStats(db.pool, outbox)).stalledSince).toBeUndefined()
  })

  test('says that relays run and take nothing', async () => {
    await put()
    await watch()
    await age(3_600)
    await testSession(db.pool, outbox, 'blind')
    await watch()
    expect(await standing()).toEqual([
      { code: 'OUTBOX_STALLED', detail: expect.stringContaining('none of 1 relay takes it') },
    ])
  })

  test('says that the outbox is kept another way than by its relays', async () => {
    const setStorage = (storage: string) =>
      db.pool.query(
        `insert into posthorn.outbox (name, table_name, storage) values ($1, $2, $3)
             on conflict (name) do update set storage = excluded.storage`,
        [outbox.name, outbox.table, storage],
      )
    const own = outbox.log === undefined ? (outbox.order ? 'key' : 'row') : 'log'
    await setStorage(own === 'log' ? 'key' : 'log')
    await watch()
    await age(3_600)
    await watch()
    expect(await standing()).toMatchObject([{ code: 'OUTBOX_STALLED' }])
    await setStorage(own)
    await watch()
    expect(await standing()).toEqual([])
  })

  test('is run with the samples', async () => {
    await put()
    await db.pool.query('delete from posthorn.sample')
    await takeSamples(db.pool, [outbox], { log: silent })
    const { rows } = await db.pool.query('select from posthorn.watch where outbox = $1', [
      outbox.name,
    ])
    expect(rows.length).toBeGreaterThan(0)
  })

  const quiet = async () => {
    await watch()
    await age(86_400)
    await watch()
    expect(await standing()).toEqual([])
  }

  test('is quiet about an outbox that is paused', async () => {
    await put()
    await transaction(db.pool, (tx) => pause(tx, outbox, { by: 'ops', reason: 'maintenance' }))
    await quiet()
  })

  test('is quiet about a destination that a relay does not try', async () => {
    await put()
    const breakers = [{ destination: 'webhook:shop', openMs: 1_000, cause: undefined }]
    const session = await testSession(db.pool, outbox, 'one')
    await session.beat({ pulses: new Map(), breakers: { [outbox.name]: breakers as never } })
    await quiet()
  })

  test('is quiet about messages for later, and about a clock that was moved', async () => {
    await transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(1)], { delay: '6h' }))
    await quiet()
    await advanceClock(db.pool, '7h')
    await watch()
    expect(await standing()).toEqual([])
  })

  test('is quiet about a dead message and its key', async () => {
    await put(1)
    const relay = relayTo(fakeTransport(() => refused('no')))
    while ((await relay.runOnce()) > 0);
    await put(1)
    while ((await relay.runOnce()) > 0);
    const dead = (await standing()).length
    await watch()
    await age(86_400)
    await watch()
    expect((await standing()).filter(({ code }) => code === 'OUTBOX_STALLED')).toEqual([])
    expect(await standing()).toHaveLength(dead)
  })

  test('is quiet about what a relay has in hand, until longer than a call may take', async () => {
    await put(1)
    const reached = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<ReturnType<typeof delivered>>()
    const relay = relayTo(
      fakeTransport(() => {
        reached.resolve()
        return answer.promise
      }),
    )
    const ticking = relay.runOnce()
    await reached.promise
    await put(1)
    await watch()
    await age(quickS + 60)
    await watch()
    expect(await standing()).toEqual([])
    answer.resolve(delivered())
    await ticking
  })

  test('is quiet while heads move', async () => {
    for (let round = 0; round < 3; round += 1) {
      await put(1)
      await watch()
      await age(50)
      const relay = relayTo()
      while ((await relay.runOnce()) > 0);
    }
    expect(await standing()).toEqual([])
  })
})

describe('a head that is the same for', () => {
  const given = {
    everyMs: 5_000,
    attemptMs: 300_000,
    limit: undefined,
    fair: undefined,
    columns: {},
  }
  const calm = { paused: false, broken: false, busy: false, relays: 1 }
  const limit = { atOnce: 1, rate: undefined, perMs: 1_000, by: undefined }

  test.each([
    ['a minute', [60_000], {}, {}, true],
    ['less', [59_000], {}, {}, false],
    ['a minute, where polls are rarer', [60_000], { everyMs: 30_000 }, {}, false],
    ['a minute beside calls', [60_000], {}, { busy: true }, false],
    ['longer than a call beside calls', [360_000], {}, { busy: true }, true],
    ['a minute beside heads that move', [60_000, 1_000], {}, {}, false],
    ['long beside heads that move', [360_000, 1_000], {}, {}, true],
    ['a minute under a limit', [60_000], { limit }, {}, false],
    ['a day in a pause', [86_400_000], {}, { paused: true }, false],
    ['a day behind a breaker', [86_400_000], {}, { broken: true }, false],
  ])('%s: %j', (_, ages, rules, circumstances, stalled) => {
    const outbox = { ...given, ...rules } as unknown as Parameters<typeof isStalled>[0]
    expect(isStalled(outbox, ages, { ...calm, ...circumstances })).toBe(stalled)
  })
})

describe('a message that is tried without end', () => {
  const { outbox, sample } = SAMPLES.find(({ name }) => name === 'trips.events')!
  const stuck = async () => {
    const { rows } = await db.pool.query<{ subject: string; recovered: boolean }>(
      `select subject, recovered_at is not null as recovered from posthorn.alert where code = 'MESSAGE_STUCK'`,
    )
    return rows
  }

  test('raises an alert while others go through, which ends with it', async () => {
    await viewTable(db.pool, outbox).empty()
    const put = (n: number) => transaction(db.pool, (tx) => enqueueAll(tx, outbox, [sample(n)]))
    const [id = ''] = (await put(0)).map((enqueued) => enqueued.id)
    const transport = fakeTransport((message) =>
      message.id === id ? unreachable(new Error('connection terminated')) : delivered(),
    )
    const relay = createRelay({
      ...{
        pool: db.pool,
        outboxes: [outbox],
        transports: everywhere(transport, ['topics', 'webhook', 'provider', 'rabbitmq']),
        log: silent,
      },
    })
    const tries = () => transport.attempted.filter((message) => message.id === id).length
    for (let round = 1; round < 60 && tries() < 20; round += 1) {
      expect(await stuck()).toEqual([])
      await put(1 + (round % 9))
      await relay.runOnce()
      await advanceClock(db.pool, '10m')
    }
    expect(tries()).toBe(20)
    expect(await stuck()).toEqual([{ subject: id, recovered: false }])
    await watchOutbox(db.pool, outbox, silent)
    expect(await stuck()).toEqual([{ subject: id, recovered: false }])
    transport.answer = () => delivered()
    await advanceClock(db.pool, '10m')
    while ((await relay.runOnce()) > 0);
    await watchOutbox(db.pool, outbox, silent)
    expect(await stuck()).toEqual([{ subject: id, recovered: true }])
  })
})
