import type { Ledger } from '../kit/ledger.ts'
import { pickNamed, readOptions } from '../kit/options.ts'
import { runProofs } from '../kit/proof-run.ts'
import { guarded } from '../kit/servers/program-guard.ts'
import type { Run } from './load.ts'
import { cutBrokers, killBrokers } from './scenarios/brokers.ts'
import { loseDatabase } from './scenarios/database.ts'

/*
 * npm run failover [-- --scenario sync,async,rabbitmq,rabbitmq-cut,kafka,kafka-cut --seed 7 --rate 500]:
 * clusters of three, one after another, under load; the servers that count are killed or cut off; then
 * a ledger.
 */
const SCENARIOS: Readonly<Record<string, (run: Run) => Promise<readonly Ledger[]>>> = {
  sync: (run) => loseDatabase(run, 'synchronous'),
  async: (run) => loseDatabase(run, 'asynchronous'),
  rabbitmq: (run) => killBrokers(run, 'rabbitmq'),
  'rabbitmq-cut': (run) => cutBrokers(run, 'rabbitmq'),
  kafka: (run) => killBrokers(run, 'kafka'),
  'kafka-cut': (run) => cutBrokers(run, 'kafka'),
}

const { scenario, calm, ...same } = readOptions({
  ...{ scenario: Object.keys(SCENARIOS).join(), seed: 1, rate: 500, calm: 8, keep: false },
})
const options = { ...same, calmMs: calm * 1_000 }
/** A scenario takes two to three minutes on two free cores. */
const limitMs = 15 * 60_000

await runProofs(
  pickNamed('--scenario', scenario, SCENARIOS).map(([name, run]) => ({
    ...{ name: `failover-${name}`, seed: options.seed, keep: options.keep, limitMs },
    run: (stage) => guarded(stage, () => run({ ...stage, options })),
  })),
)
