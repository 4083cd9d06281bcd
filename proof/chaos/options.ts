import { parseArgs } from 'node:util'
import { requireNumber } from '../kit/proof-run.ts'
import { systemProofs } from '../kit/stand/system-proof.ts'

const SYSTEMS = systemProofs.map(({ name }) => name)

export interface Options {
  /** Everything random follows from it: what is sent, and what goes wrong when. */
  readonly seed: number
  /** For how long there are load and faults. */
  readonly durationMs: number
  /** From one fault to the next, on average. */
  readonly everyMs: number
  /** Those that are under load, beside the outboxes of the run itself; all of them run. */
  readonly systems: readonly string[]
  /** Names of the faults that are drawn; all where none is named. */
  readonly faults: readonly string[]
  /** Processes of each role. */
  readonly processes: number
  /** Longest wait, after the last fault, until everything has come to its end. */
  readonly settleMs: number
  /** From one act of the operator to the next, while that is waited for. */
  readonly actEveryMs: number
  /** Print the faults as they happen. */
  readonly watch: boolean
  /** Leave logs and arrivals for a look. */
  readonly keep: boolean
}

/** Of faults: servers take a minute to start and to come to an end, and the check has twenty. */
const CI_MINUTES = 0.2
const CI = { minutes: CI_MINUTES, every: 900, actEveryMs: 2_000 }
const BY_HAND = { minutes: 2, every: 3_000, actEveryMs: 5_000 }
/** Nearly always seconds; a busy machine may have as long as it goes on at all. */
const SETTLE_MS = 1_200_000

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      system: { type: 'string', default: SYSTEMS.join() },
      every: { type: 'string' },
      faults: { type: 'string', default: '' },
      processes: { type: 'string', default: '2' },
      ci: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  })
  const usual = values.ci ? CI : BY_HAND
  const systems = values.system.split(',').map((name) => requireSystem(name.trim()))
  return {
    seed: requireNumber('--seed', values.seed),
    durationMs: requireNumber('--minutes', values.minutes ?? String(usual.minutes)) * 60_000,
    everyMs: requireNumber('--every', values.every ?? String(usual.every)),
    systems,
    faults: values.faults.split(',').filter(Boolean),
    processes: requireNumber('--processes', values.processes),
    settleMs: SETTLE_MS,
    actEveryMs: usual.actEveryMs,
    watch: !values.quiet,
    keep: values.keep,
  }
}

function requireSystem(name: string): string {
  if (SYSTEMS.includes(name)) return name
  throw new Error(`--system takes some of ${SYSTEMS.join(', ')}, not '${name}'`)
}
