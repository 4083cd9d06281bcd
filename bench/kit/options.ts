import { toMs, type Duration } from '@posthorn/engine'
import { readOptions } from '../../proof/kit/options.ts'

/** What the command line may set, and what it is otherwise. */
const DEFAULTS = {
  /** Rounds per contestant; the median counts. */
  rounds: 3,
  messages: 100_000,
  /** Rows waiting in `backlog`. */
  backlog: 1_000_000,
  /** Of a bank's file in `reconcile`, and payments beside it. */
  records: 1_000_000,
  /** Rows of the CSV in `evidence`. */
  rows: 1_000_000,
  /** Finished rows in `overview`. */
  finished: 1_000_000,
  /** Rows waiting in `overview`. */
  waiting: 100_000,
  /** Connections of plain SQL, and of posthorn's relay. */
  connections: 2,
  /** How long `end-to-end` keeps up each load. */
  seconds: 10,
  /** How long `held` keeps its transaction open. */
  held: '60s',
  /** Longest drain of one contestant in one round. */
  limit: '30s',
  /** `growth` measures points again that have a result. */
  again: false,
  /** Only contestants whose name contains this. */
  only: '',
  json: false,
}

export interface Options extends Readonly<Omit<typeof DEFAULTS, 'held' | 'limit'>> {
  readonly heldMs: number
  readonly limitMs: number
}

export function parseOptions(args: string[]): Options {
  const { held, limit, ...same } = readOptions(DEFAULTS, args)
  return { ...same, heldMs: toMs(held as Duration), limitMs: toMs(limit as Duration) }
}
