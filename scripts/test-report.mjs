/** A file that fails before its first test, or a run without a report, is a failure all the same. */
export function countReport(text, status) {
  const report = JSON.parse(text || '{}')
  const failed = failuresIn(text).length
  return {
    passed: report.numPassedTests ?? 0,
    failed: status === 0 ? failed : Math.max(1, failed),
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  }
}

/** Every failed test with its file; a file that failed as a whole is one. */
export function failuresIn(text) {
  const { testResults = [] } = JSON.parse(text || '{}')
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((each) => each.status === 'failed')
    if (failed.length > 0) return failed.map(({ fullName }) => ({ file: name, test: fullName }))
    return status === 'failed' ? [{ file: name, test: 'the whole file' }] : []
  })
}

/** More flaky tests than this fail the run: a suite that is believed has none. */
export const MAX_FLAKY = 2

/**
 * What a first run and a second one of its failed files come to: what failed again has failed, what
 * passed is flaky. A second run that ran nothing proves nothing.
 */
export function judgeFlaky(first, second) {
  if (second.counts.passed === 0) return { ...first, flaky: [] }
  const isSame = (one) => (other) => one.file === other.file && one.test === other.test
  const flaky = first.failures.filter((each) => !second.failures.some(isSame(each)))
  const { passed, skipped } = first.counts
  const tooMany = { file: '.', test: `${flaky.length} flaky tests, more than ${MAX_FLAKY}` }
  const failures = [...second.failures, ...(flaky.length > MAX_FLAKY ? [tooMany] : [])]
  const failed = Math.max(failures.length, second.counts.failed)
  return { counts: { passed: passed + flaky.length, failed, skipped }, failures, flaky }
}
