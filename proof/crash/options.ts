import { parseArgs } from 'node:util'
import type { BrokerKind } from './broker.ts'
import type { Storage } from '../kit/events/outbox.ts'

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
  readonly scenarios: readonly ('storm' | 'poison')[]
  /** Print how far it is, every two seconds. */
  readonly watch: boolean
  /** Leave logs and arrivals for a look. */
  readonly keep: boolean
}

const FULL = { messages: 100_000, rate: 1_000, kills: 50, settleMs: 180_000, limitMs: 900_000 }
const CI = { messages: 20_000, rate: 800, kills: 10, settleMs: 90_000, limitMs: 300_000 }

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      full: { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      broker: { type: 'string', default: 'rabbitmq' },
      storage: { type: 'string', default: 'table' },
      only: { type: 'string' },
      watch: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  })
  const { broker, only, storage } = values
  if (values.full && values.ci) throw new Error('--full or --ci, not both')
  if (broker !== 'rabbitmq' && broker !== 'kafka') {
    throw new Error(`--broker is rabbitmq or kafka, not '${broker}'`)
  }
  if (storage !== 'table' && storage !== 'log') {
    throw new Error(`--storage is table or log, not '${storage}'`)
  }
  if (only !== undefined && only !== 'storm' && only !== 'poison') {
    throw new Error(`--only is storm or poison, not '${only}'`)
  }
  if (!/^\d{1,9}$/.test(values.seed)) {
    throw new Error(`--seed takes a whole number, not '${values.seed}'`)
  }
  return {
    ...(values.full ? FULL : CI),
    seed: Number(values.seed),
    broker,
    storage,
    relays: 4,
    keys: 1_000,
    scenarios: only === undefined ? ['storm', 'poison'] : [only],
    watch: values.watch,
    keep: values.keep,
  }
}
