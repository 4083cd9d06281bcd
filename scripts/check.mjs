// npm run check [-- --full]: format beside lint and types while the servers start, then the tests,
// then the heavy proof in its short or full form. One line for each step, the output of a step only
// if it failed.

import { parseArgs } from 'node:util'
import { runProgram, untilInterrupted } from './command.mjs'
import { proofs } from './proofs.mjs'
import {
  add,
  closingLine,
  countMissing,
  runProgramProof,
  runProofFiles,
  runTests,
} from './testing/test-run.mjs'
import { openTestServers } from './testing/test-servers.mjs'

const form = parseArgs({ options: { full: { type: 'boolean' } } }).values.full ? 'full' : 'short'
const signal = untilInterrupted()
let counts = {}

/** Runs one step, which tells what it counted, and prints its line. */
async function step(name, work) {
  const began = Date.now()
  const counted = await work()
  counts = add(counts, counted)
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`${counted.failed > 0 ? 'FAIL' : 'ok  '} ${name} ${seconds} s`)
}

function isProgram(proof) {
  return proof.program !== undefined
}

function program(script, ...args) {
  return async () => {
    const { status, output } = await runProgram(script, args, { signal })
    if (status === 0) return { failed: 0 }
    console.log(output)
    return { failed: 1 }
  }
}

/** Takes one processor and as long as all the others together. */
async function checkFormat() {
  const cache = ['--cache', '--cache-strategy', 'content']
  await step('format', program('node_modules/prettier/bin/prettier.cjs', '--check', ...cache, '.'))
}

async function checkSources() {
  await step('lint', program('node_modules/oxlint/bin/oxlint', '--type-aware'))
  await step('types', program(process.env.npm_execpath, 'run', '--silent', 'types'))
  await step('dashboard', program('scripts/dashboard.mjs'))
}

const servers = await openTestServers()
let env = { ...process.env, ...servers.env }

async function startServers() {
  const started = await servers.start()
  env = { ...env, ...started.env }
  for (const [name, version] of Object.entries(started.versions))
    console.log(`     ${name} ${version}`)
  return countMissing(started.failures)
}

try {
  // All are awaited in every case: what was started must be known before it is stopped.
  const beginnings = [step('servers', startServers), checkFormat(), checkSources()]
  const results = await Promise.allSettled(beginnings)
  for (const { status, reason } of results) if (status === 'rejected') throw reason
  await step('schema', program('scripts/schema.mjs', '--check'))
  await step('openapi', program('scripts/openapi.mjs', '--check'))
  await step('tests', () => runTests({ env, signal }))
  env = { ...env, PROOF: form }
  const chosen = proofs.filter((proof) => proof[form] !== undefined)
  for (const { name, program: script, [form]: args, env: own } of chosen.filter(isProgram)) {
    if (signal.aborted) break
    const proof = { name, script, args, env: { ...env, ...own }, signal }
    await step(`proof: ${name}`, () => runProgramProof(proof))
  }
  // In one run: a file that waits for its kills leaves the processors to the others.
  const together = chosen.filter((proof) => !isProgram(proof))
  const names = together.map(({ name }) => name).join(', ')
  const files = together.flatMap((proof) => proof.files)
  if (!signal.aborted) await step(`proof: ${names}`, () => runProofFiles({ files, env, signal }))
} finally {
  await servers.stop()
}
for (const finding of counts.findings) console.log(finding)
console.log(closingLine(counts))
process.exitCode = counts.failed > 0 ? 1 : 0
