import { chmod } from 'node:fs/promises'
import { startChild } from '../crash/child.ts'
import type { Ledger } from '../crash/ledger.ts'
import { runProofs, type ProofStage } from '../proof-run.ts'
import { parseOptions, type Run, type ScenarioName } from './options.ts'
import { endAllIn } from './program.ts'
import { loseBrokers } from './scenarios/brokers.ts'
import { loseDatabase } from './scenarios/database.ts'

/*
 * npm run failover [-- --scenario sync,async,rabbitmq,kafka --seed 7 --rate 500]: clusters of three,
 * one after another, under load; the servers that count are killed or cut off; then a ledger.
 */
const options = parseOptions(process.argv.slice(2))
const { seed, keep } = options
/** A scenario takes two to three minutes on two free cores. */
const LIMIT_MS = 15 * 60_000

const SCENARIOS: Readonly<Record<ScenarioName, (run: Run) => Promise<readonly Ledger[]>>> = {
  sync: (run) => loseDatabase(run, 'synchronous'),
  async: (run) => loseDatabase(run, 'asynchronous'),
  rabbitmq: (run) => loseBrokers(run, 'rabbitmq'),
  kafka: (run) => loseBrokers(run, 'kafka'),
}

await runProofs(
  options.scenarios.map((scenario) => ({
    ...{ name: `failover-${scenario}`, seed, keep, limitMs: LIMIT_MS },
    run: (stage) => runScenario(scenario, stage),
  })),
)

async function runScenario(
  scenario: ScenarioName,
  { folder, signal }: ProofStage,
): Promise<readonly Ledger[]> {
  // A temporary folder is closed even to the account that runs the servers.
  await chmod(folder, 0o755)
  const guarded = { name: 'guard', folder, settings: { folder } }
  const guard = startChild('../failover/guard-process.ts', guarded)
  // What waits for a server that was cut off waits no longer.
  signal.addEventListener('abort', () => void endAllIn(folder))
  try {
    return await SCENARIOS[scenario]({ folder, options, signal })
  } finally {
    await guard.stop()
    await endAllIn(folder)
  }
}
