import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { posthorn } from '../host/posthorn.ts'
import { outbox, type RecurringMessage } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { advanceClock, useMovableClock } from '../database/clock.ts'
import { delivered } from '../outbox/outcome.ts'
import type { Occurrence } from '../outbox/recurring.ts'
import { testDatabase } from '../testing/index.ts'
import { runUntilKilled } from '../testing/child-process.ts'

const { pool, url, connect } = await testDatabase()
const destination = { transport: 'sink', topic: 'reports' }
const transports = {
  sink: {
    deliver: async (batch: readonly unknown[]) => batch.map(() => delivered()),
    close: async () => undefined,
  },
}

type Rules = Readonly<Record<string, RecurringMessage<Record<string, unknown>>>>

const openApp = (recurring: Rules, { on = pool, log = silentLog } = {}) =>
  posthorn({
    pool: on,
    log,
    transports,
    outboxes: [outbox('shop.reports', { destination, recurring })],
  })

const report =
  (type = 'report.due') =>
  ({ name, at }: Occurrence) => ({ type, payload: { name, at } })

const times = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ at: string }>(
    `select payload ->> 'at' as at from shop.reports order by payload ->> 'at'`,
  )
  return rows.map(({ at }) => at)
}

const untilNext = async (): Promise<number> => {
  const { rows } = await pool.query<{ ms: number }>(
    `select ceil(extract(epoch from next_at - posthorn.now()) * 1000)::float8 as ms from posthorn.recurring`,
  )
  return rows[0]?.ms ?? 0
}

beforeAll(async () => {
  await useMovableClock(pool)
  await openApp({}).setUp()
})

beforeEach(() => pool.query('truncate shop.reports, posthorn.recurring'))

describe('a recurring message', () => {
  test('is enqueued when it is due, and listed', async () => {
    const app = openApp({ hourly: { every: '1h', message: report() } })
    await app.runOnce()
    expect(await times()).toEqual([])
    await advanceClock(pool, '1h')
    await app.runOnce()
    const [at = ''] = await times()
    expect(at).toMatch(/:00:00\.000Z$/)
    const [row] = (await pool.query('select id, status from shop.reports')).rows
    const [status] = await app.recurring()
    expect(status).toMatchObject({
      outbox: 'shop.reports',
      name: 'hourly',
      rule: 'every 1h',
      lastMessage: row.id,
      enqueued: 1,
      overdue: false,
      error: undefined,
    })
    expect(status?.lastAt?.toISOString()).toBe(at)
    expect(Number(status?.nextAt) - Date.parse(at)).toBe(3_600_000)
    expect(row.status).toBe('sent')
  })

  test('wakes a relay that runs, also when the clock was moved', async () => {
    const app = openApp({ soon: { every: '1s', message: report() } })
    const moved = openApp({ daily: { cron: '0 6 * * *', message: report() } })
    await app.start()
    await expect.poll(times, { timeout: 10_000 }).not.toEqual([])
    await app.stop()
    await pool.query('truncate shop.reports')
    await moved.start()
    await advanceClock(pool, '1d')
    await expect.poll(times, { timeout: 4_000 }).toHaveLength(1)
    await moved.stop()
  })

  test('comes once for each time, from any number of relays', async () => {
    const rule: Rules = { minutely: { cron: '* * * * *', missed: 'all', message: report() } }
    const apps = Array.from({ length: 4 }, () => openApp(rule, { on: connect({ max: 3 }) }))
    await apps[0]?.runOnce()
    for (let round = 0; round < 5; round += 1) {
      await advanceClock(pool, '7m')
      await Promise.all(apps.map((app) => app.runOnce()))
    }
    await apps[0]?.runOnce()
    const found = await times()
    // A minute may end while the test runs.
    expect([35, 36]).toContain(found.length)
    expect(new Set(found).size).toBe(found.length)
  })

  test('that its relay died over is neither lost nor doubled', async () => {
    const rule: Rules = { hourly: { every: '1h', message: report() } }
    await openApp(rule).runOnce()
    await advanceClock(pool, '1h')
    const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
    // Dies when the message is in the table and its schedule has not been moved on yet.
    await runUntilKilled(
      `import pg from 'pg'
       const { posthorn } = await import(${here('../host/posthorn.ts')})
       const { outbox } = await import(${here('../host/standard-outbox.ts')})
       const query = pg.Client.prototype.query
       pg.Client.prototype.query = function (statement, ...rest) {
         if (!String(statement?.text).includes('update posthorn.recurring')) {
           return query.call(this, statement, ...rest)
         }
         process.stdout.write('enqueued')
         return new Promise(() => setInterval(() => undefined, 1_000))
       }
       const pool = new pg.Pool({ connectionString: process.env.DATABASE })
       const message = ({ name, at }) => ({ type: 'report.due', payload: { name, at } })
       const box = outbox('shop.reports', {
         destination: { transport: 'sink', topic: 'reports' },
         recurring: { hourly: { every: '1h', message } },
       })
       await posthorn({ pool, outboxes: [box], transports: { sink: { deliver: async () => [] } } }).runOnce()`,
      { DATABASE: url },
    )
    const other = openApp(rule)
    await expect
      .poll(async () => {
        await other.runOnce()
        return (await times()).length
      })
      .toBe(1)
    await other.runOnce()
    expect(await times()).toHaveLength(1)
  })
})

