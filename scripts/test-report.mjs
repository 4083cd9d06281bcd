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
