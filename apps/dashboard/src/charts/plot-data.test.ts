import { expect, test } from 'vitest'
import { largest, ratesOf, stack, stretchAt, summaryOf, type PlotTimes } from './plot-data.ts'

const from = Date.parse('2026-11-16T12:00:00Z')
const times: PlotTimes = { from, stretchMs: 60_000, count: 3, now: from + 135_000 }
const series = (id: string, values: readonly (number | null)[]) => ({
  id,
  label: id,
  color: 'blue',
  values,
})

test('a minute that goes on is no cliff: its rate is by the seconds it has lasted', () => {
  expect(ratesOf([60, 120, 30], times)).toEqual([1, 2, 2])
  expect(ratesOf([60, 120, 30], times, 'minute')).toEqual([60, 120, 120])
  expect([0, 1, 2].map((i) => stretchAt(times, i).isRunning)).toEqual([false, false, true])
})

test('series are put on each other, and the small ones together', () => {
  expect(stack([series('a', [1, null]), series('b', [2, 3])])).toEqual([
    [1, 0],
    [3, 3],
  ])
  const many = ['a', 'b', 'c', 'd'].map((id, i) => series(id, [i, i]))
  expect(largest(many, 2).map(({ id, values }) => [id, values])).toEqual([
    ['d', [3, 3]],
    ['others', [3, 3]],
  ])
})

test('a plot says its last value and its peak', () => {
  const said = summaryOf(
    { title: 'Rate', series: [series('a', [1, 9, 2])], times },
    (n) => `${n}/s`,
  )
  expect(said).toMatch(/^Rate\. a: 9\/s last, 9\/s at most at \d\d:01\.$/)
  expect(summaryOf({ title: 'Rate', series: [], times }, String)).toBe(
    'Rate. Nothing in this time.',
  )
})
