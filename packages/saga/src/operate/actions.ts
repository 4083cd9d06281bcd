/*
 * What an operator may do to a saga, by where it is. Pure: saga × wish → change, or why not.
 *
 *   cancel      undoes what runs, or failed while it ran
 *   resume      lets what failed go on where it was
 *   skip        passes over the step at hand, or over what undoes it
 *   terminate   ends it where it is: nothing more is done or undone
 *
 * Skip and terminate give the saga another turn. A running step holds the turn before it: its writes
 * are rolled back when it ends, and its calls to the outside are treated as in doubt.
 */
import { unitAt, type Fork } from '../define/step.ts'
import type { SagaStatus, StepStatus } from '../run/instance.ts'

export type SagaActionName = 'cancel' | 'resume' | 'skip' | 'terminate'

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
    terminate: true,
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

function isPassed(saga: SagaStanding, position: number): boolean {
  const status = statusAt(saga, position)
  return status === 'COMPLETED' || status === 'SKIPPED'
}

function statusAt({ records }: SagaStanding, position: number): StepStatus | undefined {
  return records.find((record) => record.position === position)?.status
}
