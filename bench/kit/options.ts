import { parseArgs } from 'node:util'

/** What the command line may set. */
export interface Options {
  readonly json: boolean
  /** Rounds per contestant; the median counts. */
  readonly rounds: number
  readonly messages: number
  /** Rows waiting in `backlog`. */
  readonly backlog: number
  /** Of a bank's file in `reconcile`, and payments beside it. */
  readonly records: number
  /** Rows of the CSV in `evidence`. */
  readonly rows: number
  /** Finished rows in `overview`. */
  readonly finished: number
  /** Rows waiting in `overview`. */
  readonly waiting: number
  /** Connections of plain SQL, and of posthorn's relay. */
  readonly connections: number
  /** How long `held` keeps its transaction open. */
  readonly heldMs: number
  /** Longest drain of one contestant in one round. */
  readonly limitMs: number
  /** How long `end-to-end` keeps up each load. */
  readonly seconds: number
  /** `growth` measures points again that have a result. */
  readonly again: boolean
  /** Only contestants whose name contains this. */
  readonly only: string
}

export function parseOptions(args: string[]): { bench: string; options: Options } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      messages: { type: 'string', default: '100000' },
      backlog: { type: 'string', default: '1000000' },
      records: { type: 'string', default: '1000000' },
      rows: { type: 'string', default: '1000000' },
      finished: { type: 'string', default: '1000000' },
      waiting: { type: 'string', default: '100000' },
      connections: { type: 'string', default: '2' },
      held: { type: 'string', default: '60s' },
      limit: { type: 'string', default: '30s' },
      again: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      only: { type: 'string', default: '' },
    },
  })
  return {
    bench: positionals[0] ?? '',
    options: {
      json: values.json,
      rounds: count('rounds', values.rounds),
      messages: count('messages', values.messages),
      backlog: count('backlog', values.backlog),
      records: count('records', values.records),
      rows: count('rows', values.rows),
      finished: count('finished', values.finished),
      waiting: count('waiting', values.waiting),
      connections: count('connections', values.connections),
      heldMs: seconds('held', values.held),
      limitMs: seconds('limit', values.limit),
      again: values.again,
      seconds: count('seconds', values.seconds),
      only: values.only,
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
