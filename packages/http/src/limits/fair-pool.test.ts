import { testDatabase } from '@posthorn/engine/testing'
import { Pool } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { hasSpareConnection, shareFairly } from './fair-pool.ts'
import { bearer, sampleApp } from '../testing/sample-app.ts'

const database = await testDatabase()
const pool = shareFairly(
  new Pool({ connectionString: database.url, max: 5, connectionTimeoutMillis: 20_000 }),
)
afterAll(() => pool.end())

/** An app whose route keeps a connection for a while, twice over. */
async function slowApp() {
  const app = await sampleApp({ requestTurns: false })
  app.get('/slow', async () => {
    await pool.query('select pg_sleep(0.1)')
    await pool.query('select 1')
    return { ok: true }
  })
  const ask = async (org: string) => {
    const began = performance.now()
    const answer = await app.inject({ url: '/slow', headers: await bearer({ org }) })
    return { status: answer.statusCode, ms: performance.now() - began }
  }
  return { ask }
}

test('an organisation is served while another has a hundred requests waiting', async () => {
  const { ask } = await slowApp()
  const flood = Array.from({ length: 120 }, () => ask('flood'))
  await expect.poll(() => pool.waitingCount).toBeGreaterThan(80)
  const other = await ask('other')
  // What waits of the flood takes more than two seconds.
  expect(other).toMatchObject({ status: 200 })
  expect(other.ms).toBeLessThan(1_000)
  const own = await pool.query('select 1 as one')
  expect(own.rows).toEqual([{ one: 1 }])
  expect(pool.waitingCount).toBeGreaterThan(50)
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(pool.waitingCount).toBe(0)
})

test('an organisation is served while the server and another hold all that they can get', async () => {
  const shared = shareFairly(
    new Pool({ connectionString: database.url, max: 10, connectionTimeoutMillis: 5_000 }),
  )
  const over = Promise.withResolvers<void>()
  const hold = async () => {
    const client = await shared.connect()
    await over.promise
    client.release()
  }
  const app = await sampleApp({ requestTurns: false })
  app.get('/hold', async () => {
    await hold()
    return { ok: true }
  })
  app.get('/quick', async () => {
    const isSpare = hasSpareConnection(shared)
    return { isSpare, rows: (await shared.query('select 1 as one')).rows }
  })
  const ask = async (url: string, org: string) =>
    app.inject({ url, headers: await bearer({ org }) })
  const held = [
    ...Array.from({ length: 20 }, hold),
    ...Array.from({ length: 20 }, () => ask('/hold', 'flood')),
  ]
  await expect.poll(() => shared.waitingCount).toBe(31)
  // Nothing is given back meanwhile: what it gets was free.
  const other = await ask('/quick', 'other')
  over.resolve()
  expect(other.json()).toEqual({ isSpare: true, rows: [{ one: 1 }] })
  await Promise.all(held)
  expect([shared.waitingCount, hasSpareConnection(shared)]).toEqual([0, true])
  await shared.end()
})

test('a connection is said to be spare only where it would come at once', async () => {
  expect(hasSpareConnection(pool)).toBe(true)
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()))
  // One is idle, but not for who has four of five.
  expect(hasSpareConnection(pool)).toBe(false)
  for (const client of clients) client.release()
  expect([hasSpareConnection(pool), hasSpareConnection(database.pool)]).toEqual([true, true])
})

test('places of failed connections are given back', async () => {
  const away = shareFairly(new Pool({ host: '127.0.0.1', port: 1, max: 2 }))
  for (let n = 0; n < 5; n += 1) {
    await expect(away.query('select 1')).rejects.toThrow('ECONNREFUSED')
  }
  await away.end()
})

test('a connection is handed out by callback too, and one that broke frees its place', async () => {
  for (let n = 0; n < 12; n += 1) {
    const client = await pool.connect()
    client.release(new Error('broken'))
  }
  const release = await new Promise<() => void>((resolve, reject) => {
    pool.connect((error, _client, done) => (error ? reject(error) : resolve(done)))
  })
  release()
})
