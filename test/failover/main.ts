import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChild } from '../crash/child.ts'
import { isBroken, printLedger, type Ledger } from '../crash/ledger.ts'
import { printLogs } from '../crash/logs.ts'
import { parseOptions, type Run, type ScenarioName } from './options.ts'
import { endAllIn } from './program.ts'
import { loseBrokers } from './scenarios/brokers.ts'
import { loseDatabase } from './scenarios/database.ts'

/*
 * npm run failover [-- --scenario sync,async,rabbitmq,kafka --seed 7 --rate 500]: clusters of three,
 * one after another, under load; the servers that count are killed or cut off; then a ledger.
 */
const options = parseOptions(process.argv.slice(2))
const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
/** A scenario takes two to three minutes on two free cores. */
const LIMIT_MS = 15 * 60_000

const SCENARIOS: Readonly<Record<ScenarioName, (run: Run) => Promise<readonly Ledger[]>>> = {
  sync: (run) => loseDatabase(run, 'synchronous'),
  async: (run) => loseDatabase(run, 'asynchronous'),
  rabbitmq: (run) => loseBrokers(run, 'rabbitmq'),
  kafka: (run) => loseBrokers(run, 'kafka'),
}

// Several processes of this code are started; compiled once, each starts in half the time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/compiled', import.meta.url),
)

let failed = false
for (const name of options.scenarios) {
  const began = performance.now()
  const isHeld = await runScenario(name)
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  console.log(`\n${name}: ${isHeld ? 'held' : 'BROKEN'} after ${seconds} s, seed ${options.seed}`)
  failed ||= !isHeld
  if (called.signal.aborted) break
}
process.exit(failed ? 1 : 0)

/** True where every promise held. */
async function runScenario(name: ScenarioName): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-failover-'))
  // mkdtemp closes it even to the account that runs the servers.
  await chmod(folder, 0o755)
  const guarded = { name: 'guard', folder, settings: { folder } }
  const guard = startChild('../failover/guard-process.ts', guarded)
  const signal = AbortSignal.any([called.signal, AbortSignal.timeout(LIMIT_MS)])
  // What waits for a server that was cut off waits no longer.
  signal.addEventListener('abort', () => void endAllIn(folder))
  let isHeld = false
  try {
    const ledgers = await SCENARIOS[name]({ folder, options, signal })
    ledgers.forEach(printLedger)
    isHeld = !ledgers.some(({ lines }) => lines.some(isBroken))
  } catch (error) {
    console.error(error instanceof SuppressedError ? [error.suppressed, error.error] : error)
  } finally {
    if (!isHeld) await printLogs(folder).catch(() => undefined)
    await guard.stop()
    await endAllIn(folder)
    if (options.keep) console.log(`\nkept for a look: ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  }
  return isHeld
}
