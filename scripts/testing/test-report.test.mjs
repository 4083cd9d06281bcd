import { expect, test } from 'vitest'
import { describeFailure, failuresIn, judgeFlaky, MAX_FLAKY } from './test-report.mjs'

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

test('more flaky tests than one in a thousand fail the run', () => {
  const names = Array.from({ length: MAX_FLAKY + 1 }, (_, n) => `test ${n}`)
  const few = judgeFlaky(run(10, ...names.slice(1)), run(MAX_FLAKY))
  expect(few.counts).toMatchObject({ failed: 0 })
  const many = judgeFlaky(run(10, ...names), run(names.length))
  expect(many.counts).toEqual({ passed: 16, failed: 1, skipped: 1 })
  expect(many.failures).toEqual([{ file: '.', test: '6 flaky tests, more than 5' }])
})

test('a failure that only the second run has is a failure', () => {
  const { counts } = judgeFlaky(run(10, 'slow'), run(4, 'other'))
  expect(counts.failed).toBe(1)
})

test('a second run that ran nothing leaves the first as it is', () => {
  expect(judgeFlaky(run(10, 'broken'), run(0)).counts.failed).toBe(1)
})

const report = JSON.stringify({
  testResults: [
    {
      ...{ name: '/repo/a.test.ts', status: 'failed', message: '' },
      assertionResults: [
        { status: 'passed', fullName: 'fast', failureMessages: [] },
        {
          ...{ status: 'failed', fullName: 'slow' },
          failureMessages: [
            'AssertionError: expected [ 202, 503 ] to deeply equal [ 202 ]\n    at poll (/repo/node_modules/vitest/x.js:1:1)\n    at /repo/a.test.ts:68:22',
            'Error: the next one',
          ],
        },
      ],
    },
    {
      ...{ name: '/repo/b.test.ts', status: 'failed', assertionResults: [] },
      message: 'SyntaxError: no such export',
    },
  ],
})

test('a failure says what its first error was, and where', () => {
  expect(failuresIn(report).map((each) => describeFailure('flaky', each, '/repo'))).toEqual([
    'flaky: a.test.ts: slow\n    AssertionError: expected [ 202, 503 ] to deeply equal [ 202 ]\n    at a.test.ts:68:22',
    'flaky: b.test.ts: the whole file\n    SyntaxError: no such export',
  ])
})

test('of a long error the begin and the end are shown', () => {
  const error = Array.from({ length: 100 }, (_, n) => `line ${n} ${'x'.repeat(1_000)}`).join('\n')
  const lines = describeFailure('failed', { file: '/repo/a', test: 't', error }, '/repo').split(
    '\n',
  )
  expect(lines.map((line) => line.slice(0, 20).trim())).toEqual([
    'failed: a: t',
    ...[0, 1, 2, 3, 4, 5].map((n) => expect.stringContaining(`line ${n}`)),
    '(88 more lines)',
    ...[94, 95, 96, 97, 98, 99].map((n) => expect.stringContaining(`line ${n}`)),
  ])
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(500)
})

test('a file whose process died has failed, though Vitest calls it passed', () => {
  const file = { name: '/repo/a.test.ts', status: 'passed', message: '' }
  const pending = { status: 'pending', fullName: 'never ended', failureMessages: [] }
  const skipped = { ...pending, status: 'skipped' }
  const text = (...assertionResults) =>
    JSON.stringify({ testResults: [{ ...file, assertionResults }] })
  expect(failuresIn(text(pending, skipped))).toMatchObject([{ test: 'the whole file' }])
  expect(failuresIn(text(skipped))).toEqual([])
})
