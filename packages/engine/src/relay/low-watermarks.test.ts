import { expect, test } from 'vitest'
import { LowWatermarks } from './low-watermarks.ts'

/** One read of bucket 7: the `seq` that it found, and the snapshot under which it did. */
function read(floors: LowWatermarks, seqs: number[], snapshot: string): void {
  const rows = seqs.map((seq, i) => ({
    bucket: 7,
    seq: String(seq),
    claim_snapshot: i === 0 ? snapshot : null,
  }))
  floors.learn([7], rows)
}

test('a read from the front proposes, and the next one under younger transactions raises', () => {
  const floors = new LowWatermarks()
  read(floors, [90, 91], '500:503:501')
  expect(floors.of(7)).toBe(0)
  read(floors, [95, 96], '503:506:')
  expect(floors.of(7)).toBe(90)
  read(floors, [120], '506:506:')
  expect(floors.of(7)).toBe(95)
})

test('a transaction that was open when a floor was proposed keeps it down', () => {
  const floors = new LowWatermarks()
  read(floors, [91], '500:503:500')
  // 500 may have written 90 and not committed it yet.
  read(floors, [100], '500:510:500')
  read(floors, [110], '500:520:500')
  expect(floors.of(7)).toBe(0)
  // It has: the read that finds its message stays at it.
  read(floors, [90, 130], '520:520:')
  expect(floors.of(7)).toBe(90)
})

test('nothing found changes nothing; time leads back to the front', () => {
  let now = 0
  const floors = new LowWatermarks(() => now)
  read(floors, [90], '500:500:')
  read(floors, [95], '501:501:')
  read(floors, [], '')
  expect(floors.of(7)).toBe(90)
  now += 60_000
  expect(floors.of(7)).toBe(0)
})
