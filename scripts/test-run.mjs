import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, showProgram } from './command.mjs'

/**
 * Runs the tests and, unless only some are asked for, the short crash run, against servers that
 * are there. Returns how many passed, failed and were skipped; the crash run counts as one.
 */
export async function runTests({ env, args = [], signal }) {
  const counts = await runVitest({ env, args, signal })
  const crash = 'test/crash/main.ts'
  if (args.length > 0 || signal?.aborted || !existsSync(join(root, crash))) return counts
  const status = await showProgram(crash, ['--ci'], { env, signal })
  return add(counts, status === 0 ? { passed: 1 } : { failed: 1 })
}

/** Says, for every server that could not be had, what is missing; a failure only in CI. */
export function countMissing(failures) {
  const missing = Object.entries(failures)
  for (const [name, reason] of missing) {
    console.error(`\n!!! ${name} is missing, and what needs it is not tested: ${reason}\n`)
  }
  // CI=false and CI=0 are ways of saying that this is none.
  const isCi = !['', 'false', '0'].includes(process.env.CI ?? '')
  return { failed: isCi ? missing.length : 0 }
}

export function add(one, other) {
  const sum = (name) => (one[name] ?? 0) + (other[name] ?? 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}

/** The closing line that every runner of this repository ends with. */
export function closingLine({ passed = 0, failed = 0, skipped = 0 }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

async function runVitest({ env, args, signal }) {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-vitest-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  try {
    const vitest = 'node_modules/vitest/vitest.mjs'
    const status = await showProgram(vitest, ['run', ...reporters, ...args], { env, signal })
    return countReport(await readFile(report, 'utf8').catch(() => ''), status)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A file that fails before its first test, or a run without a report, is a failure all the same. */
export function countReport(text, status) {
  const report = JSON.parse(text || '{}')
  const broken = (report.testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(isFailed),
  )
  const failed = (report.numFailedTests ?? 0) + broken.length
  return {
    passed: report.numPassedTests ?? 0,
    failed: status === 0 ? failed : Math.max(1, failed),
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  }
}

function isFailed({ status }) {
  return status === 'failed'
}
