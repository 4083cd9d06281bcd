import type { readRuns } from '@posthorn/engine/operate'
import { duration } from '../words.ts'
import { ok, warn, type Finding } from './finding.ts'

type Runs = Awaited<ReturnType<typeof readRuns>>

/** A run comes every ten minutes and has a minute for each class: a day behind is too much. */
const BEHIND_SECONDS = 86_400

/** Whether data that is past its time is removed. */
export function checkRetention(runs: Runs, now: Date = new Date()): Finding[] {
  if (runs.length === 0) return [ok('retention', 'has not run yet; workers do it')]
  const findings = runs.flatMap((run) => {
    if (run.error !== null) {
      const says = `${run.class} could not be removed: ${run.error}`
      return [warn('retention', says, 'see the log of the workers: removing old data failed')]
    }
    const seconds = (now.getTime() - (run.complete_at ?? run.started_at).getTime()) / 1_000
    if (seconds <= BEHIND_SECONDS) return []
    const says = `${run.class} is behind: for ${duration(seconds)} no run has removed all that is past its time`
    return [warn('retention', says, 'see that a process with the role worker runs, and its log')]
  })
  return findings.length > 0 ? findings : [ok('retention', `${runs.length} classes of data`)]
}
