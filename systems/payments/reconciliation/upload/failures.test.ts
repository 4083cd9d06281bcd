import { randomUUID } from 'node:crypto'
import { Agent, request, type ClientRequest } from 'node:http'
import { migrationsFrom } from '@posthorn/engine'
import { createAnnouncementFeed } from '@posthorn/engine/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startChild } from './testing/child.ts'
import { HEADER, clientOf, generate } from './testing/client.ts'
import { serve, tokenOf } from './testing/serving.ts'

const migrations = await migrationsFrom('payments', new URL('../../migrations/', import.meta.url))
const db = await testDatabase({ migrations: [migrations] })
const { app, url } = await serve(db.pool, {
  RECONCILIATION_MAX_BYTES: '1000000',
  RECONCILIATION_MAX_UPLOADS: '3',
})
afterAll(() => app.close())
const ada = await clientOf(url)

beforeEach(() =>
  db.pool.query('truncate payments.reconciliation_runs, payments.reconciliation_records cascade'),
)

async function readStored(): Promise<{ runs: number; records: number }> {
  const { rows } = await db.pool.query(`
    select (select count(*)::int from payments.reconciliation_runs) as runs,
           (select count(*)::int from payments.reconciliation_records) as records`)
  return rows[0] as { runs: number; records: number }
}

const NOTHING = { runs: 0, records: 0 }

/** The copies that are under way in the database. */
async function copying(): Promise<number> {
  const { rows } = await db.pool.query<{ tuples: string }>(`
    select tuples_processed as tuples from pg_stat_progress_copy
     where datname = current_database()`)
  return rows.length
}

const underWay = (count: number) => expect.poll(copying, { timeout: 20_000 }).toBe(count)

/** An upload that the test ends, or does not. */
async function open(
  to: string,
  headers: Record<string, string> = {},
  agent?: Agent,
): Promise<ClientRequest> {
  const opened = request(`${to}/api/v1/reconciliations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenOf()}`,
      'content-type': 'text/csv',
      ...headers,
    },
    ...(agent && { agent }),
  })
  opened.on('error', () => undefined)
  return opened
}

function statusOf(upload: ClientRequest): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    upload.on('response', (response) => resolve(response.resume().statusCode))
    upload.on('error', reject)
  })
}

const some = async (rows: number) => Buffer.concat(await Array.fromAsync(generate({ rows })))

describe('a client that hangs up in the middle', () => {
  const form = { 'content-type': 'multipart/form-data; boundary=x' }
  const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'

  test.each([
    ['of a body of known length', { 'content-length': '900000' }, ''],
    ['of a body in chunks', { 'transfer-encoding': 'chunked' }, ''],
    ['of a form', { ...form, 'content-length': '900000' }, part],
    ['of a form in chunks', form, part],
  ])('%s', async (_, headers, before) => {
    const upload = await open(url, headers)
    upload.write(before)
    upload.write(await some(10_000))
    await underWay(1)
    upload.destroy()
    await underWay(0)
    expect(await readStored()).toEqual(NOTHING)
  })

  test('of a form that has no end, and waits for an answer', async () => {
    const upload = await open(url, form)
    const answered = statusOf(upload)
    upload.end(`${part}${HEADER}tx,1,EUR,2026-03-01\n`)
    expect(await answered).toBe(400)
    expect(await readStored()).toEqual(NOTHING)
  })
})

test(
  'kill -9 of the server in the middle stores nothing, and the file can be uploaded again',
  { timeout: 120_000 },
  async () => {
    const child = await startChild(db.url)
    const upload = await open(child.url)
    upload.write(await some(20_000))
    await underWay(1)
    await expect
      .poll(
        async () =>
          (
            await db.pool.query<{ n: string }>(
              'select sum(tuples_processed) as n from pg_stat_progress_copy where datname = current_database()',
            )
          ).rows[0]?.n,
        { timeout: 20_000 },
      )
      .not.toBe('0')
    await child.kill()
    await underWay(0)
    expect(await readStored()).toEqual(NOTHING)
    upload.destroy()
    const other = await clientOf((await startChild(db.url)).url)
    expect((await other.upload(generate({ rows: 20_000 }))).status).toBe(201)
    expect(await readStored()).toEqual({ runs: 1, records: 20_000 })
  },
)

test('the database hangs up in the middle', async () => {
  const upload = await open(url)
  const answered = statusOf(upload)
  upload.write(await some(10_000))
  await underWay(1)
  await db.pool.query(`
    select pg_terminate_backend(pid) from pg_stat_progress_copy where datname = current_database()`)
  upload.end()
  expect(await answered).toBe(503)
  expect(await readStored()).toEqual(NOTHING)
  expect((await ada.upload(generate({ rows: 100 }))).status).toBe(201)
})

