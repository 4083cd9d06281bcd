import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationsFrom, silentLog } from '@posthorn/engine'
import { runPeriodically } from '@posthorn/operate'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { type App, createApp, createVerifier } from '@posthorn/http'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { receiveObject } from '../jobs/receive.ts'
import { smallFiles } from '../processor/outbox.ts'
import { folderStorage } from '../storage/folder.ts'
import { s3Storage } from '../storage/s3.ts'
import type { Storage } from '../storage/storage.ts'
import { type ArrivalOptions, arrivalSweep, sweepArrivals } from './arrival.ts'
import { eventRoutes } from './routes.ts'

const TOKEN = 'the-token-of-the-bucket'
const db = await testDatabase({
  migrations: [await migrationsFrom('evidence', new URL('../migrations/', import.meta.url))],
})
const folder = await mkdtemp(join(tmpdir(), 'posthorn-arrivals-'))
afterAll(() => rm(folder, { recursive: true }))

let bells = 0
afterAll(smallFiles.bell.listen((ring) => void (bells += Number(ring === 'ring'))))
let options: ArrivalOptions
beforeEach(async () => {
  bells = 0
  options = {
    pool: db.pool,
    storage: folderStorage(await mkdtemp(join(folder, 'storage-'))),
    bucket: `bucket-${randomUUID()}`,
    receive: receiveObject,
  }
})

describe('events', () => {
  test('make one job of each object, however often they come', async () => {
    const post = await server(options)
    const { etag } = await put(options.storage, 'incoming/acme/a b+c.zip')
    const body = { Records: [event('incoming/acme/a+b%2Bc.zip', etag)] }
    expect(await post(body)).toEqual({ received: 1, known: 0, ignored: 0 })
    expect(await post(body)).toEqual({ received: 0, known: 1, ignored: 0 })
    await Promise.all(Array.from({ length: 10 }, () => post(body)))
    expect(await jobs()).toEqual([{ org_id: 'acme', storage_key: 'incoming/acme/a b+c.zip' }])
    // Whoever reads files is woken, if only once more than needed.
    expect(bells).toBeGreaterThanOrEqual(1)
  })

  test('that came at once make one job', async () => {
    const post = await server(options)
    const { etag } = await put(options.storage, 'incoming/acme/a.zip')
    const body = { Records: [event('incoming/acme/a.zip', etag)] }
    const counts = await Promise.all(Array.from({ length: 8 }, () => post(body)))
    expect(counts.filter(({ received }) => received === 1)).toHaveLength(1)
    expect(await jobs()).toHaveLength(1)
  })

  test('that are late do not bring back what was replaced or removed', async () => {
    const post = await server(options)
    const first = await put(options.storage, 'incoming/acme/a.zip', 'first')
    const second = await put(options.storage, 'incoming/acme/a.zip', 'second')
    const newest = event('incoming/acme/a.zip', second.etag)
    const late = event('incoming/acme/a.zip', first.etag)
    const gone = event('incoming/acme/gone.zip', 'e')
    expect(await post({ Records: [newest, late, gone] })).toEqual({
      ...{ received: 1, known: 0, ignored: 2 },
    })
    expect(await jobs()).toHaveLength(1)
  })

  test('of a replaced object make a second job', async () => {
    const post = await server(options)
    for (const content of ['first', 'second']) {
      const { etag } = await put(options.storage, 'incoming/acme/a.zip', content)
      await post({ Records: [event('incoming/acme/a.zip', etag)] })
    }
    expect(await jobs()).toHaveLength(2)
  })

  test('of versions are taken by their version, older ones too', async () => {
    const head = { key: 'incoming/acme/a.zip', size: 5, etag: 'e2', modifiedAt: new Date() }
    const versioned = { ...options.storage, head: async () => ({ ...head, version: 'v2' }) }
    const post = await server({ ...options, storage: versioned })
    const older = event('incoming/acme/a.zip', 'e1', { versionId: 'v1', size: 4 })
    const newer = event('incoming/acme/a.zip', 'e2', { versionId: 'v2', size: 5 })
    expect(await post({ Records: [newer, older, newer, older] })).toEqual({
      ...{ received: 2, known: 2, ignored: 0 },
    })
  })

  test('of a bucket without versions may carry a version that means nothing', async () => {
    const post = await server(options)
    const { etag } = await put(options.storage, 'incoming/acme/a.zip')
    const body = { Records: [event('incoming/acme/a.zip', etag, { versionId: '1' })] }
    expect(await post(body)).toMatchObject({ received: 1 })
    const { rows } = await db.pool.query(
      'select storage_version from evidence.file_job where bucket = $1',
      [options.bucket],
    )
    expect(rows).toEqual([{ storage_version: null }])
  })

  test('of other things are ignored', async () => {
    const post = await server(options)
    const { etag } = await put(options.storage, 'uploads/a.zip')
    await put(options.storage, 'incoming/stray.zip')
    const elsewhere = { ...event('incoming/acme/a.zip', etag) }
    elsewhere.s3.bucket.name = 'another-bucket'
    const Records = [
      event('uploads/a.zip', etag),
      event('incoming/stray.zip', etag),
      event('incoming/acme/folder/', etag),
      { ...event('incoming/acme/a.zip', etag), eventName: 'ObjectRemoved:Delete' },
      elsewhere,
    ]
    expect(await post({ Records })).toEqual({ received: 0, known: 0, ignored: 5 })
    expect(await post({ Event: 's3:TestEvent' })).toEqual({ received: 0, known: 0, ignored: 1 })
    expect(await jobs()).toEqual([])
  })

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer wrong',
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
  ])('are refused with Authorization: %s', async (authorization) => {
    const app = await appOf(options, TOKEN)
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/file-jobs/s3-events',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      payload: '{ this is not even JSON',
    })
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  test('are refused where no token is set, and if they are no JSON', async () => {
    const request = (payload: string, token: string) => ({
      method: 'POST' as const,
      url: '/api/v1/file-jobs/s3-events',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      payload,
    })
    const closed = await appOf(options, undefined)
    expect((await closed.inject(request('{}', 'undefined'))).statusCode).toBe(401)
    const app = await appOf(options, TOKEN)
    expect((await app.inject(request('{', TOKEN))).json()).toMatchObject({ code: 'MALFORMED_JSON' })
    expect((await app.inject(request('[]', TOKEN))).statusCode).toBe(400)
  })
})

