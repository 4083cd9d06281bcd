import type { BrokerKind } from './broker.ts'
import type { Storage } from '../kit/events/outbox.ts'
import { readOptions, requireOneOf } from '../kit/options.ts'

const SCENARIOS = ['storm', 'poison'] as const

export type Options = ReturnType<typeof parseOptions>

/**
 * Messages that are committed in the storm, and how many a second; those rolled back come on top. Relays
 * killed while they are written. Longest wait until all have arrived, and longest run altogether.
 */
const FULL = { messages: 100_000, rate: 1_000, kills: 50, settleMs: 180_000, limitMs: 900_000 }
const CI = { messages: 20_000, rate: 800, kills: 10, settleMs: 90_000, limitMs: 300_000 }

export function parseOptions() {
  const { full, ci, only, ...given } = readOptions({
    ...{ full: false, ci: false },
    /** Print how far it is, every two seconds. */
    watch: false,
    /** Leave logs and arrivals for a look. */
    keep: false,
    /** Everything random follows from it: keys, sizes, rollbacks, and who dies when. */
    seed: 1,
    ...{ broker: 'rabbitmq', storage: 'table', only: '' },
  })
  if (full && ci) throw new Error('--full or --ci, not both')
  return {
    ...(full ? FULL : CI),
    ...given,
    broker: requireOneOf<BrokerKind>('--broker', given.broker, ['rabbitmq', 'kafka']),
    /** Where the ordered outboxes keep their messages. */
    storage: requireOneOf<Storage>('--storage', given.storage, ['table', 'log']),
    relays: 4,
    keys: 1_000,
    scenarios: only === '' ? SCENARIOS : [requireOneOf('--only', only, SCENARIOS)],
  }
}
