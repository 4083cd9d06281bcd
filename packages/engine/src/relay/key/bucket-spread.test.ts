import { expect, test } from 'vitest'
import { BUCKETS } from '../settle/bucket.sql.ts'
import { BucketSpread, type Found } from './bucket-spread.ts'

const BATCH = 500

/** A claim from a backlog in which some buckets have keys, each with more messages than anybody takes. */
function claim(spread: BucketSpread, keysOf: (bucket: number) => number): Found {
  const buckets = Array.from({ length: Math.min(spread.width, BUCKETS / 2) }, (_, n) => n)
  const limit = spread.limitOf(BATCH, buckets.length)
  const used = new Map<number, number>()
  let left = BATCH
  let keys = 0
  for (const bucket of buckets.filter((each) => keysOf(each) > 0)) {
    if (left === 0) break
    used.set(bucket, Math.min(limit, left))
    left -= Math.min(limit, left)
    keys += keysOf(bucket)
  }
  const found = { buckets, used, rows: BATCH - left, keys, batch: BATCH }
  spread.learn(found)
  spread.learnCrowded(found)
  return found
}

/** The last of some claims. */
function claims(keysOf: (bucket: number) => number, spread = new BucketSpread(4)): Found {
  for (let n = 0; n < 20; n += 1) claim(spread, keysOf)
  return claim(spread, keysOf)
}

test('few buckets are read where they have many keys, and more where they have not', () => {
  expect(claims(() => 100).used.size).toBe(4)
  expect(claims(() => 16).used.size).toBe(4)
  expect(claims(() => 2).used.size).toBe(8)
  expect(claims(() => 1).used.size).toBe(16)
})

test('buckets that have nothing do not keep the others from being read', () => {
  const { used, keys } = claims((bucket) => (bucket % 4 === 3 ? 1 : 0))
  expect({ used: used.size, keys }).toEqual({ used: 8, keys: 8 })
})

test('one bucket that has something gives a whole batch', () => {
  expect([...claims((bucket) => (bucket === 30 ? 1 : 0)).used]).toEqual([[30, BATCH]])
})

test('it is narrow again when there are more keys, and does not go to and fro', () => {
  const spread = new BucketSpread(4)
  expect(claims(() => 1, spread).used.size).toBe(16)
  expect(claims(() => 16, spread).used.size).toBe(4)
  for (let n = 0; n < 10; n += 1) expect(claim(spread, () => 5).used.size).toBe(4)
})

test('a batch that is not half filled is looked for in more buckets', () => {
  const spread = new BucketSpread(2)
  const found = { buckets: [0, 1], used: new Map(), keys: 20, batch: BATCH }
  spread.learnCrowded({ ...found, rows: BATCH / 2 })
  expect(spread.width).toBe(2)
  spread.learnCrowded({ ...found, rows: BATCH / 2 - 1 })
  expect(spread.width).toBe(4)
})