describe('the sweep', () => {
  test('finds what no event announced, once', async () => {
    await put(options.storage, 'incoming/acme/a.zip')
    await put(options.storage, 'incoming/umbrella/deep/b.zip')
    await put(options.storage, 'incoming/stray.zip')
    await put(options.storage, 'uploads/c.zip')
    const none: ReadonlySet<string> = new Set()
    const known = await sweep(none)
    expect((await jobs()).map((job) => job['org_id'])).toEqual(['acme', 'umbrella'])
    await sweep(known)
    await sweep(none)
    expect(await jobs()).toHaveLength(2)
    expect(bells).toBeGreaterThanOrEqual(2)
  })

  test('and events agree on what is the same', async () => {
    const post = await server(options)
    const { etag } = await put(options.storage, 'incoming/acme/a.zip')
    const body = { Records: [event('incoming/acme/a.zip', etag)] }
    await Promise.all([sweep(new Set()), post(body), sweep(new Set()), post(body)])
    expect(await jobs()).toHaveLength(1)
  })

  test('leaves a file alone that is still being copied', async () => {
    const dropped = await mkdtemp(join(folder, 'dropped-'))
    const path = join(dropped, 'incoming/acme/a.zip')
    await mkdir(join(dropped, 'incoming/acme'), { recursive: true })
    await writeFile(path, 'half of it')
    await utimes(path, new Date(0), new Date(0))
    options = { ...options, storage: folderStorage(dropped) }
    const known = await sweep(new Set(), 60_000)
    expect(await jobs()).toEqual([])
    await sweep(known, 0)
    expect(await jobs()).toHaveLength(1)
  })

  test('goes on past an object that cannot be received, and tries it again', async () => {
    for (const name of ['a', 'b', 'c']) await put(options.storage, `incoming/acme/${name}.zip`)
    let isBroken = true
    const { receive } = options
    options = {
      ...options,
      receive: (tx, object) => {
        if (isBroken && object.key.endsWith('b.zip')) throw new Error('no')
        return receive(tx, object)
      },
    }
    const known = await sweep(new Set())
    expect(await jobs()).toHaveLength(2)
    isBroken = false
    await sweep(known)
    expect(await jobs()).toHaveLength(3)
  })

  test('runs until its signal is aborted, through outages', async () => {
    const stop = new AbortController()
    let isDown = true
    const { storage } = options
    const shaky: Storage = {
      ...storage,
      list: (prefix) => {
        if (isDown) throw new Error('the storage is down')
        return storage.list(prefix)
      },
    }
    const worker = arrivalSweep({
      ...{ ...options, storage: shaky, log: silentLog, everyMs: 20, settledMs: 0 },
    })
    const running = runPeriodically(worker, { signal: stop.signal, log: silentLog })
    await put(storage, 'incoming/acme/a.zip')
    isDown = false
    await expect.poll(jobs).toHaveLength(1)
    stop.abort()
    await running
  })
})

