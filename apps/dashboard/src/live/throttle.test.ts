import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createThrottle } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('works at once, then at most once in the time, and never misses the last call', () => {
  const work = vi.fn<() => void>()
  const throttle = createThrottle(1_000, work)
  throttle.call()
  expect(work).toHaveBeenCalledTimes(1)
  for (let i = 0; i < 50; i++) throttle.call()
  expect(work).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000)
  expect(work).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(10_000)
  expect(work).toHaveBeenCalledTimes(2)
  throttle.call()
  expect(work).toHaveBeenCalledTimes(3)
})

test('does nothing once it is closed', () => {
  const work = vi.fn<() => void>()
  const throttle = createThrottle(1_000, work)
  throttle.call()
  throttle.call()
  throttle.close()
  vi.advanceTimersByTime(10_000)
  expect(work).toHaveBeenCalledTimes(1)
})
