// npm test [-- what vitest takes]: starts the servers that tests need, runs the tests, stops what
// it started. Brokers that `npm run services start` left running are used as they are.

import { untilInterrupted } from './command.mjs'

if (Number(process.versions.node.split('.')[0]) < 22) {
  console.error('This needs the Node that the packages bring along: call it by `npm test`.')
  process.exit(1)
}

// Imported late: an older Node cannot even read them.
const { startTestServers } = await import('./test-servers.mjs')
const { add, closingLine, countMissing, runTests } = await import('./test-run.mjs')

const signal = untilInterrupted()
const servers = await startTestServers()
let counts
try {
  const missing = countMissing(servers.failures)
  counts = add(missing, await runTests({ env: servers.env, args: process.argv.slice(2), signal }))
} finally {
  await servers.stop()
}
console.log(closingLine(counts))
process.exitCode = counts.failed > 0 ? 1 : 0
