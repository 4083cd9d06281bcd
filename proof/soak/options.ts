import { parseArgs } from 'node:util'
import { requireNumber } from '../kit/proof-run.ts'

export interface Options {
  /** For how long there is load. */
  readonly durationMs: number
  /** From one sample to the next. */
  readonly everyMs: number
  readonly seed: number
  /** Times the load of `npm run chaos`. */
  readonly rate: number
  /** Where the picture is written. */
  readonly plot: string
}

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '10' },
      rate: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      plot: { type: 'string', default: 'docs/images/memory-at-load.svg' },
    },
  })
  return {
    durationMs: requireNumber('--minutes', values.minutes) * 60_000,
    everyMs: requireNumber('--every', values.every) * 1_000,
    rate: requireNumber('--rate', values.rate),
    seed: requireNumber('--seed', values.seed),
    plot: values.plot,
  }
}
