import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root, showProgram } from '../command.mjs'
import { heavyTests } from '../proofs.mjs'
import { countReport, describeFailure, failuresIn, judgeFlaky } from './test-report.mjs'

/**
 * Runs the tests against servers that are there. Returns how many passed, failed and were skipped,
 * and what is to be read about those that failed or are flaky; it is listed at the end of the run,
 * where people look.
 */
export async function runTests({ env, args = [], signal }) {
  const how = { env: withCompileCache(env), signal }
  if (args.length > 0) return listFindings(await runVitest({ ...how, args }))
  // A project of Vitest with exclusions of its own does not heed those of the command line.
  const withoutProofs = { ...how.env, LEAVE_OUT: heavyTests.join(',') }
  return listFindings(await runVitestTwice({ ...how, env: withoutProofs }))
}

/** Runs one of the proofs that are programs. It counts as one test. */
export async function runProgramProof({ name, script, args, env, signal }) {
  const status = await showProgram(script, args, { env: withCompileCache(env), signal })
  if (status === 0) return { passed: 1 }
  console.log(`failed: ${name}`)
  return { failed: 1, findings: [`failed: ${name}`] }
}

/** Runs the proofs that are test files. What the short form leaves out is not skipped. */
export async function runProofFiles({ files, env, signal }) {
  const how = { env: withCompileCache(env), signal }
  const { skipped: _, ...counts } = listFindings(await runVitestTwice({ ...how, files }))
  return counts
}

/** Tests start some hundred processes of this code; compiled once, each starts in half the time. */
function withCompileCache(env) {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...env }
}

/** A server that could not be had is a failure only in CI. CI=false and CI=0 are ways of saying no. */
export function countMissing(failures) {
  const isCi = !['', 'false', '0'].includes(process.env.CI ?? '')
  return { failed: isCi ? Object.keys(failures).length : 0 }
}

export function add(one, other) {
  const sum = (name) => (one[name] ?? 0) + (other[name] ?? 0)
  const findings = [...(one.findings ?? []), ...(other.findings ?? [])]
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), findings }
}

/** The closing line that every runner of this repository ends with. */
export function closingLine({ passed = 0, failed = 0, skipped = 0 }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** More files than this do not fail by chance. */
const MAX_RUN_AGAIN = 6

/**
 * Real processes and brokers on a machine that others use too: a file that failed beside another
 * is run once more with nothing beside it. What passes then is flaky: it is named, and more than a
 * few of them fail the run.
 */
async function runVitestTwice({ env, files: chosen = [], signal }) {
  const first = await runVitest({ env, args: chosen, signal })
  const files = [...new Set(first.failures.map(({ file }) => file))]
  if (files.length === 0 || files.length > MAX_RUN_AGAIN || signal?.aborted) return first
  const names = files.map((file) => relative(root, file))
  console.log(`\nonce more, alone: ${names.join(', ')}`)
  const again = ['--no-file-parallelism', ...names]
  return judgeFlaky(first, await runVitest({ env, args: again, signal }))
}

function listFindings({ counts, failures, flaky = [] }) {
  const findings = [
    ...flaky.map((test) => describeFailure('flaky', test, root)),
    ...failures.map((test) => describeFailure('failed', test, root)),
  ]
  for (const finding of findings) console.log(finding)
  return { ...counts, findings }
}

async function runVitest({ env, args, signal }) {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-vitest-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=minimal', '--reporter=json', `--outputFile.json=${report}`]
  try {
    const vitest = 'node_modules/vitest/vitest.mjs'
    const status = await showProgram(vitest, ['run', ...reporters, ...args], { env, signal })
    const text = await readFile(report, 'utf8').catch(() => '')
    return { counts: countReport(text, status), failures: failuresIn(text) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
