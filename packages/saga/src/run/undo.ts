import type { Failure } from '@posthorn/engine'
import type { SagaCode } from '../errors.ts'
import { recordAt, replyFor, type Instance, type Move, type StepRecord } from './instance.ts'
import {
  delayAfter,
  foresee,
  recordStep,
  stayAt,
  type Next,
  type Situation,
  type StepOutcome,
  type Timing,
  type UndoTask,
} from './move.ts'
import type { Step } from '../define/saga.ts'

/**
 * Ends the way forward: what is done, or may be, is undone from here on, the last step first. A step
 * in doubt is marked, since its process may be gone and nothing else says that it began.
 */
export function turnBack(
  move: Move,
  { failure, steps, doubt }: Pick<Situation, 'steps' | 'doubt'> & { failure: Failure },
): Move {
  const after = foresee(move)
  const marks = [...doubt].flatMap((position) => {
    const step = steps[position]
    const record = recordAt(after, position)
    if (!step?.compensate || !mayBeDone(after, step, record)) return []
    return [recordStep(after, { position, step }, { status: 'UNDOING' })]
  })
  const changed = new Set(marks.map(({ position }) => position))
  const records = [...move.records.filter(({ position }) => !changed.has(position)), ...marks]
  const back: Move = { ...move, status: 'COMPENSATING', records, failure }
  return { ...back, position: lastToUndo(foresee(back), steps, steps.length) }
}

/** The last step below a position that is done, or may be, and can be undone; -1 if there is none. */
export function lastToUndo(instance: Instance, steps: readonly Step[], below: number): number {
  for (let position = below - 1; position >= 0; position -= 1) {
    if (steps[position]?.compensate && mustBeUndone(recordAt(instance, position))) return position
  }
  return -1
}

export function mustBeUndone(record: StepRecord | undefined): boolean {
  if (record === undefined || isUndone(record)) return false
  // One that never got what it waited for was never tried.
  return record.status === 'FAILED' ? record.attempts > 0 : UNDOABLE.has(record.status)
}

const UNDOABLE: ReadonlySet<StepRecord['status']> = new Set(['COMPLETED', 'RETRYING', 'UNDOING'])

/** Whether a step in doubt may have been tried: not without what it waits for. */
function mayBeDone(instance: Instance, step: Step, record: StepRecord | undefined): boolean {
  if (isUndone(record) || mustBeUndone(record) || record?.status === 'FAILED') return false
  if (record?.status !== 'WAITING' || record.timed_out) return true
  return replyFor(instance, step) !== undefined
}

/** Nothing is left to undo, or ever was. */
export function isUndone(record: StepRecord | undefined): boolean {
  return record?.status === 'COMPENSATED' || record?.status === 'SKIPPED'
}

/** The step at hand is undone with any record: it is where the saga turned back. */
export function nextUndo(instance: Instance, steps: readonly Step[]): Next {
  const { position } = instance
  const step = steps[position]
  const record = recordAt(instance, position)
  if (step?.compensate && !isUndone(record)) {
    const attempt = (record?.undo_attempts ?? 0) + 1
    return { kind: 'begin', tasks: [{ kind: 'undo', position, step, attempt }] }
  }
  return { kind: 'move', move: undoBelow(stayAt(instance), steps) }
}

/** Goes to the step that is undone next; without one, everything is. */
function undoBelow(move: Move, steps: readonly Step[]): Move {
  const { from } = move
  const position = lastToUndo(from, steps, Math.min(from.position, steps.length))
  return { ...move, position, status: position < 0 ? 'COMPENSATED' : move.status }
}

/** The move that a compensation's outcome leads to. */
export function afterUndo(
  instance: Instance,
  task: UndoTask,
  { outcome, timing, steps }: { outcome: StepOutcome; timing: Timing; steps: readonly Step[] },
): Move {
  const { step, attempt } = task
  const { startedAt: undoStartedAt, endedAt: undoneAt } = timing
  if (outcome.kind === 'done') {
    const change = { status: 'COMPENSATED', undo_attempts: attempt } as const
    const times = { undoStartedAt, undoneAt }
    const records = [recordStep(instance, task, { ...change, ...times })]
    return undoBelow({ ...stayAt(instance), records }, steps)
  }
  const { failure } = outcome
  const isAborted = outcome.kind === 'aborted'
  const delayMs = isAborted ? 0 : delayAfter(step.undoRetry, attempt)
  const undoAttempts = isAborted ? attempt - 1 : attempt
  const change = { status: 'UNDOING', undo_attempts: undoAttempts, undoStartedAt } as const
  const record = recordStep(instance, task, { ...change, failure, delayMs })
  const move = { ...stayAt(instance), records: [record] }
  if (delayMs !== undefined) {
    return { ...move, next: { delayMs, wakeAt: undefined, waitsFor: [] } }
  }
  const stuck: Failure<SagaCode> = {
    code: 'SAGA_STUCK',
    message: `${step.name} cannot be undone: ${failure.message}`,
  }
  return { ...move, status: 'FAILED', failure: stuck }
}

/** Whether a step is behind its saga: done, or left out. */
export function isPassed(record: StepRecord | undefined): boolean {
  return record?.status === 'COMPLETED' || record?.status === 'SKIPPED'
}
