import { pickNamed, readOptions } from '../kit/options.ts'
import { systemProofs } from '../kit/stand/system-proof.ts'

const SYSTEMS = Object.fromEntries(systemProofs.map((proof) => [proof.name, proof]))

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
const CI = { minutes: 0.2, every: 900, actEveryMs: 2_000 }
const BY_HAND = { minutes: 2, every: 3_000, actEveryMs: 5_000 }
/** Nearly always seconds; a busy machine may have as long as it goes on at all. */
const SETTLE_MS = 1_200_000

export function parseOptions(): Options {
  const { minutes, every, system, faults, ci, quiet, ...same } = readOptions({
    ...{ minutes: 0, every: 0, seed: 1, processes: 2, system: Object.keys(SYSTEMS).join() },
    ...{ faults: '', ci: false, quiet: false, keep: false },
  })
  const usual = ci ? CI : BY_HAND
  return {
    ...same,
    durationMs: (minutes || usual.minutes) * 60_000,
    everyMs: every || usual.every,
    systems: pickNamed('--system', system, SYSTEMS).map(([name]) => name),
    faults: faults.split(',').filter(Boolean),
    settleMs: SETTLE_MS,
    actEveryMs: usual.actEveryMs,
    watch: !quiet,
  }
}