describe('what was missed', () => {
  test.each([
    ['latest', 1],
    ['all', 5],
    ['skip', 0],
  ] as const)('%s', async (missed, count) => {
    const app = openApp({ hourly: { every: '1h', missed, message: report() } })
    await app.runOnce()
    // Half past, so that none of them was due within the last minute.
    await advanceClock(pool, `${(await untilNext()) + 4.5 * 3_600_000}ms`)
    await app.runOnce()
    expect(await times()).toHaveLength(count)
  })
})

describe('a definition that changed', () => {
  test('counts from the start of a relay that has it', async () => {
    const old = openApp({ report: { every: '1h', message: report('old') } })
    await old.runOnce()
    const next = openApp({ report: { every: '2h', message: report('new') } })
    await next.runOnce()
    await advanceClock(pool, `${(await untilNext()) + 1_000}ms`)
    await old.runOnce()
    expect(await times(), 'the old relay leaves it alone').toEqual([])
    await next.runOnce()
    const { rows } = await pool.query('select type from shop.reports')
    expect(rows).toEqual([{ type: 'new' }])
  })

  test('is taken over from a relay that is gone, and put back where another removed it', async () => {
    const next = openApp({ report: { every: '2h', message: report('new') } })
    await next.runOnce()
    // As after a restart of an old process in the middle of a deployment, which then ended.
    await pool.query(`update posthorn.recurring set rule = 'every 1h'`)
    await advanceClock(pool, '4h')
    await next.runOnce()
    expect(await times()).toHaveLength(1)
    await pool.query('delete from posthorn.recurring')
    await next.runOnce()
    await next.runOnce()
    expect(await next.recurring()).toHaveLength(1)
  })

  test('forgets what it no longer has', async () => {
    await openApp({ report: { every: '1h', message: report() } }).runOnce()
    // Nobody that has it has looked at it for a while.
    await pool.query(`update posthorn.recurring set seen_at = now() - interval '11 minutes'`)
    const without = openApp({})
    await without.start()
    await without.stop()
    expect(await without.recurring()).toEqual([])
  })
})

test('a relay that does not have it takes nothing from one that has', async () => {
  const rule: Rules = { hourly: { every: '1h', missed: 'all', message: report() } }
  const having = openApp(rule)
  await having.runOnce()
  const [before] = await having.recurring()
  await advanceClock(pool, '3h')
  const without = openApp({})
  await without.start()
  await without.stop()
  expect((await having.recurring())[0]?.nextAt).toEqual(before?.nextAt)
  await having.runOnce()
  expect(await times()).toHaveLength(3)
})

test('a look notes that a relay has it', async () => {
  const app = openApp({ hourly: { every: '1h', message: report() } })
  await app.runOnce()
  await pool.query(`update posthorn.recurring set seen_at = now() - interval '9 minutes'`)
  await app.runOnce()
  const { rows } = await pool.query<{ old: boolean }>(
    `select seen_at < now() - interval '1 minute' as old from posthorn.recurring`,
  )
  expect(rows).toEqual([{ old: false }])
})

test('one that fails is noted and tried again; the others go on', async () => {
  let isBroken = true
  const errors: unknown[] = []
  const log = { ...silentLog, error: (fields: unknown) => void errors.push(fields) }
  const message = () => {
    if (isBroken) throw new Error('no exchange rate')
    return { type: 'rate.due', payload: { at: '' } }
  }
  const rules: Rules = { bad: { every: '1h', message }, good: { every: '1h', message: report() } }
  const app = openApp(rules, { log })
  await app.runOnce()
  await advanceClock(pool, '1h')
  await app.runOnce()
  expect(await times()).toHaveLength(1)
  expect(await app.recurring()).toMatchObject([
    { name: 'bad', error: 'no exchange rate', enqueued: 0 },
    { name: 'good', error: undefined, enqueued: 1 },
  ])
  expect(errors).toMatchObject([{ recurring: 'bad', retryInMs: 500 }])
  isBroken = false
  await expect
    .poll(async () => {
      await app.runOnce()
      return (await app.recurring())[0]
    })
    .toMatchObject({ error: undefined, enqueued: 1 })
})

test('the payload is checked as that of any message', async () => {
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: () => ({ issues: [{ message: 'must be a date' }] }),
    },
  }
  const box = outbox<{ 'report.due': unknown }>('shop.reports', {
    destination,
    schemas: { 'report.due': schema },
    recurring: { hourly: { every: '1h', message: () => ({ type: 'report.due', payload: 7 }) } },
  })
  const app = posthorn({ pool, log: silentLog, transports, outboxes: [box] })
  await app.runOnce()
  await advanceClock(pool, '1h')
  await app.runOnce()
  expect((await app.recurring())[0]?.error).toContain('must be a date')
  expect(box.source()).toMatch(/recurring: {\n +hourly: {\n +every: '1h',\n +message: \(\) =>/)
})
