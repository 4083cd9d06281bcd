import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type AnnouncementItem,
  announce,
  createAnnouncementFeed,
  type SubscribeAnnouncementsOptions,
} from './announcements.ts'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { runUntilKilled } from '../../../engine/src/testing/child-process.ts'
import { transaction } from '@posthorn/engine'

const database = await testDatabase()
const { pool } = database

/** Reads announcements until the test is over; the first says that it listens. */
async function reader(
  options: SubscribeAnnouncementsOptions = {},
  given = createAnnouncementFeed({ pool }),
) {
  const stop = new AbortController()
  const batches: (readonly AnnouncementItem[])[] = []
  const over = (async () => {
    for await (const batch of given.subscribe({ ...options, signal: stop.signal })) {
      batches.push(batch)
    }
  })()
  onTestFinished(async () => {
    stop.abort()
    await over
    await given.close()
  })
  const items = () => batches.flat().filter(({ topic }) => topic !== '*')
  const ids = () => items().map(({ id }) => id)
  await expect.poll(() => batches.length).toBeGreaterThan(0)
  return { batches, items, ids }
}

const soon = { timeout: 20_000 }

test('an announcement of a transaction is sent at its commit, and not if it rolls back', async () => {
  const { items, ids } = await reader()
  await transaction(pool, async (tx) => {
    await announce(tx, { topic: 'jobs', id: 'undone' })
    throw new Error('no')
  }).catch(() => undefined)
  await transaction(pool, async (tx) => {
    await announce(tx, { topic: 'jobs', id: 'done', tenant: 'acme', data: { rows: 3 } })
    await announce(pool, { topic: 'jobs', id: 'meanwhile' })
    await expect.poll(ids, soon).toContain('meanwhile')
    expect(ids()).toEqual(['meanwhile'])
  })
  await expect.poll(ids, soon).toContain('done')
  expect(items()).toEqual([
    { topic: 'jobs', id: 'meanwhile' },
    { topic: 'jobs', id: 'done', tenant: 'acme', data: { rows: 3 } },
  ])
})

test('a reader that has left leaves nothing behind that would keep it in memory', async () => {
  const joining = vi.spyOn(AbortSignal, 'any')
  onTestFinished(() => joining.mockRestore())
  const feed = createAnnouncementFeed({ pool })
  onTestFinished(() => feed.close())
  const { signal } = new AbortController()
  // The first says that it listens.
  for await (const _ of feed.subscribe({ signal })) break
  // Node keeps a joined signal that is listened to for as long as one of its sources lives.
  const joined = joining.mock.results.map(({ value }) => value as AbortSignal)
  expect(joined).toHaveLength(1)
  expect(joined.map((each) => getEventListeners(each, 'abort'))).toEqual([[]])
})

