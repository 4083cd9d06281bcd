import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { sleep } from './sleep.ts'

test('a sleep ends after its time and leaves no listener behind', async () => {
  const { signal } = new AbortController()
  const started = performance.now()
  await sleep(30, signal)
  expect(performance.now() - started).toBeGreaterThanOrEqual(25)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort ends a sleep at once, without an error', async () => {
  const stop = new AbortController()
  const started = performance.now()
  const sleeping = sleep(60_000, stop.signal)
  stop.abort()
  await sleeping
  await sleep(60_000, stop.signal)
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
})
