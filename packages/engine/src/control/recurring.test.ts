import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { transaction } from '../database/transaction.ts'
import { posthorn } from '../host/posthorn.ts'
import { outbox, type RecurringMessage } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { delivered } from '../outbox/outcome.ts'
import type { Outbox } from '../outbox/define.ts'
import type { Occurrence } from '../outbox/recurring.ts'
import { testDatabase } from '../testing/index.ts'
import { searchAudit } from '@posthorn/operate'
import { listRecurring, pauseRecurring, resumeRecurring, runRecurring } from './recurring.ts'

const { pool } = await testDatabase()
const transports = {
  sink: {
    deliver: async (batch: readonly unknown[]) => batch.map(() => delivered()),
    close: async () => undefined,
  },
}

type Rule = Partial<RecurringMessage<Record<string, unknown>>>

const message = ({ name, at }: Occurrence) => ({ type: 'report.due', payload: { name, at } })

const boxWith = (rule: Rule = {}) =>
  outbox('shop.reports', {
    destination: { transport: 'sink', topic: 'reports' },
    recurring: { hourly: { every: '1h', message, ...rule } as never },
  }) as unknown as Outbox

const openApp = (box: Outbox) => posthorn({ pool, log: silentLog, transports, outboxes: [box] })

const which = { outbox: 'shop.reports', name: 'hourly' }
const ada = { by: 'ada', reason: 'month end' }

const pauseIt = (by = ada) => transaction(pool, (tx) => pauseRecurring(tx, which, by))
const resumeIt = (how: { missed?: 'skip' } = {}) =>
  transaction(pool, (tx) => resumeRecurring(tx, which, { by: 'bob', ...how }))
const runIt = (box: Outbox, seen?: Date | null) =>
  transaction(pool, (tx) =>
    runRecurring(tx, box, { name: 'hourly', ...ada, ...(seen !== undefined && { seen }) }),
  )

const count = async () => {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from shop.reports')
  return rows[0]?.n
}
const status = async () => (await listRecurring(pool, { outbox: 'shop.reports' }))[0]
/** What stood in the audit before the test: it can only be added to. */
let before = 0
const operations = async () => {
  const { items } = await searchAudit(pool, { kind: 'operation', outbox: 'shop.reports' })
  return items.flatMap((each) =>
    each.kind === 'operation' ? [`${each.actor} ${each.operation} ${each.subject}`] : [],
  )
}
const audited = async () => {
  const all = await operations()
  return all.slice(0, all.length - before)
}

/** Half past an hour, so that no time is within the minute that `skip` waits for. */
const moveHours = async (hours: number) => {
  const { rows } = await pool.query<{ ms: number }>(
    `select 5400000 - (extract(epoch from posthorn.now()) * 1000)::bigint % 3600000 as ms`,
  )
  await advanceClock(pool, `${Number(rows[0]?.ms) + (hours - 1) * 3_600_000}ms`)
}

beforeAll(async () => {
  await useMovableClock(pool)
  await openApp(boxWith()).setUp()
})

beforeEach(async () => {
  await pool.query('truncate shop.reports, posthorn.recurring')
  before = (await operations()).length
})

describe('a recurring message that is paused', () => {
  test('is not enqueued, says who paused it, and is paused once', async () => {
    const app = openApp(boxWith())
    await app.runOnce()
    const [first, second] = await Promise.all([pauseIt(), pauseIt({ by: 'bob', reason: 'me too' })])
    expect(new Set([first?.changed, second?.changed])).toEqual(new Set([true, false]))
    expect(first?.status.paused?.by).toBe(second?.status.paused?.by)
    await moveHours(3)
    await app.runOnce()
    expect(await count()).toBe(0)
    expect(await status()).toMatchObject({
      inWords: 'every hour',
      missed: 'latest',
      overdue: false,
      paused: { at: expect.any(Date), by: first?.status.paused?.by },
    })
    expect(await audited()).toEqual([expect.stringMatching(/^(ada|bob) pause-recurring hourly$/)])
  })

  test.each([
    ['latest', {}, 1],
    ['all', {}, 3],
    ['skip', {}, 0],
    ['all', { missed: 'skip' as const }, 0],
  ] as const)('goes on as `%s` %j has it', async (missed, how, more) => {
    const app = openApp(boxWith({ missed }))
    await app.runOnce()
    await moveHours(1)
    await app.runOnce()
    const made = (await count()) ?? 0
    await pauseIt()
    await moveHours(3)
    expect(await resumeIt(how)).toMatchObject({ changed: true, status: { paused: undefined } })
    expect(await resumeIt(how)).toMatchObject({ changed: false })
    await app.runOnce()
    expect(((await count()) ?? 0) - made).toBe(more)
    await moveHours(1)
    await app.runOnce()
    expect(await status()).toMatchObject({ overdue: false })
    expect(await audited()).toEqual(['bob resume-recurring hourly', 'ada pause-recurring hourly'])
  })

  test('wakes a relay that runs when it goes on', async () => {
    const app = openApp(boxWith())
    await app.runOnce()
    await pauseIt()
    await moveHours(2)
    await app.start()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await count()).toBe(0)
    await resumeIt()
    await expect.poll(count, { timeout: 4_000 }).toBe(1)
    await app.stop()
  })

  test('stays so when its rule changes, and over a relay that does not have it', async () => {
    await openApp(boxWith()).runOnce()
    await pauseIt()
    // Nobody that has it has looked at it for a while.
    await pool.query(`update posthorn.recurring set seen_at = now() - interval '11 minutes'`)
    const without = outbox('shop.reports', { destination: { transport: 'sink', topic: 'reports' } })
    const bare = openApp(without as unknown as Outbox)
    await bare.start()
    await bare.stop()
    const changed = openApp(boxWith({ every: '2h' }))
    await changed.runOnce()
    await moveHours(5)
    await changed.runOnce()
    expect(await status()).toMatchObject({ rule: 'every 2h', paused: { by: 'ada' } })
    expect(await count()).toBe(0)
    await resumeIt()
    await pool.query(`update posthorn.recurring set seen_at = now() - interval '11 minutes'`)
    await bare.start()
    await bare.stop()
    expect(await status()).toBeUndefined()
  })

  test('is unknown where no relay has noted it', async () => {
    expect(await pauseIt()).toBeUndefined()
    expect(await resumeIt()).toBeUndefined()
    expect(await runIt(boxWith())).toEqual({ kind: 'unknown' })
    expect(await audited()).toEqual([])
  })
})

