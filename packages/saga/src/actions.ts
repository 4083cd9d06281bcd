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

export function stepAtHand({
  position,
  step_names: names,
}: Pick<SagaStanding, 'position' | 'step_names'>): string | undefined {
  return names[position]
}

/** The steps it can go forward from: those it has reached, if everything before them stands. */
export function restartSteps(saga: SagaStanding): string[] {
  if (directionOf(saga) === undefined) return []
  const { step_names: names, position, records } = saga
  const firstOpen = Math.min(
    position,
    ...records.filter(({ status }) => status !== 'COMPLETED').map((record) => record.position),
  )
  return names.slice(0, firstOpen + 1)
}
