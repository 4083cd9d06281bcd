import type { Failure } from '@posthorn/engine'
import type { Fork } from './fork.ts'
import type { Move } from './instance.ts'
import type { Step } from './saga.ts'
import type { Reply } from './step.ts'

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
