import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inTime, keepPace, UploadSlots, type Pace } from './upload.ts'

const takeAll = (slots: UploadSlots, org: string): number => {
  let taken = 0
  while (slots.take(org) === 'taken') taken += 1
  return taken
}

test('two organisations that take what they get leave room for others', () => {
  const slots = new UploadSlots({ inAll: 8, perOrg: 8 })
  expect(['greedy', 'greedier', 'third'].map((org) => takeAll(slots, org))).toEqual([4, 2, 1])
  expect(slots.take('fourth')).toBe('taken')
  expect([slots.take('greedy'), slots.take('fifth')]).toEqual(['share used up', 'all used up'])
  slots.free('greedy')
  expect([slots.take('greedier'), slots.take('fifth')]).toEqual(['share used up', 'taken'])
})

test('an organisation has its own bound, and every slot comes back', () => {
  const slots = new UploadSlots({ inAll: 100, perOrg: 2 })
  expect([takeAll(slots, 'ours'), takeAll(slots, 'theirs')]).toEqual([2, 2])
  for (const org of ['ours', 'ours', 'theirs', 'theirs']) slots.free(org)
  expect(takeAll(slots, 'ours')).toBe(2)
})

const pace: Pace = { minBytesPerSecond: 1_000, windowMs: 200, tooSlow: () => new Error('slow') }

async function* chunks(sizes: readonly number[], everyMs: number): AsyncGenerator<Uint8Array> {
  for (const size of sizes) {
    await sleep(everyMs)
    yield new Uint8Array(size)
  }
}

const readAll = async (bytes: AsyncIterable<Uint8Array>): Promise<number> => {
  let sum = 0
  for await (const chunk of bytes) sum += chunk.length
  return sum
}

test('crumbs and silence end an upload, a slow but steady one does not', async () => {
  const steady = Array<number>(40).fill(5_000)
  const patient = { ...pace, windowMs: 500 }
  expect(await readAll(keepPace(chunks(steady, 25), patient))).toBe(200_000)
  await expect(readAll(keepPace(chunks(Array(1_000).fill(1), 10), pace))).rejects.toThrow('slow')
  const never = new Promise<never>(() => undefined)
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => never }) }
  await expect(readAll(keepPace(silent, pace))).rejects.toThrow('slow')
  await expect(inTime(never, pace)).rejects.toThrow('slow')
  expect(await inTime(Promise.resolve(7), pace)).toBe(7)
})
