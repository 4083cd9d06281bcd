import { stripVTControlCharacters } from 'node:util'

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

/**
 * Every failed test with its file and its first error; a file that failed as a whole is one. So is one whose
 * process died: Vitest calls it passed, and its tests pending.
 */
export function failuresIn(text) {
  const { testResults = [] } = JSON.parse(text || '{}')
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((each) => each.status === 'failed')
    const isCutOff = assertionResults.some((each) => each.status === 'pending')
    if (isCutOff || (failed.length === 0 && status === 'failed')) {
      const error = isCutOff ? 'its process ended before its tests' : (message ?? '')
      return [{ file: name, test: 'the whole file', error }]
    }
    return failed.map(({ fullName, failureMessages = [] }) => {
      return { file: name, test: fullName, error: failureMessages[0] ?? '' }
    })
  })
}

/** Of a long error, so many lines from its begin and from its end are shown, each so far. */
const SHOWN_LINES = 6
const SHOWN_WIDTH = 400

/**
 * A failure in a few lines: the test, what its first error says, and where in these sources it
 * happened.
 */
export function describeFailure(kind, { file, test, error = '' }, root) {
  const lines = stripVTControlCharacters(error).split('\n')
  const isFrame = (line) => /^\s+at /.test(line)
  const said = lines.filter((line) => line.trim() !== '' && !isFrame(line))
  const rest = said.length - 2 * SHOWN_LINES
  const shown =
    rest > 0
      ? [...said.slice(0, SHOWN_LINES), `(${rest} more lines)`, ...said.slice(-SHOWN_LINES)]
      : said
  const place = lines.find((line) => {
    return isFrame(line) && line.includes(root) && !line.includes('node_modules')
  })
  const toLocal = (line) => line.replaceAll('file://', '').replaceAll(`${root}/`, '')
  const details = [...shown.map((line) => line.slice(0, SHOWN_WIDTH)), ...(place ? [place] : [])]
  return [`${kind}: ${file}: ${test}`, ...details.map((line) => `    ${line.trim()}`)]
    .map(toLocal)
    .join('\n')
}

/** More flaky tests than this fail the run: one in a thousand, on two cores that others share. */
export const MAX_FLAKY = 5

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
