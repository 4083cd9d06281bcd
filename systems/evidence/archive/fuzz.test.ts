import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Archive } from './archive.ts'
import { ARCHIVE_REASONS, BadFileError, FILE_FAULTS } from './reasons.ts'
import { descriptorOf, makeZip } from '@posthorn/bulk/zip/testing'
import { CSV, PDF, useOpening } from './testing/opening.ts'

const { open } = useOpening()

const GOOD = makeZip(
  [
    { name: 'files/', method: 0 },
    { name: 'files/a.pdf', data: PDF.padEnd(900, 'a') },
    { name: 'files/ü.pdf', data: PDF, method: 0 },
    { name: 'b.pdf', data: Buffer.concat([Buffer.from(PDF), randomBytes(700)]) },
    {
      ...{ name: 'c.pdf', data: PDF, flags: 0x808, local: { crc: 0, size: 0, packedSize: 0 } },
      behind: descriptorOf(PDF, deflateRawSync(PDF)),
    },
    CSV,
  ],
  { zip64: true, comment: Buffer.from('a comment') },
)

/** Numbers that a seed decides, so that a failure can be seen again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 0x1_0000_0000) * below)
  }
}

function mutate(seed: number): Buffer {
  const random = randomFrom(seed)
  const bytes = Buffer.from(GOOD)
  for (let flips = 1 + random(4); flips > 0; flips -= 1) {
    const at = random(bytes.length)
    const bits = random(3) === 0 ? random(256) : 1 << random(8)
    bytes[at] = (bytes[at] ?? 0) ^ bits
  }
  if (random(5) > 0) return bytes
  // A piece is lost, or stands there twice.
  const from = random(bytes.length)
  const to = from + random(60)
  const again = random(2) === 0 ? bytes.subarray(from, to) : Buffer.alloc(0)
  return Buffer.concat([bytes.subarray(0, from), again, again, bytes.subarray(to)])
}

async function readAll(archive: Archive): Promise<void> {
  await buffer(await archive.readCsv())
  for (const name of archive.names()) {
    try {
      await archive.readFile(name).then(buffer)
    } catch (error) {
      if (!(error instanceof BadFileError)) throw error
      expect(Object.keys(FILE_FAULTS)).toContain(error.code)
    }
  }
}

test('the archive is good to begin with', async () => {
  expect(await open(GOOD)).toMatchObject({ kind: 'opened' })
})

test('after any change, the archive is read, rejected, or has bad files', async () => {
  const count = { opened: 0, rejected: 0 }
  for (let seed = 1; seed <= 1_500; seed += 1) {
    try {
      const result = await open(mutate(seed))
      count[result.kind] += 1
      if (result.kind === 'opened') {
        await readAll(result.archive)
        await result.archive.close()
      } else expect(Object.keys(ARCHIVE_REASONS)).toContain(result.reason)
    } catch (cause) {
      throw new Error(`seed ${seed} broke the reader`, { cause })
    }
  }
  expect(count.opened).toBeGreaterThan(50)
  expect(count.rejected).toBeGreaterThan(500)
})