test('another process is heard, and what one that dies has not committed is not', async () => {
  const { ids } = await reader()
  const script = `
    const { transaction } = await import(process.env.ENGINE)
    const { announce } = await import(process.env.OPERATE)
    const { Pool } = (await import(process.env.PG)).default
    const pool = new Pool({ connectionString: process.env.URL })
    await transaction(pool, (tx) => announce(tx, { topic: 'jobs', id: 'elsewhere' }))
    await transaction(pool, async (tx) => {
      await announce(tx, { topic: 'jobs', id: 'killed' })
      console.log('announced')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  await runUntilKilled(script, {
    URL: database.url,
    ENGINE: import.meta.resolve('@posthorn/engine'),
    OPERATE: import.meta.resolve('../index.ts'),
    PG: import.meta.resolve('pg'),
  })
  await expect.poll(ids, soon).toContain('elsewhere')
  await announce(pool, { topic: 'jobs', id: 'last' })
  await expect.poll(ids, soon).toContain('last')
  expect(ids()).toEqual(['elsewhere', 'last'])
})

test('a tenant gets only its own, and a reader of topics only those', async () => {
  const acme = await reader({ tenant: 'acme' })
  const all = await reader()
  const jobs = await reader({ topics: ['jobs'] })
  await announce(pool, { topic: 'jobs', id: '1', tenant: 'acme' })
  await announce(pool, { topic: 'jobs', id: '2', tenant: 'umbrella' })
  await announce(pool, { topic: 'jobs', id: '3' })
  await announce(pool, { topic: 'payments', id: '4', tenant: 'acme' })
  await expect.poll(all.ids, soon).toEqual(['1', '2', '3', '4'])
  await expect.poll(jobs.ids, soon).toEqual(['1', '2', '3'])
  await expect.poll(acme.ids, soon).toEqual(['1', '4'])
})

test('the latest of each thing wins, and no batch comes sooner than 250 ms after the last', async () => {
  const { batches, items } = await reader()
  const started = performance.now()
  for (let n = 1; n <= 50; n += 1) {
    await announce(pool, { topic: 'jobs', id: 'busy', data: n })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await expect.poll(() => items().at(-1)?.data, soon).toBe(50)
  const ms = performance.now() - started
  expect(batches.length - 1).toBeLessThanOrEqual(Math.ceil(ms / 250) + 1)
  expect(items().length).toBe(batches.length - 1)
})

test('a slow reader gets one request to reload instead of a flood', async () => {
  const { batches, ids } = await reader()
  await pool.query(`
    select pg_notify('posthorn_news', '{"topic":"flood","id":"' || n || '"}')
      from generate_series(1, 200000) as n`)
  const isHeard = async () => {
    await announce(pool, { topic: 'jobs', id: 'after the flood' })
    return ids().includes('after the flood')
  }
  await expect.poll(isHeard, soon).toBe(true)
  expect(batches.flat().filter(({ topic }) => topic === '*').length).toBeGreaterThan(1)
  expect(batches.flat().length).toBeLessThan(20_000)
  for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(1_000)
})

test('after a broken connection it listens again and says that something may be missing', async () => {
  const line = await proxyTo(database.url)
  onTestFinished(() => line.cut())
  const far = database.connect({ connectionString: line.by(database.url) })
  const { batches, ids } = await reader({}, createAnnouncementFeed({ pool: far }))
  line.cut()
  await announce(pool, { topic: 'jobs', id: 'unheard' })
  await line.heal()
  await expect.poll(() => batches.flat().filter(({ topic }) => topic === '*').length, soon).toBe(2)
  await announce(pool, { topic: 'jobs', id: 'heard' })
  await expect.poll(ids, soon).toEqual(['heard'])
})

test('without LISTEN nothing comes, and nothing breaks', async () => {
  const feed = createAnnouncementFeed({ pool, mode: 'poll' })
  const next = feed.subscribe()[Symbol.asyncIterator]().next()
  await announce(pool, { topic: 'jobs', id: 'unheard' })
  await feed.close()
  expect(await next).toEqual({ done: true, value: undefined })
})

test('data that is too large is left out, and says so', async () => {
  const { items } = await reader()
  await announce(pool, { topic: 'jobs', id: 'fits', data: 'x'.repeat(7_000) })
  await announce(pool, { topic: 'jobs', id: 'large', tenant: 'acme', data: 'ü'.repeat(4_000) })
  const widest = '\u0001'.repeat(200)
  await announce(pool, { topic: 'jobs', id: widest, tenant: widest, data: 'x'.repeat(7_899) })
  await expect.poll(() => items().length, soon).toBe(3)
  expect(items()[0]?.data).toHaveLength(7_000)
  expect(items()[1]).toEqual({ topic: 'jobs', id: 'large', tenant: 'acme', truncated: true })
  expect(items()[2]).toEqual({ topic: 'jobs', id: widest, tenant: widest, truncated: true })
})

test('an invalid announcement is refused, and rubbish on the channel is ignored', async () => {
  const { ids } = await reader()
  for (const topic of ['', '*', 'Jobs', 'a b', `a${'b'.repeat(100)}`]) {
    await expect(announce(pool, { topic, id: '1' })).rejects.toMatchObject({
      code: 'ANNOUNCEMENT_INVALID',
    })
  }
  for (const id of ['', 'x'.repeat(201)]) {
    await expect(announce(pool, { topic: 'jobs', id })).rejects.toThrow('the id of')
    await expect(announce(pool, { topic: 'jobs', id: '1', tenant: id })).rejects.toThrow('tenant')
  }
  for (const rubbish of [
    '',
    'no json',
    'null',
    '[]',
    '{"topic":"*","id":"*"}',
    '{"topic":"jobs"}',
  ]) {
    await pool.query(`select pg_notify('posthorn_news', $1)`, [rubbish])
  }
  await announce(pool, { topic: 'jobs', id: 'good' })
  await expect.poll(ids, soon).toEqual(['good'])
})