test('what follows on a mistake is thrown away, and the connection used again', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()
  for (const [rows, status] of [
    ['x,y\n', 400],
    ['tx,1,EUR,2026-03-01\n', 201],
  ] as const) {
    const upload = await open(url, {}, agent)
    upload.on('socket', (socket) => sockets.add(socket))
    const answered = statusOf(upload)
    upload.write(HEADER + rows)
    upload.write((await some(25_000)).subarray(HEADER.length))
    upload.end()
    expect(await answered).toBe(status)
  }
  expect(sockets.size).toBe(1)
  agent.destroy()
})

describe('too much', () => {
  test('in bytes, as it says before', async () => {
    const upload = await open(url, { 'content-length': '1000001' })
    const answered = statusOf(upload)
    upload.write('x')
    expect(await answered).toBe(413)
    upload.destroy()
  })

  test('in bytes, as it turns out', async () => {
    const upload = await open(url)
    const answered = statusOf(upload)
    upload.write(await some(60_000))
    expect(await answered).toBe(413)
    upload.destroy()
    expect(await readStored()).toEqual(NOTHING)
  })

  test('in time', async () => {
    const hasty = await serve(db.pool, { RECONCILIATION_UPLOAD_MS: '1000' })
    onTestFinished(() => hasty.app.close())
    const upload = await open(hasty.url)
    const answered = statusOf(upload)
    upload.write(HEADER)
    const crumbs = setInterval(() => upload.write('tx,1,EUR,2026-03-01\n'), 100)
    expect(await answered).toBe(408)
    clearInterval(crumbs)
    upload.destroy()
    expect(await readStored()).toEqual(NOTHING)
  })

  test('at the same time', async () => {
    const uploads = [await open(url), await open(url)]
    for (const upload of uploads) upload.write(await some(5_000))
    await underWay(2)
    const refused = await ada.upload(generate({ rows: 10 }))
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_UPLOADS' } })
    expect(refused.headers.get('retry-after')).toBe('5')
    // The last one is for others.
    const other = await clientOf(url, { org: 'other' })
    expect((await other.upload(generate({ rows: 10 }))).status).toBe(201)
    for (const upload of uploads) upload.destroy()
    await underWay(0)
    await expect
      .poll(async () => (await ada.upload(generate({ rows: 10 }))).status, { timeout: 20_000 })
      .toBe(201)
  })
})

test(
  'a mistake on line 700,001 and a field of 10 MB cost no memory',
  { timeout: 180_000 },
  async () => {
    const child = await startChild(db.url)
    const client = await clientOf(child.url)
    const before = await child.peakMb()
    const wide = await client.upload(
      generate({ rows: 3, instead: { 3: `tx,1,"${'x'.repeat(10_000_000)}",2026-03-01\n` } }),
    )
    expect(wide.status).toBe(400)
    expect(wide.body.errors[0]).toEqual({
      field: 'line 3, column 3',
      reason: 'has a quote that is not closed within 8192 bytes',
    })
    const plain = await client.upload(
      generate({ rows: 3, instead: { 3: `tx,${'1'.repeat(10_000_000)},EUR,2026-03-01\n` } }),
    )
    expect(plain.body.errors[0]).toEqual({
      field: 'line 3, column 2',
      reason: 'is longer than 8192 bytes',
    })
    const bad = { 700_001: 'tx,12.345,EUR,2026-03-01\n' }
    const long = await client.upload(generate({ rows: 720_000, instead: bad }))
    expect(long.status).toBe(400)
    expect(long.body.errors).toEqual([
      { field: 'line 700001, amount', reason: 'has more than 2 decimals' },
    ])
    expect(await readStored()).toEqual(NOTHING)
    expect((await child.peakMb()) - before).toBeLessThan(180)
  },
)

test('the progress of an upload is announced', async () => {
  const news = createAnnouncementFeed({ pool: db.pool })
  const end = new AbortController()
  const heard: { topic: string; id: string; tenant?: string; data?: unknown }[] = []
  const reading = (async () => {
    for await (const batch of news.subscribe({ signal: end.signal })) heard.push(...batch)
  })()
  const uploadId = randomUUID()
  const upload = await open(url)
  upload.path = `/api/v1/reconciliations?uploadId=${uploadId}`
  const answered = new Promise<void>((resolve) => {
    upload.on('response', (response) => void response.resume().on('end', resolve))
  })
  const mine = () => heard.filter(({ id }) => id === uploadId)
  upload.write(HEADER)
  for (let i = 0; i < 100 && mine().length === 0; i += 1) {
    upload.write((await some(1_000)).subarray(HEADER.length))
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  expect(mine()[0]).toMatchObject({ topic: 'reconciliation.upload', tenant: 'acme' })
  expect(mine()[0]?.data).toEqual({ rows: expect.any(Number), bytes: expect.any(Number) })
  upload.end()
  await answered
  await expect.poll(() => mine().at(-1)?.data, { timeout: 10_000 }).toHaveProperty('runId')
  await expect
    .poll(() => heard.find(({ topic }) => topic === 'reconciliation.run')?.data)
    .toMatchObject({ status: 'loaded', matched: 0 })
  end.abort()
  await reading
  await news.close()
})