describe('a pause at the very time that it is due', () => {
  test('waits for the relay that has it in hand, and then there is no other', async () => {
    const made = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const app = openApp(
      boxWith({
        message: async (occurrence: Occurrence) => {
          asked.resolve()
          await made.promise
          return message(occurrence)
        },
      }),
    )
    await app.runOnce()
    await moveHours(1)
    const ticking = app.runOnce()
    await asked.promise
    let isPaused = false
    const pausing = pauseIt().finally(() => (isPaused = true))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(isPaused).toBe(false)
    made.resolve()
    await Promise.all([ticking, pausing])
    expect(await count()).toBe(1)
    await moveHours(1)
    await app.runOnce()
    expect(await count()).toBe(1)
  })

  test('that is not committed yet keeps relays off', async () => {
    const app = openApp(boxWith())
    await app.runOnce()
    await moveHours(1)
    await transaction(pool, async (tx) => {
      await pauseRecurring(tx, which, ada)
      await app.runOnce()
      expect(await count()).toBe(0)
    })
    await app.runOnce()
    expect(await count()).toBe(0)
  })
})

describe('a recurring message that is run', () => {
  test('comes once more, paused or not, and its next time stays', async () => {
    const box = boxWith()
    const app = openApp(box)
    await app.runOnce()
    const scheduled = await status()
    await pauseIt()
    const run = await runIt(box)
    expect(run).toMatchObject({ kind: 'enqueued', created: true })
    expect(await status()).toMatchObject({
      nextAt: scheduled?.nextAt,
      lastMessage: run.kind === 'enqueued' ? run.message : '',
      enqueued: 1,
      run: { by: 'ada' },
      paused: { by: 'ada' },
    })
    const { rows } = await pool.query('select status, payload from shop.reports')
    expect(rows).toMatchObject([{ payload: { name: 'hourly' } }])
    expect((await audited())[0]).toBe('ada run-recurring hourly')
  })

  test('by two operators at once comes once if they say what they saw', async () => {
    const box = boxWith()
    await openApp(box).runOnce()
    const both = await Promise.all([runIt(box, null), runIt(box, null)])
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['enqueued', 'ran'])
    expect(await count()).toBe(1)
    const seen = (await status())?.run?.at ?? null
    expect(await runIt(box, seen)).toMatchObject({ kind: 'enqueued' })
    expect(await runIt(box, seen)).toMatchObject({ kind: 'ran', by: 'ada' })
    expect(await runIt(box)).toMatchObject({ kind: 'enqueued' })
  })

  test('that its definition refuses leaves nothing', async () => {
    const box = boxWith({ message: () => Promise.reject(new Error('no exchange rate')) })
    await openApp(box).runOnce()
    await expect(runIt(box)).rejects.toMatchObject({
      code: 'RECURRING_FAILED',
      message: 'hourly of shop.reports: no exchange rate',
    })
    expect(await status()).toMatchObject({ enqueued: 0, run: undefined })
    expect(await audited()).toEqual([])
    const other = transaction(pool, (tx) => runRecurring(tx, box, { name: 'toString', by: 'ada' }))
    expect(await other).toEqual({ kind: 'unknown' })
  })
})
