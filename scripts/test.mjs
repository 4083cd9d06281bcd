// npm test [-- what vitest takes]: runs the tests, starts each server when a test asks for it, stops
// what it started. Brokers that `npm run services start` left running are used as they are.

import { untilInterrupted } from './command.mjs'

if (Number(process.versions.node.split('.')[0]) < 22) {
  console.error('This needs the Node that the packages bring along: call it by `npm test`.')
  process.exit(1)
}

// Imported late: an older Node cannot even read them.
const { openTestServers } = await import('./testing/test-servers.mjs')
const { add, closingLine, countMissing, runTests } = await import('./testing/test-run.mjs')

const args = process.argv.slice(2)
const signal = untilInterrupted()
const servers = await openTestServers()
let counts
try {
  // All tests need all servers: they start while the first tests run.
  const started = args.length === 0 ? servers.start() : { failures: {} }
  counts = await runTests({ env: { ...process.env, ...servers.env }, args, signal })
  counts = add(countMissing((await started).failures), counts)
} finally {
  await servers.stop()
}
console.log(closingLine(counts))
process.exitCode = counts.failed > 0 ? 1 : 0
