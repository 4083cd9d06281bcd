import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderStorage } from './folder.ts'
import { storageConformance } from './testing/storage-conformance.ts'

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
