import { expect, test } from 'vitest'
import { backOff } from './back-off.ts'
import { Semaphore } from './semaphore.ts'

test('so many run at once, the others in the order in which they came', async () => {
  const semaphore = new Semaphore(2)
  const began: number[] = []
  const ends = [1, 2, 3, 4].map((n) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    void semaphore.run(() => (began.push(n), promise))
    return resolve
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  await settle()
  expect(began).toEqual([1, 2])
  ends[1]?.()
  await settle()
  expect(began).toEqual([1, 2, 3])
  ends[0]?.()
  ends[2]?.()
  await settle()
  expect(began).toEqual([1, 2, 3, 4])
})

test('work that fails gives its place back, and a place is given back once', async () => {
  const semaphore = new Semaphore(1)
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const release = await semaphore.acquire()
  release()
  release()
  await semaphore.acquire()
  const third = semaphore.acquire().then(() => 'got it')
  const late = new Promise((resolve) => setImmediate(resolve, 'waits'))
  expect(await Promise.race([third, late])).toBe('waits')
})

test.each([
  [0, 100],
  [1, 200],
  [3, 800],
  [6, 5_000],
  [9_999, 5_000],
])('after %i earlier failures the wait is %i ms', (failures, ms) => {
  expect(backOff(failures, { firstMs: 100, mostMs: 5_000 })).toBe(ms)
})
