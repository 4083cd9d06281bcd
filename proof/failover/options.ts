import { parseArgs } from 'node:util'
import { requireNumber } from '../kit/proof-run.ts'

export const SCENARIOS = [
  'sync',
  'async',
  'rabbitmq',
  'rabbitmq-cut',
  'kafka',
  'kafka-cut',
] as const
export type ScenarioName = (typeof SCENARIOS)[number]

export interface Options {
  readonly scenarios: readonly ScenarioName[]
  /** What is written, and in which order, follows from it. */
  readonly seed: number
  /** Messages a second, of both outboxes together. */
  readonly rate: number
  /** For how long there is only load, before, between and after the losses. */
  readonly calmMs: number
  /** Leave logs and arrivals for a look. */
  readonly keep: boolean
}

/** What a scenario is given. */
export interface Run {
  /** Its own: for logs, arrivals and the data of servers. */
  readonly folder: string
  readonly options: Options
  readonly signal: AbortSignal
}

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', default: SCENARIOS.join() },
      seed: { type: 'string', default: '1' },
      rate: { type: 'string', default: '500' },
      calm: { type: 'string', default: '8' },
      keep: { type: 'boolean', default: false },
    },
  })
  return {
    scenarios: values.scenario.split(',').map((name) => requireScenario(name.trim())),
    seed: requireNumber('--seed', values.seed),
    rate: requireNumber('--rate', values.rate),
    calmMs: requireNumber('--calm', values.calm) * 1_000,
    keep: values.keep,
  }
}

function requireScenario(name: string): ScenarioName {
  const found = SCENARIOS.find((each) => each === name)
  if (found) return found
  throw new Error(`--scenario takes some of ${SCENARIOS.join(', ')}, not '${name}'`)
}
