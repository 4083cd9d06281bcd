import { nextDelay, type Failure, type RetryPolicy } from '@posthorn/engine'
import {
  applyMove,
  recordAt,
  type Instance,
  type Move,
  type RecordChange,
  type StepRecord,
} from './instance.ts'
import type { Step } from '../define/saga.ts'
import type { Fork, Reply } from '../define/step.ts'

/** A move that changes nothing but what is added to it. */
export function stayAt(from: Instance): Move {
  const { status, position } = from
  return {
    from,
    status,
    position,
    next: undefined,
    records: [],
    used: undefined,
    unlessReplied: false,
    failure: undefined,
  }
}

type Change = Partial<RecordChange> & Pick<StepRecord, 'status'> & { failure?: Failure }

/** The record of a step after a change; what it waited for is over, unless the change says so. */
export function recordStep(
  instance: Instance,
  { position, step }: { position: number; step: Step },
  { failure, ...change }: Change,
): RecordChange {
  const before = recordAt(instance, position) ?? NOTHING
  return {
    ...before,
    ...(failure && { error_code: failure.code, error: failure.message }),
    due_at: null,
    delayMs: undefined,
    startedAt: undefined,
    endedAt: undefined,
    undoStartedAt: undefined,
    undoneAt: undefined,
    ...change,
    position,
    name: step.name,
  }
}

/** The record of a step that was never tried. */
export const NOTHING = {
  output: null,
  attempts: 0,
  undo_attempts: 0,
  due_at: null,
  timed_out: false,
  error_code: null,
  error: null,
}

/** The saga as the move would leave it, if it were written at the moment it was decided. */
export function foresee(move: Move): Instance {
  return applyMove(move, move.from.now)
}

/** Undefined when the policy gives up. */
export function delayAfter(policy: RetryPolicy, attempt: number): number | undefined {
  if (policy.attempts !== undefined && attempt >= policy.attempts) return undefined
  return nextDelay(policy, attempt)
}

export interface ActTask {
  readonly kind: 'act'
  readonly position: number
  readonly step: Step
  readonly attempt: number
  readonly reply: Reply | undefined
  /** Nothing came in time: the step does what it does otherwise. */
  readonly isLate: boolean
}

export interface UndoTask {
  readonly kind: 'undo'
  readonly position: number
  readonly step: Step
  readonly attempt: number
}

export type StepTask = ActTask | UndoTask

/** What is to be done with a saga now: tasks to begin (none: those under way come first), or a move. */
export type Next =
  | { readonly kind: 'begin'; readonly tasks: readonly StepTask[] }
  | { readonly kind: 'move'; readonly move: Move }

/** What came of an action or of its undoing. */
export type StepOutcome =
  | { readonly kind: 'done'; readonly output: object | null }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Called off from outside: it is tried again at once and does not count. */
  | { readonly kind: 'aborted'; readonly failure: Failure }

/** What a run knows about its saga beside what is stored. */
export interface Situation {
  readonly steps: readonly Step[]
  readonly forks: readonly Fork[]
  /** Positions of the steps that are under way. */
  readonly running: { has(position: number): boolean; readonly size: number }
  /** Positions of steps that may have taken effect, though nothing says so. */
  readonly doubt: ReadonlySet<number>
  /** Real time, in milliseconds: for the times of the steps, nothing is decided by it. */
  readonly realNow: number
}

/** When an attempt began and ended, in milliseconds of real time. */
export interface Timing {
  readonly startedAt: number
  readonly endedAt: number
}
