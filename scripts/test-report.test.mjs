import { expect, test } from 'vitest'
import { judgeFlaky, MAX_FLAKY } from './test-report.mjs'

const run = (passed, ...tests) => ({
  counts: { passed, failed: tests.length, skipped: 1 },
  failures: tests.map((name) => ({ file: '/a.test.ts', test: name })),
})

test('a test that passes when it is run again is flaky and counts as passed', () => {
  const { counts, failures, flaky } = judgeFlaky(run(10, 'slow', 'broken'), run(4, 'broken'))
  expect(flaky).toEqual([{ file: '/a.test.ts', test: 'slow' }])
  expect(failures).toEqual([{ file: '/a.test.ts', test: 'broken' }])
  expect(counts).toEqual({ passed: 11, failed: 1, skipped: 1 })
})

test('more than two flaky tests fail the run', () => {
  const names = Array.from({ length: MAX_FLAKY + 1 }, (_, n) => `test ${n}`)
  const few = judgeFlaky(run(10, ...names.slice(1)), run(MAX_FLAKY))
  expect(few.counts).toMatchObject({ failed: 0 })
  const many = judgeFlaky(run(10, ...names), run(names.length))
  expect(many.counts).toEqual({ passed: 13, failed: 1, skipped: 1 })
  expect(many.failures).toEqual([{ file: '.', test: '3 flaky tests, more than 2' }])
})

test('a failure that only the second run has is a failure', () => {
  const { counts } = judgeFlaky(run(10, 'slow'), run(4, 'other'))
  expect(counts.failed).toBe(1)
})

test('a second run that ran nothing leaves the first as it is', () => {
  expect(judgeFlaky(run(10, 'broken'), run(0)).counts.failed).toBe(1)
})
