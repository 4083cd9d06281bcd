import { expect, test } from 'vitest'
import { replayInBatches } from './replay.ts'

/** Dead messages that each call takes from. */
function grave(dead: number) {
  const limits: number[] = []
  const replay = async (limit: number) => {
    limits.push(limit)
    const taken = Math.min(limit, dead)
    dead -= taken
    return taken
  }
  return { limits, replay }
}

test('goes in batches, and says how far it is', async () => {
  const { limits, replay } = grave(1_200)
  const told: number[] = []
  const done = await replayInBatches({ count: 1_200, perSecond: undefined }, replay, (n) =>
    told.push(n),
  )
  expect(done).toBe(1_200)
  expect(limits).toEqual([500, 500, 200])
  expect(told).toEqual([500, 1_000, 1_200])
})

test('takes no more than was counted, although messages die meanwhile', async () => {
  const { replay } = grave(9_999)
  expect(await replayInBatches({ count: 700, perSecond: undefined }, replay, () => {})).toBe(700)
})

test('ends when somebody else was faster', async () => {
  const { replay } = grave(100)
  expect(await replayInBatches({ count: 700, perSecond: undefined }, replay, () => {})).toBe(100)
})

test('a rate goes in one call, since each spaces out only its own', async () => {
  const { limits, replay } = grave(20_000)
  expect(await replayInBatches({ count: 20_000, perSecond: 10 }, replay, () => {})).toBe(10_000)
  expect(limits).toEqual([10_000])
})
