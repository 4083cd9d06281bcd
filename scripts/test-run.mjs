import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root, showProgram } from './command.mjs'
import { countReport, failuresIn } from './test-report.mjs'

/**
 * Runs the tests and, unless only some are asked for, the short crash run, against servers that
 * are there. Returns how many passed, failed and were skipped; the crash run counts as one. What
 * failed is told again at the end, where people look.
 */
export async function runTests({ env, args = [], signal }) {
  const crash = 'test/crash/main.ts'
  const isWhole = args.length === 0 && existsSync(join(root, crash))
  const run = isWhole ? runVitestTwice : runVitest
  const { counts, failures } = await run({ env, args, signal })
  const status =
    isWhole && !signal?.aborted ? await showProgram(crash, ['--ci'], { env, signal }) : undefined
  for (const { file, test } of failures) console.log(`failed: ${relative(root, file)}: ${test}`)
  if (status === undefined) return counts
  if (status !== 0) console.log('failed: the crash run')
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

/** More files than this do not fail by chance. */
const MAX_RUN_AGAIN = 6

/**
 * Real processes and brokers on a machine that others use too: a file that failed beside another
 * is run once more with nothing beside it, and that run counts. Whatever needed it is named, even
 * when all is green: such a test is to be mended.
 */
async function runVitestTwice({ env, signal }) {
  const first = await runVitest({ env, args: [], signal })
  const files = [...new Set(first.failures.map(({ file }) => file))]
  if (files.length === 0 || files.length > MAX_RUN_AGAIN || signal?.aborted) return first
  const names = files.map((file) => relative(root, file))
  console.log(`\nonce more, alone: ${names.join(', ')}`)
  const second = await runVitest({ env, args: ['--no-file-parallelism', ...names], signal })
  if (second.counts.passed === 0) return first
  for (const { file, test } of first.failures) {
    console.log(`failed beside other tests: ${relative(root, file)}: ${test}`)
  }
  const { passed, failed, skipped } = first.counts
  const mended = Math.max(0, failed - second.counts.failed)
  return {
    counts: { passed: passed + mended, failed: second.counts.failed, skipped },
    failures: second.failures,
  }
}

async function runVitest({ env, args, signal }) {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-vitest-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  try {
    const vitest = 'node_modules/vitest/vitest.mjs'
    const status = await showProgram(vitest, ['run', ...reporters, ...args], { env, signal })
    const text = await readFile(report, 'utf8').catch(() => '')
    return { counts: countReport(text, status), failures: failuresIn(text) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
