import { describe, expect, test } from 'vitest'
import { meet, planOf, type FaultOrder, type FaultPlan } from './fault.ts'

/** What `count` requests in a row meet: a letter for each, `.` for no fault. */
function run(order: FaultOrder, count: number): string {
  let plan: FaultPlan | undefined = planOf(order)
  let met = ''
  for (let i = 0; i < count; i += 1) {
    const { fault, next } = meet(plan)
    met += fault ? fault.mode.charAt(0) : '.'
    plan = next
  }
  return met
}

describe('a fault', () => {
  test.each<[FaultOrder, string]>([
    [{ mode: 'ok' }, '......'],
    [{ mode: 'ok', times: 2 }, '......'],
    [{ mode: 'error' }, 'eeeeee'],
    [{ mode: 'error', times: 1 }, 'e.....'],
    [{ mode: 'timeout', times: 3 }, 'ttt...'],
    [{ mode: 'drop', after: 2 }, '..dddd'],
    [{ mode: 'slow', after: 2, times: 2 }, '..ss..'],
    [{ mode: 'error', after: 0, times: 6 }, 'eeeeee'],
    [{ mode: 'error', after: 6 }, '......'],
  ])('%j gives %s', (order, expected) => {
    expect(run(order, 6)).toBe(expected)
  })

  test('has defaults', () => {
    expect(planOf({ mode: 'error' })).toEqual({
      fault: { mode: 'error', status: undefined, code: undefined, effect: false, delayMs: 2_000 },
      after: 0,
      times: undefined,
    })
  })
})
