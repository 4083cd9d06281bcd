import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRefreshQueue } from './use-fresh.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('runs at once, then as rarely as its requests cost, and nothing twice', () => {
  const ran: string[] = []
  const queue = createRefreshQueue({
    perRequestMs: 1_000,
    run: (name) => ran.push(name) && (name === 'gone' ? 0 : 2),
  })
  queue.add('a')
  for (let i = 0; i < 50; i++) queue.add('a')
  queue.add('gone')
  queue.add('b')
  expect(ran).toEqual(['a'])
  vi.advanceTimersByTime(1_999)
  expect(ran).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(ran).toEqual(['a', 'a'])
  vi.advanceTimersByTime(2_000)
  expect(ran).toEqual(['a', 'a', 'gone', 'b'])
  vi.advanceTimersByTime(60_000)
  queue.add('c')
  expect(ran.at(-1)).toBe('c')
  expect(ran).toHaveLength(5)
})
