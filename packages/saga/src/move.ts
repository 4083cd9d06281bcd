import { nextDelay, type Failure, type RetryPolicy } from '@posthorn/engine'
import {
  applyMove,
  recordAt,
  type Instance,
  type Move,
  type RecordChange,
  type StepRecord,
} from './instance.ts'
import type { Step } from './saga.ts'

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

const NOTHING = {
  output: null,
  attempts: 0,
  undo_attempts: 0,
  round: 0,
  timed_out: false,
  was_begun: false,
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
