import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { Agent, request, type ClientRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationsFrom } from '@posthorn/engine'
import { createAnnouncementFeed } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startChild } from '../../testing/child.ts'
import { HEADER, clientOf, generate } from '../testing/uploading.ts'
import { serve, tokenOf } from '../../testing/serving.ts'

const migrations = await migrationsFrom('payments', new URL('../../migrations/', import.meta.url))
const db = await testDatabase({ migrations: [migrations] })
const { app, url } = await serve(db.pool, {
  RECONCILIATION_MAX_BYTES: '1000000',
  RECONCILIATION_MAX_UPLOADS: '3',
})
afterAll(() => app.close())
const ada = await clientOf(url)

beforeEach(() =>
  // Past the history, which only grows.
  db.pool.query(
    'begin; set local session_replication_role = replica; truncate payments.reconciliation_runs, payments.reconciliation_records cascade; commit',
  ),
)

async function readStored(): Promise<{ runs: number; records: number }> {
  const { rows } = await db.pool.query(`
    select (select count(*)::int from payments.reconciliation_runs) as runs,
           (select count(*)::int from payments.reconciliation_records) as records`)
  return rows[0] as { runs: number; records: number }
}

const NOTHING = { runs: 0, records: 0 }

/** Clients of the database in a transaction, and those of them that wait for a lock. */
async function busy(): Promise<{ open: number; waiting: number }> {
  const { rows } = await db.pool.query(`
    select count(*)::int as open,
           count(*) filter (where wait_event_type = 'Lock')::int as waiting
      from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'
       and pid <> pg_backend_pid() and xact_start is not null`)
  return rows[0] as { open: number; waiting: number }
}

const waiting = (count: number) => expect.poll(async () => (await busy()).waiting).toBe(count)

/** Holds up every writer of records until the test says so. */
async function holdRecords(): Promise<() => Promise<void>> {
  const holder = await db.pool.connect()
  await holder.query('begin')
  await holder.query('lock table payments.reconciliation_records in share mode')
  return async () => {
    await holder.query('rollback')
    holder.release()
  }
}

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

/** Resolves once the bytes have left. */
function sent(upload: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => void upload.write(bytes, () => resolve()))
}

/** An upload that the server has taken up. */
async function begun(): Promise<ClientRequest> {
  const upload = await open(url, { expect: '100-continue' })
  const isTaken = once(upload, 'continue')
  upload.flushHeaders()
  await isTaken
  await sent(upload, await some(5_000))
  return upload
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
    await sent(upload, await some(10_000))
    upload.destroy()
    await expect.poll(async () => (await ada.upload(generate({ rows: 5 }))).status).toBe(201)
    expect(await readStored()).toEqual({ runs: 1, records: 5 })
  })

  test('of a form that has no end, and waits for an answer', async () => {
    const upload = await open(url, form)
    const answered = statusOf(upload)
    upload.end(`${part}${HEADER}tx,1,EUR,2026-03-01\n`)
    expect(await answered).toBe(400)
    expect(await readStored()).toEqual(NOTHING)
  })
})

test('a client that takes its time holds nothing in the database', async () => {
  const upload = await open(url)
  const answered = statusOf(upload)
  const bytes = await some(10_000)
  await sent(upload, bytes.subarray(0, 200_000))
  for (let i = 0; i < 5; i += 1) {
    expect(await busy()).toEqual({ open: 0, waiting: 0 })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  upload.end(bytes.subarray(200_000))
  expect(await answered).toBe(201)
  expect(await readStored()).toEqual({ runs: 1, records: 10_000 })
})

describe('kill -9 of the server', () => {
  test.each(['while the file arrives', 'while it is loaded'])(
    '%s stores nothing, leaves no file, and it can be uploaded again',
    { timeout: 120_000 },
    async (when) => {
      const folder = await mkdtemp(join(tmpdir(), 'posthorn-spool-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const release = when === 'while it is loaded' ? await holdRecords() : undefined
      const child = await startChild(db.url, { RECONCILIATION_SPOOL_FOLDER: folder })
      const upload = await open(child.url)
      await sent(upload, await some(20_000))
      if (release) {
        upload.end()
        await waiting(1)
      }
      await child.kill()
      await release?.()
      await expect.poll(async () => (await busy()).open).toBe(0)
      expect(await readStored()).toEqual(NOTHING)
      expect(await readdir(folder)).toEqual([])
      upload.destroy()
      expect((await ada.upload(generate({ rows: 20_000 }))).status).toBe(201)
      expect(await readStored()).toEqual({ runs: 1, records: 20_000 })
    },
  )
})

test('what a process left that died between two calls is swept when a server starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-spool-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const names = ['posthorn-spooled-old', 'posthorn-spooled-new', 'of-others']
  for (const name of names) await writeFile(join(folder, name), 'x')
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  for (const name of ['posthorn-spooled-old', 'of-others']) {
    await utimes(join(folder, name), longAgo, longAgo)
  }
  const other = await serve(db.pool, { RECONCILIATION_SPOOL_FOLDER: folder })
  onTestFinished(() => other.app.close())
  expect((await readdir(folder)).toSorted()).toEqual(['of-others', 'posthorn-spooled-new'])
})

test('the database hangs up in the middle', async () => {
  const release = await holdRecords()
  const answered = ada.upload(generate({ rows: 10_000 }))
  await waiting(1)
  await db.pool.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`)
  expect((await answered).status).toBe(503)
  await release()
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
    const hasty = await serve(db.pool, { RECONCILIATION_UPLOAD_WINDOW_MS: '500' })
    onTestFinished(() => hasty.app.close())
    // In crumbs, in silence, and in a form whose file never begins.
    for (const type of ['text/csv', 'text/plain', 'multipart/form-data; boundary=b']) {
      const upload = await open(hasty.url, { 'content-type': type })
      const answered = statusOf(upload)
      upload.write(HEADER)
      const crumbs = setInterval(() => upload.write('tx,1,EUR,2026-03-01\n'), 100)
      if (type !== 'text/csv') clearInterval(crumbs)
      expect(await answered, type).toBe(408)
      clearInterval(crumbs)
      upload.destroy()
    }
    expect(await readStored()).toEqual(NOTHING)
  })

  test('at the same time', async () => {
    const uploads = [await begun(), await begun()]
    const refused = await ada.upload(generate({ rows: 10 }))
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_UPLOADS' } })
    expect(refused.headers.get('retry-after')).toBe('5')
    // The last one is for others.
    const other = await clientOf(url, { org: 'other' })
    expect((await other.upload(generate({ rows: 10 }))).status).toBe(201)
    for (const upload of uploads) upload.destroy()
    await expect.poll(async () => (await ada.upload(generate({ rows: 11 }))).status).toBe(201)
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
  for (let i = 0; i < 200 && mine().length === 0; i += 1) {
    upload.write((await some(1_000)).subarray(HEADER.length))
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  expect(mine()[0]).toMatchObject({ topic: 'reconciliation.upload', tenant: 'acme' })
  expect(mine()[0]?.data).toEqual({ rows: expect.any(Number), bytes: expect.any(Number) })
  upload.end()
  await answered
  await expect.poll(() => mine().at(-1)?.data).toHaveProperty('runId')
  await expect
    .poll(() => heard.find(({ topic }) => topic === 'reconciliation.run')?.data)
    .toMatchObject({ status: 'loaded', matched: 0 })
  end.abort()
  await reading
  await news.close()
})
