import { expect, test } from 'vitest'
import { toMs, type Duration } from '../duration.ts'
import { exponential, fixed, nextDelay, schedule, type RetryPolicy } from './retry.ts'

const seconds = (policy: RetryPolicy, tries: number) =>
  Array.from({ length: tries }, (_, i) => nextDelay(policy, i + 1) / 1_000)

test('fixed waits the same each time', () => {
  expect(seconds(fixed('6h', { attempts: 3 }), 3)).toEqual([21_600, 21_600, 21_600])
})

test('exponential multiplies up to its maximum', () => {
  expect(seconds(exponential('2s', { attempts: 5 }), 4)).toEqual([2, 4, 8, 16])
  expect(seconds(exponential('1s', { attempts: 9, factor: 3, max: '20s' }), 5)).toEqual([
    1, 3, 9, 20, 20,
  ])
})

test('a schedule gives up after its last delay, or repeats it', () => {
  expect(schedule(['1m', '5m']).attempts).toBe(3)
  const endless = schedule(['1s', '2s', '5s'], { then: 'repeat-last' })
  expect(endless.attempts).toBeUndefined()
  expect(seconds(endless, 5)).toEqual([1, 2, 5, 5, 5])
})

test.each([
  [() => (fixed as (delay: string) => unknown)('6h'), 'fixed(): attempts: is missing'],
  [() => (exponential as (first: string) => unknown)('2s'), 'exponential(): attempts: is missing'],
  [() => fixed('6h', { attempts: 3, jiter: 1 } as never), 'fixed(): jiter: is not a field'],
  [() => schedule(['1s'], { then: 'repeat-last', jiter: 1 } as never), 'schedule(): jiter'],
  [() => schedule('1s' as never), 'schedule(): delays: must be a list'],
])('options that are missing or misspelt are named: %s', (make, problem) => {
  expect(make).toThrow(problem)
})

test('jitter spreads a delay over both sides of it', () => {
  const policy = fixed('10s', { attempts: 2, jitter: 0.5 })
  expect(nextDelay(policy, 1, () => 0)).toBe(5_000)
  expect(nextDelay(policy, 1, () => 0.5)).toBe(10_000)
  expect(nextDelay(policy, 1, () => 0.999_999)).toBe(15_000)
})

test.each([
  ['250ms', 250],
  ['1.5s', 1_500],
  ['2m', 120_000],
  ['6h', 21_600_000],
  ['7d', 604_800_000],
] as [Duration, number][])('%s is %d ms', (duration, ms) => {
  expect(toMs(duration)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '-1s', '1w', '1e3s'])('"%s" is not a duration', (duration) => {
  expect(() => toMs(duration as Duration)).toThrow(
    expect.objectContaining({ code: 'DURATION_INVALID' }),
  )
})
