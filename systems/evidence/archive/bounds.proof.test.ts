import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { makeZip, type MadeEntry } from '@posthorn/bulk/zip/testing'
import { CSV, PDF } from './testing/opening.ts'

const folder = await mkdtemp(join(tmpdir(), 'posthorn-bounds-'))
afterAll(() => rm(folder, { recursive: true }))

/** 300 MB of zeros, packed: more than the test allows to be held in memory. */
const BOMB = deflateRawSync(Buffer.alloc(300_000_000))

const many = (count: number): MadeEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${index}.pdf`,
    data: PDF,
    method: index % 10 === 0 ? 8 : 0,
  }))

const lying = (size: number): Partial<MadeEntry> => ({
  packed: BOMB,
  local: { size },
  central: { size },
})

const SERVER_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=50']

const ARCHIVES: Record<string, () => Buffer> = {
  'seventy-thousand.zip': () => makeZip([CSV, ...many(70_000)], { zip64: true }),
  'too-many.zip': () => makeZip([CSV, ...many(100_000)], { zip64: true }),
  'bomb.zip': () => makeZip([CSV, { name: 'bomb.pdf', ...lying(300_000_000) }]),
  'secret-bomb.zip': () => makeZip([CSV, { name: 'bomb.pdf', ...lying(90_000) }]),
  'many-secret-bombs.zip': () =>
    makeZip([
      CSV,
      ...Array.from({ length: 50 }, (_, index) => ({ name: `${index}.pdf`, ...lying(90_000) })),
    ]),
  'many-small-bombs.zip': () =>
    makeZip([
      CSV,
      ...Array.from({ length: 50_000 }, (_, index) => ({
        ...{ name: `${index}.pdf`, packed: BOMB.subarray(0, 400) },
        ...{ local: { size: 30_000 }, central: { size: 30_000 } },
      })),
    ]),
  'csv-bomb.zip': () => makeZip([{ name: 'rows.csv', ...lying(90_000) }]),
  'large-file.zip': () => makeZip([CSV, { name: 'a.pdf', data: noise(24_000_000) }]),
}

test('neither many entries nor bombs cost much memory', async () => {
  for (const [key, make] of Object.entries(ARCHIVES)) await writeFile(join(folder, key), make())
  const script = fileURLToPath(new URL('./testing/opening-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // As `npm start` runs the server: without them V8 keeps as much that it could collect.
    [...SERVER_FLAGS, script, folder, ...Object.keys(ARCHIVES)],
    { timeout: 150_000 },
  )
  const { results, grownMb } = JSON.parse(stdout) as { results: object; grownMb: number }
  expect(results).toEqual({
    'seventy-thousand.zip': '70000 files, 1000 read',
    'too-many.zip': 'TOO_MANY_ENTRIES',
    'bomb.zip': 'RATIO_EXCEEDED',
    'secret-bomb.zip': '1 files, 0 read',
    'many-secret-bombs.zip': '50 files, 0 read',
    'many-small-bombs.zip': '50000 files, 0 read',
    'csv-bomb.zip': 'HEADER_MISMATCH',
    'large-file.zip': '1 files, 1 read',
  })
  expect(grownMb).toBeLessThan(250)
}, 200_000)

function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at)
  bytes.write('%PDF-1.7')
  return bytes
}
