import { parseArgs } from 'node:util'

/** Counts that the command line may set, and what they are otherwise. */
const COUNTS = {
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
}

export interface Options extends Readonly<typeof COUNTS> {
  readonly json: boolean
  /** How long `held` keeps its transaction open. */
  readonly heldMs: number
  /** Longest drain of one contestant in one round. */
  readonly limitMs: number
  /** `growth` measures points again that have a result. */
  readonly again: boolean
  /** Only contestants whose name contains this. */
  readonly only: string
}

export function parseOptions(args: string[]): { bench: string; options: Options } {
  const names = Object.keys(COUNTS) as (keyof typeof COUNTS)[]
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      held: { type: 'string', default: '60s' },
      limit: { type: 'string', default: '30s' },
      again: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      ...(Object.fromEntries(names.map((name) => [name, { type: 'string' }])) as Record<
        keyof typeof COUNTS,
        { type: 'string' }
      >),
    },
  })
  const { json, again, only, held, limit } = values
  const counts = names.map((name) => [name, count(name, values[name] ?? String(COUNTS[name]))])
  return {
    bench: positionals[0] ?? '',
    options: {
      ...{ json, again, only },
      ...{ heldMs: seconds('held', held), limitMs: seconds('limit', limit) },
      ...(Object.fromEntries(counts) as typeof COUNTS),
    },
  }
}

function count(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a whole number, not '${text}'`)
  return Number(text)
}

function seconds(name: string, text: string): number {
  const match = /^(\d+)s?$/.exec(text)
  if (!match) throw new Error(`--${name} takes seconds such as 60s, not '${text}'`)
  return Number(match[1]) * 1_000
}
