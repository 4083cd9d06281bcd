import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderStorage } from './folder.ts'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotStored, type Storage, TooLarge } from './storage.ts'
import { proxyTo, withBroker } from '@posthorn/engine/testing'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Storage } from './s3.ts'

/** Keys that break careless storages; also S3 servers that keep files. */
const STRANGE_NAMES = [
  'with space.zip',
  'plus+plus.zip',
  'percent%20.zip',
  '100%.zip',
  'Überweisung – 東京.zip',
  'e\u0301.zip',
  "quote'and&amp.zip",
  'semi;colon=equals,comma.zip',
  '#hash?question.zip',
  '[brackets] {braces}.zip',
]

/** What every storage must do. `makeStorage` gives an empty place, with a prefix of its own. */
export function storageConformance(
  name: string,
  makeStorage: () => Promise<{ storage: Storage; prefix: string }>,
): void {
  describe(`${name} keeps the storage's contract`, { timeout: 60_000 }, () => {
    test('gives back what was put, whole and by ranges', async () => {
      const { storage, prefix } = await makeStorage()
      const bytes = randomBytes(100_000)
      const put = await storage.put(`${prefix}a.zip`, chunks(bytes), {
        contentType: 'application/zip',
      })
      expect(put).toMatchObject({ key: `${prefix}a.zip`, size: 100_000 })

      const read = async (range?: { start?: number; end?: number }) =>
        buffer(await storage.read(`${prefix}a.zip`, range))
      expect((await read()).equals(bytes)).toBe(true)
      expect((await read({ start: 99_990 })).equals(bytes.subarray(99_990))).toBe(true)
      expect((await read({ end: 10 })).equals(bytes.subarray(0, 10))).toBe(true)
      expect((await read({ start: 10, end: 20 })).equals(bytes.subarray(10, 20))).toBe(true)
      expect((await read({ start: 99_999, end: 500_000 })).equals(bytes.subarray(99_999))).toBe(
        true,
      )
      expect(await read({ start: 100_000 })).toHaveLength(0)
      expect(await read({ start: 10, end: 10 })).toHaveLength(0)
    })

    test('stores nothing at all as well', async () => {
      const { storage, prefix } = await makeStorage()
      expect(await storage.put(`${prefix}empty`, chunks(Buffer.alloc(0)))).toMatchObject({
        size: 0,
      })
      expect(await buffer(await storage.read(`${prefix}empty`))).toHaveLength(0)
      expect(await buffer(await storage.read(`${prefix}empty`, { end: 10 }))).toHaveLength(0)
    })

    test('tells what it has without reading it', async () => {
      const { storage, prefix } = await makeStorage()
      const key = `${prefix}folder/a.zip`
      const put = await storage.put(key, chunks(Buffer.from('one')))
      const head = await storage.head(key)
      expect(head).toMatchObject({ key, size: 3, etag: put.etag })
      expect(Math.abs(Date.now() - Number(head?.modifiedAt))).toBeLessThan(60_000)
      expect(put.etag).toMatch(/^[^"]+$/)

      await storage.put(key, chunks(Buffer.from('two')))
      expect((await storage.head(key))?.etag).not.toBe(put.etag)
      expect(await storage.head(`${prefix}folder`)).toBeUndefined()
      expect(await storage.head(`${prefix}nothing`)).toBeUndefined()
    })

    test('says so when there is nothing to read', async () => {
      const { storage, prefix } = await makeStorage()
      await storage.put(`${prefix}folder/a.zip`, chunks(Buffer.from('x')))
      for (const missing of ['nothing', 'folder', 'nothing/at/all', 'folder/a.zip/below']) {
        await expect(storage.read(prefix + missing)).rejects.toThrow(NotStored)
        await expect(storage.read(prefix + missing, { end: 0 })).rejects.toThrow(NotStored)
      }
    })

    test.each(STRANGE_NAMES)('takes the name %s', async (strange) => {
      const { storage, prefix } = await makeStorage()
      const key = `${prefix}${strange}`
      await storage.put(key, chunks(Buffer.from(strange)))
      expect((await buffer(await storage.read(key))).toString()).toBe(strange)
      expect((await storage.head(key))?.key).toBe(key)
      expect(await keysOf(storage, prefix)).toEqual([key])
      await storage.remove(key)
      expect(await storage.head(key)).toBeUndefined()
    })

    test('lists what begins with a prefix, more than a page of it', async () => {
      const { storage, prefix } = await makeStorage()
      const keys = Array.from(
        { length: 1_050 },
        (_, index) => `${prefix}many/${index % 7}/${index}`,
      )
      for (let from = 0; from < keys.length; from += 50) {
        const some = keys.slice(from, from + 50)
        await Promise.all(some.map((key) => storage.put(key, chunks(Buffer.from('x')))))
      }
      await storage.put(`${prefix}other/1`, chunks(Buffer.from('x')))

      expect((await keysOf(storage, `${prefix}many/`)).toSorted()).toEqual(keys.toSorted())
      const half = keys.filter((key) => key.startsWith(`${prefix}many/3/1`))
      expect((await keysOf(storage, `${prefix}many/3/1`)).toSorted()).toEqual(half.toSorted())
      expect(await keysOf(storage, `${prefix}none/`)).toEqual([])
    })

    test('removes once and again', async () => {
      const { storage, prefix } = await makeStorage()
      await storage.put(`${prefix}a`, chunks(Buffer.from('x')))
      await storage.remove(`${prefix}a`)
      await storage.remove(`${prefix}a`)
      await expect(storage.read(`${prefix}a`)).rejects.toThrow(NotStored)
    })

    test('shows nothing of a put that fails, small or in parts', async () => {
      const { storage, prefix } = await makeStorage()
      for (const size of [1_000, 20_000_000]) {
        const broken = storage.put(`${prefix}a`, breakAfter(size))
        await expect(broken).rejects.toThrow('the source broke')
        const big = storage.put(`${prefix}a`, chunks(Buffer.alloc(size)), { maxBytes: size - 1 })
        await expect(big).rejects.toThrow(TooLarge)
      }
      expect(await keysOf(storage, prefix)).toEqual([])
      const fitting = await storage.put(`${prefix}a`, chunks(Buffer.alloc(500)), { maxBytes: 500 })
      expect(fitting.size).toBe(500)
    })

    test('shows nothing of a put that is aborted, even while its source says nothing', async () => {
      const { storage, prefix } = await makeStorage()
      for (const size of [1_000, 20_000_000]) {
        const stop = new AbortController()
        const reason = new Error('no longer wanted')
        const put = storage.put(
          `${prefix}a`,
          silentAfter(size, () => stop.abort(reason)),
          {
            signal: stop.signal,
          },
        )
        await expect(put).rejects.toThrow('no longer wanted')
      }
      const late = storage.put(`${prefix}a`, chunks(Buffer.from('x')), {
        signal: AbortSignal.abort(),
      })
      await expect(late).rejects.toThrow('aborted')
      expect(await keysOf(storage, prefix)).toEqual([])
    })

    test('keeps the old bytes when a new put fails', async () => {
      const { storage, prefix } = await makeStorage()
      await storage.put(`${prefix}a`, chunks(Buffer.from('old')))
      await expect(storage.put(`${prefix}a`, breakAfter(1_000))).rejects.toThrow('broke')
      expect((await buffer(await storage.read(`${prefix}a`))).toString()).toBe('old')
    })

    test('ends with one whole object when several put the same key', async () => {
      const { storage, prefix } = await makeStorage()
      const versions = Array.from({ length: 6 }, (_, index) => Buffer.alloc(9_000_000, index))
      const puts = await Promise.all(
        versions.map((bytes) => storage.put(`${prefix}same`, chunks(bytes))),
      )
      const found = await buffer(await storage.read(`${prefix}same`))
      expect(versions.some((bytes) => bytes.equals(found))).toBe(true)
      expect(puts.map(({ etag }) => etag)).toContain((await storage.head(`${prefix}same`))?.etag)
      expect(await keysOf(storage, prefix)).toEqual([`${prefix}same`])
    })

    test('stops reading when the signal says so', async () => {
      const { storage, prefix } = await makeStorage()
      await storage.put(`${prefix}a`, chunks(Buffer.alloc(20_000_000)))
      const stop = new AbortController()
      const stream = await storage.read(`${prefix}a`, { signal: stop.signal })
      const reading = digestOf(stream, () => stop.abort())
      await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    })

    test('fails its reader, not the process, when the signal comes before the reader', async () => {
      const { storage, prefix } = await makeStorage()
      await storage.put(`${prefix}a`, chunks(Buffer.alloc(1_000_000)))
      const stop = new AbortController()
      const stream = await storage.read(`${prefix}a`, { signal: stop.signal })
      stop.abort()
      await sleep(20)
      await expect(buffer(stream)).rejects.toMatchObject({ name: 'AbortError' })
      const late = storage.read(`${prefix}a`, { signal: stop.signal })
      await expect(late).rejects.toMatchObject({ name: 'AbortError' })
    })
  })
}

async function digestOf(stream: AsyncIterable<Uint8Array>, onFirst: () => void): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) {
    onFirst()
    hash.update(chunk)
  }
  return hash.digest('hex')
}

