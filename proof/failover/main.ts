import type { Ledger } from '../kit/ledger.ts'
import { runProofs } from '../kit/proof-run.ts'
import { guarded } from '../kit/servers/program-guard.ts'
import { parseOptions, type Run, type ScenarioName } from './options.ts'
import { cutBrokers, killBrokers } from './scenarios/brokers.ts'
import { loseDatabase } from './scenarios/database.ts'

/*
 * npm run failover [-- --scenario sync,async,rabbitmq,rabbitmq-cut,kafka,kafka-cut --seed 7 --rate 500]:
 * clusters of three, one after another, under load; the servers that count are killed or cut off; then
 * a ledger.
 */
const options = parseOptions(process.argv.slice(2))
const { seed, keep } = options
/** A scenario takes two to three minutes on two free cores. */
const LIMIT_MS = 15 * 60_000

const SCENARIOS: Readonly<Record<ScenarioName, (run: Run) => Promise<readonly Ledger[]>>> = {
  sync: (run) => loseDatabase(run, 'synchronous'),
  async: (run) => loseDatabase(run, 'asynchronous'),
  rabbitmq: (run) => killBrokers(run, 'rabbitmq'),
  'rabbitmq-cut': (run) => cutBrokers(run, 'rabbitmq'),
  kafka: (run) => killBrokers(run, 'kafka'),
  'kafka-cut': (run) => cutBrokers(run, 'kafka'),
}

await runProofs(
  options.scenarios.map((scenario) => ({
    ...{ name: `failover-${scenario}`, seed, keep, limitMs: LIMIT_MS },
    run: (stage) => guarded(stage, () => SCENARIOS[scenario]({ ...stage, options })),
  })),
)
