import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SpoolFile, sweepSpool } from './spool.ts'

async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-spool-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('what is appended is read by place, as a stream and by lines, and has no name', async () => {
  const folder = join(await folderForTest(), 'new')
  const spool = await SpoolFile.create(folder)
  onTestFinished(() => spool.close())
  const lines = Array.from({ length: 40_000 }, (_, i) => `${i}\té😀\n`)
  const whole = Buffer.from(lines.join(''))
  const memory = Buffer.alloc(1_000)
  for (let at = 0; at < whole.length; at += memory.length) {
    const length = whole.copy(memory, 0, at)
    await spool.append(memory.subarray(0, length))
    memory.fill(0)
  }
  expect(await readdir(folder)).toEqual([])
  expect(spool.size).toBe(whole.length)
  expect(await spool.read(5, 10)).toEqual(whole.subarray(5, 15))
  expect(await spool.read(whole.length - 3, 10)).toEqual(whole.subarray(-3))
  expect(Buffer.concat(await Array.fromAsync(spool.stream(7, 200_000)))).toEqual(
    whole.subarray(7, 200_000),
  )
  const read = await Array.fromAsync(spool.lines())
  expect(read.length).toBeGreaterThan(5)
  expect(read.every((text) => text.endsWith('\n'))).toBe(true)
  expect(read.join('')).toBe(whole.toString())
})

test('only what is old and its own is swept', async () => {
  const folder = await folderForTest()
  for (const name of ['posthorn-spooled-old', 'posthorn-spooled-new', 'other']) {
    await writeFile(join(folder, name), 'x')
  }
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  for (const name of ['posthorn-spooled-old', 'other']) {
    await utimes(join(folder, name), longAgo, longAgo)
  }
  await sweepSpool(folder)
  expect((await readdir(folder)).toSorted()).toEqual(['other', 'posthorn-spooled-new'])
  await sweepSpool(join(folder, 'missing'))
})
