import { pickNamed, readOptions } from '../kit/options.ts'
import { systemProofs } from '../kit/stand/system-proof.ts'

const SYSTEMS = Object.fromEntries(systemProofs.map((proof) => [proof.name, proof]))

export type Options = ReturnType<typeof parseOptions>

/** Of faults: servers take a minute to start and to come to an end, and the check has twenty. */
const CI = { minutes: 0.2, every: 900, actEveryMs: 2_000 }
const BY_HAND = { minutes: 2, every: 3_000, actEveryMs: 5_000 }
/** Nearly always seconds; a busy machine may have as long as it goes on at all. */
const SETTLE_MS = 1_200_000

export function parseOptions() {
  const { minutes, every, system, faults, ci, quiet, ...same } = readOptions({
    ...{ minutes: 0, every: 0, system: Object.keys(SYSTEMS).join(), faults: '', ci: false },
    /** Everything random follows from it: what is sent, and what goes wrong when. */
    seed: 1,
    /** Of each role. */
    processes: 2,
    quiet: false,
    /** Leave logs and arrivals for a look. */
    keep: false,
  })
  const usual = ci ? CI : BY_HAND
  return {
    ...same,
    /** For how long there are load and faults. */
    durationMs: (minutes || usual.minutes) * 60_000,
    /** From one fault to the next, on average. */
    everyMs: every || usual.every,
    /** Those that are under load, beside the outboxes of the run itself; all of them run. */
    systems: pickNamed('--system', system, SYSTEMS).map(([name]) => name),
    /** Names of the faults that are drawn; all where none is named. */
    faults: faults.split(',').filter(Boolean),
    /** Longest wait, after the last fault, until everything has come to its end. */
    settleMs: SETTLE_MS,
    /** From one act of the operator to the next, while that is waited for. */
    actEveryMs: usual.actEveryMs,
    /** Print the faults as they happen. */
    watch: !quiet,
  }
}