async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys
}

async function* chunks(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 65_536) {
    yield bytes.subarray(from, from + 65_536)
  }
}

async function* breakAfter(size: number): AsyncIterable<Uint8Array> {
  yield* chunks(Buffer.alloc(size))
  throw new Error('the source broke')
}

async function* silentAfter(size: number, silent: () => void): AsyncIterable<Uint8Array> {
  yield* chunks(Buffer.alloc(size))
  silent()
  await sleep(60_000, undefined, { ref: false })
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-storage-'))
})
afterAll(() => rm(folder, { recursive: true }))

storageConformance('a folder', async () => ({
  storage: folderStorage(await mkdtemp(join(folder, 'storage-'))),
  prefix: 'incoming/acme/',
}))

describe('a folder', () => {
  test.each([
    '../out',
    '..',
    '.',
    '/etc/passwd',
    'a/../../out',
    'a//b',
    'C:\\x',
    '.hidden',
    'a\0b',
  ])('holds the key %j inside', async (key) => {
    const inside = await mkdtemp(join(folder, 'inside-'))
    const storage = folderStorage(join(inside, 'deep', 'deeper'))
    await storage.put(key, one('x'))
    expect((await buffer(await storage.read(key))).toString()).toBe('x')
    const keys = []
    for await (const object of storage.list('')) keys.push(object.key)
    expect(keys).toEqual([key])
    expect(await readdir(inside)).toEqual(['deep'])
    expect(await readdir(join(inside, 'deep'))).toEqual(['deeper'])
  })

  test('takes files dropped into it, but not hidden ones', async () => {
    const dropped = await mkdtemp(join(folder, 'dropped-'))
    await mkdir(join(dropped, 'incoming/acme'), { recursive: true })
    for (const name of ['a b+c 100%.zip', '.DS_Store', '.partial.zip']) {
      await writeFile(join(dropped, 'incoming/acme', name), 'x')
    }
    const storage = folderStorage(dropped)
    const keys = []
    for await (const { key } of storage.list('incoming/')) keys.push(key)
    expect(keys).toEqual(['incoming/acme/a b+c 100%.zip'])
    expect(await storage.head(keys[0] ?? '')).toMatchObject({ size: 1 })
  })

  test('reads to the end what is replaced meanwhile', async () => {
    const storage = folderStorage(await mkdtemp(join(folder, 'replaced-')))
    await storage.put('a', one('old'.repeat(1_000_000)))
    const stream = await storage.read('a')
    await storage.put('a', one('new'))
    expect((await buffer(stream)).toString('utf8', 2_999_997)).toBe('old')
  })

  test('clears away what a process left that died long ago', async () => {
    const left = await mkdtemp(join(folder, 'left-'))
    const unfinished = join(left, '.unfinished')
    await mkdir(unfinished)
    await writeFile(join(unfinished, 'old'), 'x')
    await writeFile(join(unfinished, 'young'), 'x')
    const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000)
    await utimes(join(unfinished, 'old'), twoDaysAgo, twoDaysAgo)
    await folderStorage(left).put('a', one('x'))
    expect(await readdir(unfinished)).toEqual(['young'])
  })
})

