/*
 * What an operator may do to a saga, by where it is. Pure: saga × wish → change, or why not.
 *
 *   cancel      undoes what runs, or failed while it ran
 *   resume      lets what failed go on where it was
 *   skip        passes over the step at hand, or over what undoes it
 *   complete    ends it in the direction it has: what is left was done by hand
 *   terminate   ends it where it is: nothing more is done or undone
 *   restart     goes forward again from a step that it has reached
 *
 * Each of the last four gives the saga another turn. A step under way holds the one before: what it
 * wrote is rolled back when it ends, and what it did outside is treated as in doubt.
 */
import { isSeenBy, unitAt, type Fork } from './fork.ts'
import type { SagaStatus, StepStatus } from './instance.ts'

export type SagaActionName = 'cancel' | 'resume' | 'skip' | 'complete' | 'terminate' | 'restart'

/** What an action is decided on. */
export interface SagaStanding {
  readonly status: SagaStatus
  /** The direction a failed saga had. */
  readonly resumes_as: 'RUNNING' | 'COMPENSATING' | null
  readonly cancelled: boolean
  readonly position: number
  readonly step_names: readonly string[]
  readonly forks: readonly Fork[] | null
  readonly records: readonly { readonly position: number; readonly status: StepStatus }[]
}

/** The actions that the saga's state allows. */
export function allowedActions(saga: SagaStanding): SagaActionName[] {
  const direction = directionOf(saga)
  if (direction === undefined) return []
  const isCancelling = direction === 'forward' && saga.cancelled
  const allowed: Record<SagaActionName, boolean> = {
    cancel: direction === 'forward' && (!saga.cancelled || saga.status === 'FAILED'),
    resume: saga.status === 'FAILED',
    skip: stepAtHand(saga) !== undefined && !isCancelling,
    complete: !isCancelling,
    terminate: true,
    restart: restartSteps(saga).length > 0,
  }
  return (Object.keys(allowed) as SagaActionName[]).filter((name) => allowed[name])
}

/** Where it goes, or went when it failed; undefined once it is over. */
export function directionOf({
  status,
  resumes_as: resumes,
}: Pick<SagaStanding, 'status' | 'resumes_as'>): 'forward' | 'back' | undefined {
  const going = status === 'FAILED' ? resumes : status
  if (going === 'RUNNING') return 'forward'
  return going === 'COMPENSATING' ? 'back' : undefined
}

/** The step that is tried, the first of those side by side, or the one that is undone. */
export function stepAtHand(saga: SagaStanding): string | undefined {
  return stepsAtHand(saga)[0]
}

/** The step of each branch that is not done, on the way forward; on the way back, the one that is undone. */
export function stepsAtHand(saga: SagaStanding): string[] {
  const { step_names: names, forks, position } = saga
  if (directionOf(saga) === undefined) return []
  if (directionOf(saga) === 'back') {
    return statusAt(saga, position) === 'COMPENSATED' ? [] : names.slice(position, position + 1)
  }
  return unitAt(forks ?? [], position).branches.flatMap(({ from, to }) => {
    const open = names.slice(from, to).findIndex((_, i) => !isPassed(saga, from + i))
    return open < 0 ? [] : names.slice(from + open, from + open + 1)
  })
}

/** The steps it can go forward from: those it has reached, if everything before them stands. */
export function restartSteps(saga: SagaStanding): string[] {
  const { step_names: names, position } = saga
  if (directionOf(saga) === undefined) return []
  // Side by side, each branch is at a step of its own; the saga's position is the first of them all.
  const atHand = new Set(stepsAtHand(saga).map((name) => names.indexOf(name)))
  const last = Math.max(position, ...atHand)
  return names.filter((_, at) => at <= last && stands(saga, at))
}

/** Whether all that a step builds on is done, and was not undone. */
function stands(saga: SagaStanding, at: number): boolean {
  const forks = saga.forks ?? []
  return saga.step_names.every(
    (_, earlier) => !isSeenBy(forks, earlier, at) || isPassed(saga, earlier),
  )
}

function isPassed(saga: SagaStanding, position: number): boolean {
  const status = statusAt(saga, position)
  return status === 'COMPLETED' || status === 'SKIPPED'
}

function statusAt({ records }: SagaStanding, position: number): StepStatus | undefined {
  return records.find((record) => record.position === position)?.status
}
