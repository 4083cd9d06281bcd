import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BucketHints } from './bucket-leases.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** After a first look at all. */
function looked(): BucketHints {
  vi.advanceTimersByTime(1_000)
  const hints = new BucketHints()
  expect(hints.take()).toBeUndefined()
  return hints
}

test('a look behind rings for buckets is for those alone, once', () => {
  const hints = looked()
  hints.note(new Set([3]))
  hints.note(new Set([3, 7]))
  expect(hints.take()).toEqual(new Set([3, 7]))
  expect(hints.take()).toBeUndefined()
})

test('a ring for anything makes the next look a whole one', () => {
  const hints = looked()
  hints.note(new Set([3]))
  hints.note(undefined)
  hints.note(new Set([4]))
  expect(hints.take()).toBeUndefined()
  hints.note(new Set([5]))
  expect(hints.take()).toEqual(new Set([5]))
})

test('many buckets are looked at as all', () => {
  const hints = looked()
  hints.note(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]))
  expect(hints.take()).toBeUndefined()
})

test('all are looked at now and then, however often it rings for one', () => {
  const hints = looked()
  const whole: number[] = []
  for (let ms = 1; ms <= 200; ms += 1) {
    vi.advanceTimersByTime(1)
    hints.note(new Set([3]))
    if (hints.take() === undefined) whole.push(ms)
  }
  expect(whole).toEqual([50, 100, 150, 200])
})
