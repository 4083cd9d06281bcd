import { expect, test } from 'vitest'
import { LowWatermarks } from './low-watermarks.ts'

/** One read of bucket 7: the `seq` that it found, the oldest open transaction, and its own number. */
function read(
  watermarks: LowWatermarks,
  seqs: number[],
  transactions: string,
  server = 'one',
): void {
  const rows = seqs.map((seq, i) => ({
    bucket: 7,
    seq: String(seq),
    claim_transactions: i === 0 ? `${transactions}:${server}` : null,
  }))
  watermarks.learn([7], rows)
}

test('a read from the front proposes, and the next one under younger transactions raises', () => {
  const watermarks = new LowWatermarks()
  read(watermarks, [90, 91], '500:503')
  expect(watermarks.of(7)).toBe(0)
  read(watermarks, [95, 96], '503:506')
  expect(watermarks.of(7)).toBe(90)
  read(watermarks, [120], '506:508')
  expect(watermarks.of(7)).toBe(95)
})

test('a transaction that was open when a watermark was proposed keeps it down', () => {
  const watermarks = new LowWatermarks()
  read(watermarks, [91], '500:503')
  // 500 may have written 90 and not committed it yet.
  read(watermarks, [100], '500:510')
  read(watermarks, [110], '500:520')
  expect(watermarks.of(7)).toBe(0)
  // It has: the read that finds its message stays at it.
  read(watermarks, [90, 130], '520:522')
  expect(watermarks.of(7)).toBe(90)
})

test('nothing found changes nothing; time leads back to the front', () => {
  let now = 0
  const watermarks = new LowWatermarks(() => now)
  read(watermarks, [90], '500:500')
  read(watermarks, [95], '501:501')
  read(watermarks, [], '')
  expect(watermarks.of(7)).toBe(90)
  now += 60_000
  expect(watermarks.of(7)).toBe(0)
})

test('a transaction beyond the last one that ended, open at the read, keeps the watermark down', () => {
  const watermarks = new LowWatermarks()
  // 500 was the first open one, and no later one had ended: the snapshot ends at 500 too. 501 is open
  // as well, and may have written 90.
  read(watermarks, [91], '500:502')
  read(watermarks, [91], '501:503')
  expect(watermarks.of(7)).toBe(0)
  read(watermarks, [90], '504:504')
  expect(watermarks.of(7)).toBe(90)
})

test('nothing that one server said holds on another', () => {
  const watermarks = new LowWatermarks()
  read(watermarks, [90], '500:503')
  read(watermarks, [95], '503:506')
  expect(watermarks.of(7)).toBe(90)
  // It has not seen the last transactions: their numbers, and `seq` below 90, are given once more.
  read(watermarks, [80], '498:499', 'two')
  expect(watermarks.of(7)).toBe(0)
  read(watermarks, [85], '504:507', 'two')
  expect(watermarks.of(7)).toBe(80)
  watermarks.begin({ bucket: 7, floor: '70', server: 'three' })
  expect(watermarks.of(7)).toBe(70)
})

test('a bucket that was given back and is taken again begins where its last owner stopped', () => {
  const watermarks = new LowWatermarks()
  read(watermarks, [90], '500:500')
  read(watermarks, [95], '501:501')
  watermarks.begin({ bucket: 7, floor: '0', server: 'one' })
  expect(watermarks.of(7)).toBe(0)
})
