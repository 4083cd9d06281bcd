import { isBroken, printLedger } from '../crash/ledger.ts'
import { printLogs } from '../crash/logs.ts'
import { startServers } from '../crash/servers.ts'
import { parseOptions } from './options.ts'
import { runSoak } from './run.ts'

/*
 * npm run soak [-- --minutes 60 --every 10 --plot docs/images/memory-at-load.svg]: a process of each
 * role under a moderate load of all systems; memory after a collection of garbage, open files and the
 * size of the database are sampled, drawn, and must not grow.
 */
const options = parseOptions(process.argv.slice(2))
const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
const servers = await startServers(['kafka', 'rabbitmq', 's3'])
let failed = true
try {
  const ledger = await runSoak(servers, options, called.signal)
  printLedger(ledger)
  failed = ledger.lines.some(isBroken)
} catch (error) {
  console.error(error)
} finally {
  if (failed) await printLogs(servers.folder).catch(() => undefined)
  await servers.stop({ keep: false })
}
console.log(`\n${failed ? 'BROKEN' : 'held'}; drawn in ${options.plot}`)
process.exit(failed ? 1 : 0)