withBroker('S3_ENDPOINT', (endpoint) => {
  test('a bucket is swept as a folder is', async () => {
    const bucket = process.env['S3_BUCKET'] ?? 'posthorn-test'
    const storage = s3Storage({ bucket, endpoint, region: 'us-east-1' })
    const org = `org-${randomUUID()}`
    const key = `incoming/${org}/ü +%.zip`
    const { etag } = await put(storage, key)
    options = { ...options, storage, bucket }
    const post = await server(options)
    await sweep(new Set())
    const written = encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+')
    expect(await post({ Records: [event(written, etag)] })).toMatchObject({ known: 1 })
    expect(await jobs()).toContainEqual({ org_id: org, storage_key: key })
    await storage.remove(key)
  })
})

async function appOf(arrival: ArrivalOptions, token: string | undefined): Promise<App> {
  const app = await createApp({
    title: 'arrivals',
    version: '1',
    production: false,
    log: false,
    verify: createVerifier({ secret: 'a secret of at least thirty-two bytes' }),
  })
  onTestFinished(() => app.close())
  eventRoutes(app, { ...arrival, token, log: silentLog })
  await app.ready()
  return app
}

async function server(arrival: ArrivalOptions) {
  const app = await appOf(arrival, TOKEN)
  return async (body: object): Promise<Record<string, number>> => {
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/file-jobs/s3-events',
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: body,
    })
    expect(response.statusCode).toBe(200)
    return response.json()
  }
}

function event(key: string, eTag: string, object: object = {}) {
  const s3 = { bucket: { name: options.bucket }, object: { key, size: 1, eTag, ...object } }
  return { eventVersion: '2.1', eventName: 'ObjectCreated:Put', s3 }
}

function put(storage: Storage, key: string, content = 'a ZIP') {
  return storage.put(
    key,
    (async function* () {
      yield Buffer.from(content)
    })(),
  )
}

function sweep(known: ReadonlySet<string>, settledMs = 0) {
  const never = new AbortController().signal
  return sweepArrivals({ ...options, log: silentLog, everyMs: 1, settledMs }, known, never)
}

async function jobs(): Promise<Record<string, unknown>[]> {
  const { rows } = await db.pool.query<Record<string, unknown>>(
    'select org_id, storage_key from evidence.file_job where bucket = $1 order by storage_key',
    [options.bucket],
  )
  return rows
}