async function* one(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}

withBroker('S3_ENDPOINT', (endpoint) => {
  const bucket = process.env['S3_BUCKET'] ?? 'posthorn-test'
  const run = `test-${randomUUID()}`

  storageConformance('a bucket', async () => ({
    storage: s3Storage({ bucket, endpoint, region: 'us-east-1' }),
    prefix: `${run}/${randomUUID()}/`,
  }))

  test('a read whose line breaks fails; it does not end early', async () => {
    const line = await proxyTo(endpoint)
    const storage = s3Storage({ bucket, endpoint: line.by(endpoint), region: 'us-east-1' })
    await storage.put(`${run}/cut`, zeros(30))
    const stream = await storage.read(`${run}/cut`)
    let size = 0
    const reading = (async () => {
      for await (const chunk of stream) {
        size += (chunk as Buffer).length
        line.cut()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(size).toBeLessThan(30_000_000)
  })

  test('a put whose line breaks fails and shows nothing', async () => {
    const line = await proxyTo(endpoint)
    const storage = s3Storage({ bucket, endpoint: line.by(endpoint), region: 'us-east-1' })
    const put = storage.put(
      `${run}/lost`,
      zeros(3, () => line.cut()),
    )
    await expect(put).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const direct = s3Storage({ bucket, endpoint, region: 'us-east-1' })
    expect(await direct.head(`${run}/lost`)).toBeUndefined()
  })

  afterAll(async () => {
    const storage = s3Storage({ bucket, endpoint, region: 'us-east-1' })
    const keys: string[] = []
    for await (const { key } of storage.list(`${run}/`)) keys.push(key)
    while (keys.length > 0) await Promise.all(keys.splice(0, 40).map((key) => storage.remove(key)))
  })

  test('a failed put leaves no parts that cost money', async () => {
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
    const { Uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: `${run}/` }),
    )
    expect(Uploads).toEqual([])
  })
})

async function* zeros(megabytes: number, atEnd: () => void = () => undefined) {
  for (let index = 0; index < megabytes; index += 1) yield Buffer.alloc(1_000_000)
  atEnd()
}
