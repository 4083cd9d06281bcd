import { expect, test } from 'vitest'
import { createBreaker } from './breaker.ts'

const options = { failures: 0.7, attempts: 10, window: '1m', probe: '30s' } as const

function breakerAt() {
  let now = 0
  const breaker = createBreaker(options, () => now)
  return { breaker, pass: (ms: number) => void (now += ms) }
}
const fail = (failed: number, delivered = 0) => ({ delivered, failed, unreachable: false })

test('opens at ten attempts with seven failures in a minute', () => {
  const { breaker } = breakerAt()
  breaker.record(fail(6, 3))
  expect(breaker.permit().kind).toBe('go')
  breaker.record(fail(1))
  expect(breaker.permit()).toEqual({ kind: 'wait', ms: 30_000 })
})

test('stays closed below either limit, and forgets what is older than its window', () => {
  const { breaker, pass } = breakerAt()
  breaker.record(fail(9))
  expect(breaker.isOpen).toBe(false)
  pass(61_000)
  breaker.record(fail(9))
  expect(breaker.isOpen).toBe(false)
  const mixed = breakerAt().breaker
  mixed.record(fail(6, 4))
  expect(mixed.isOpen).toBe(false)
})

test('counts what is in its window, however long it has gone on', () => {
  const { breaker, pass } = breakerAt()
  for (let ms = 0; ms < 200_000; ms += 1) {
    breaker.record(fail(0, 1))
    pass(1)
  }
  // Seven of ten, with the last minute's deliveries without its first.
  breaker.record(fail(139_997))
  expect(breaker.isOpen).toBe(false)
  breaker.record(fail(1))
  expect(breaker.isOpen).toBe(true)
})

test('lets one probe through each 30 s; its answer decides', () => {
  const { breaker, pass } = breakerAt()
  breaker.record(fail(10))
  pass(30_000)
  expect(breaker.permit().kind).toBe('probe')
  expect(breaker.permit()).toEqual({ kind: 'wait', ms: 30_000 })
  breaker.record(fail(1))
  expect(breaker.isOpen).toBe(true)
  pass(30_000)
  expect(breaker.permit().kind).toBe('probe')
  breaker.record(fail(0, 1))
  expect(breaker.permit().kind).toBe('go')
})

test('waits 1, 2, 4 … 60 s for a destination that cannot be reached', () => {
  const breaker = createBreaker(undefined)
  const waits = Array.from({ length: 9 }, () => {
    breaker.record({ delivered: 0, failed: 1, unreachable: true })
    return breaker.backoffMs() / 1_000
  })
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  breaker.record({ delivered: 1, failed: 0, unreachable: false })
  expect(breaker.backoffMs()).toBe(1_000)
})
