import { fileURLToPath } from 'node:url'
import { delivered, posthorn, silentLog, sql } from '@posthorn/engine'
import { advanceClock, listRecurring, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, expect, test } from 'vitest'
import { outboxes } from '../testing/chores.ts'
import { posthornHere } from '../testing/posthorn.ts'

const CONFIG = fileURLToPath(new URL('../testing/chores.ts', import.meta.url))
const { url, pool } = await testDatabase()
const env = { DATABASE_URL: url, POSTHORN_OPERATOR: 'ada' }
const run = (...args: string[]) => posthornHere(['recurring', ...args, '--config', CONFIG], env)

const sink = {
  deliver: async (batch: readonly unknown[]) => batch.map(() => delivered()),
  close: async () => undefined,
}
const app = posthorn({ pool, log: silentLog, outboxes, transports: { sink } })

const statusOf = async (name: string) =>
  (await listRecurring(pool, { outbox: 'house.chores' })).find((each) => each.name === name)

beforeAll(async () => {
  await useMovableClock(pool)
  await app.setUp()
})

test('none are listed until a relay has noted them', async () => {
  expect(await run()).toMatchObject({ code: 0, stdout: '' })
  await app.runOnce()
  const { code, stdout } = await run()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^NAME +OUTBOX +WHEN +RULE +MISSED +LAST +NEXT +STATE$/m)
  expect(stdout).toMatch(
    /^report +house\.chores +every day at 06:00, Europe\/Zurich +cron 0 6 \* \* \* Europe\/Zurich +latest +– +in .* +ok$/m,
  )
  expect(stdout).toMatch(/^sweep +house\.chores +every hour +every 1h +skip +– +in .* +ok$/m)
  const { items } = JSON.parse((await run('list', '--outbox', 'garden.chores', '--json')).stdout)
  expect(items).toMatchObject([
    { outbox: 'garden.chores', name: 'sweep', timeZone: null, lastAt: null, paused: null },
  ])
})

test('one is paused and resumed, and the audit says by whom', async () => {
  const paused = await run('pause', 'report', '--reason', 'month end')
  expect(paused).toMatchObject({ code: 0, stdout: 'report of house.chores is paused\n' })
  const again = await run('pause', 'report', '--by', 'bob')
  expect(again.stdout).toMatch(/is paused already, by cli:ada \d+s ago, month end\n$/)
  expect((await run()).stdout).toMatch(/report .* – +paused by cli:ada \d+s ago, month end$/m)
  await advanceClock(pool, '3d')
  await app.runOnce()
  expect(await statusOf('report')).toMatchObject({ enqueued: 0 })
  const resumed = await run('resume', 'report', '--missed', 'skip', '--json')
  expect(JSON.parse(resumed.stdout)).toMatchObject({ changed: true, recurring: { paused: null } })
  await app.runOnce()
  expect(await statusOf('report')).toMatchObject({ enqueued: 0, overdue: false })
  expect((await run('resume', 'report')).stdout).toBe('report of house.chores was not paused\n')
  const { rows } = await pool.query(
    sql`select operation, subject, actor from posthorn.operation where operation like '%recurring' order by id`,
  )
  expect(rows).toEqual([
    { operation: 'pause-recurring', subject: 'report', actor: 'cli:ada' },
    { operation: 'resume-recurring', subject: 'report', actor: 'cli:ada' },
  ])
})

test('one is run now; one that cannot be made says why', async () => {
  const ran = await run('run', 'report', '--json')
  const { message } = JSON.parse(ran.stdout) as { message: string }
  expect(await statusOf('report')).toMatchObject({ lastMessage: message, run: { by: 'cli:ada' } })
  const failed = await run('run', 'broken')
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('broken of house.chores: no exchange rate; nothing was enqueued')
})

test.each([
  [['pause', 'reprot'], 'Did you mean report?'],
  [['pause', 'sweep'], 'say which with --outbox: garden.chores, house.chores'],
  [['pause', 'report', '--outbox', 'garden.chores'], 'There are: sweep'],
  [['resume', 'report', '--missed', 'all'], 'Allowed choices are skip'],
])('%j is refused', async (args, says) => {
  const { code, stderr } = await run(...args)
  expect(stderr).toContain(says)
  expect(code).toBe(2)
})
