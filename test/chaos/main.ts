import { fileURLToPath } from 'node:url'
import { isBroken, printLedger } from '../crash/ledger.ts'
import { printLogs } from '../crash/logs.ts'
import { startServers } from '../crash/servers.ts'
import { parseOptions } from './options.ts'
import { runChaos } from './run.ts'

/*
 * npm run chaos [-- --minutes 10 --seed 7 --system payments,orders --processes 3 --every 2000]:
 * all roles as processes against servers of the run's own, under load, while faults drawn by the seed
 * strike processes, servers, network, database, outside world and clock; then a ledger.
 */
const options = parseOptions(process.argv.slice(2))
const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
/** For servers and processes to start, and for the ledger. */
const AROUND_MS = 1_200_000
const limitMs = options.durationMs + options.settleMs + AROUND_MS
const tooLate = setTimeout(
  () => called.abort(new Error(`not over after ${limitMs / 1_000} s`)),
  limitMs,
)

/** Faults that are printed where a promise was broken. */
const LAST_FAULTS = 40

// Dozens of processes of this code are started; compiled once, each starts in half the time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/compiled', import.meta.url),
)
const began = performance.now()
const servers = await startServers(['kafka', 'rabbitmq', 's3'])
let failed = true
try {
  const { ledgers, log } = await runChaos(servers, options, called.signal)
  ledgers.forEach(printLedger)
  failed = ledgers.some(({ lines }) => lines.some(isBroken))
  if (failed) console.log(`\nthe last faults\n${log.lines.slice(-LAST_FAULTS).join('\n')}`)
} catch (error) {
  console.error(error)
} finally {
  clearTimeout(tooLate)
  if (failed) await printLogs(servers.folder).catch(() => undefined)
  await servers.stop(options)
}
if (options.keep) console.log(`\nkept for a look: ${servers.folder}`)
const seconds = ((performance.now() - began) / 1_000).toFixed(0)
console.log(`\n${failed ? 'BROKEN' : 'held'} after ${seconds} s, seed ${options.seed}`)
process.exit(failed ? 1 : 0)
