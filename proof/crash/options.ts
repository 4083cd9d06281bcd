import type { BrokerKind } from './broker.ts'
import type { Storage } from '../kit/events/outbox.ts'
import { readOptions, requireOneOf } from '../kit/options.ts'

const SCENARIOS = ['storm', 'poison'] as const

export interface Options {
  /** Everything random follows from it: keys, sizes, rollbacks, and who dies when. */
  readonly seed: number
  readonly broker: BrokerKind
  /** Where the ordered outboxes keep their messages. */
  readonly storage: Storage
  /** Messages that are committed in the storm; those rolled back come on top. */
  readonly messages: number
  /** Messages a second. */
  readonly rate: number
  /** Relays killed in the storm, spread over the time of writing. */
  readonly kills: number
  readonly relays: number
  readonly keys: number
  /** Longest wait, after the last message was written, until all have arrived. */
  readonly settleMs: number
  /** Longest run altogether, servers included. */
  readonly limitMs: number
  readonly scenarios: readonly (typeof SCENARIOS)[number][]
  /** Print how far it is, every two seconds. */
  readonly watch: boolean
  /** Leave logs and arrivals for a look. */
  readonly keep: boolean
}

const FULL = { messages: 100_000, rate: 1_000, kills: 50, settleMs: 180_000, limitMs: 900_000 }
const CI = { messages: 20_000, rate: 800, kills: 10, settleMs: 90_000, limitMs: 300_000 }

export function parseOptions(): Options {
  const { full, ci, only, ...given } = readOptions({
    ...{ full: false, ci: false, watch: false, keep: false },
    ...{ seed: 1, broker: 'rabbitmq', storage: 'table', only: '' },
  })
  if (full && ci) throw new Error('--full or --ci, not both')
  return {
    ...(full ? FULL : CI),
    ...given,
    broker: requireOneOf('--broker', given.broker, ['rabbitmq', 'kafka']),
    storage: requireOneOf('--storage', given.storage, ['table', 'log']),
    relays: 4,
    keys: 1_000,
    scenarios: only === '' ? SCENARIOS : [requireOneOf('--only', only, SCENARIOS)],
  }
}
