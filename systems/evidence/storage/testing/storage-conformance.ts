import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { NotStored, TooLarge, type Storage } from '../storage.ts'

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
