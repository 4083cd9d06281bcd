/*
 * What a saga does next, and what becomes of it after that. Pure: instance × outcome → move.
 *
 *                every step done
 *   RUNNING ───────────────────────────▶ COMPLETED
 *    │ │ ▲
 *    │ │ └────────── resume ──────────┐
 *    │ └── killed its orchestrators ─▶ FAILED ◀─┐
 *    │                                │         │ an undoing failed for good,
 *    │ refused, failed for good,      │         │ or killed its orchestrators
 *    │ timed out, cancelled           │         │
 *    ▼                resume, cancel  │         │
 *   COMPENSATING ◀────────────────────┘         │
 *    │         └────────────────────────────────┘
 *    │ every step undone, last one first
 *    ▼
 *   COMPENSATED
 *
 *   A step that waits (for a reply, a timer, its next attempt) keeps its state and begins a new turn.
 *   Operators move a saga by a turn of their own: see control.ts.
 */
import { nextDelay, type Failure, type RetryPolicy } from '@posthorn/engine'
import { SAGA_CODES, type SagaCode } from './errors.ts'
import { recordAt, replyFor, type Instance, type Move, type StepRecord } from './instance.ts'
import type { Step } from './saga.ts'
import type { Reply } from './step.ts'

/** What is to be done with a saga now. */
export type Task =
  | {
      readonly kind: 'act'
      readonly step: Step
      readonly attempt: number
      readonly reply: Reply | undefined
    }
  | { readonly kind: 'undo'; readonly step: Step; readonly attempt: number }
  | { readonly kind: 'move'; readonly move: Move }

/** What came of an action or of its undoing. */
export type StepOutcome =
  | { readonly kind: 'done'; readonly output: object | null }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Called off from outside: it is tried again at once and does not count. */
  | { readonly kind: 'aborted'; readonly failure: Failure }

/** `inDoubt`: the step at hand may have taken effect, though nothing says so. */
export function nextTask(
  instance: Instance,
  { steps, inDoubt }: { steps: readonly Step[]; inDoubt: boolean },
): Task {
  if (instance.status === 'COMPENSATING') return nextUndo(instance, steps)
  const step = steps[instance.position]
  const record = recordAt(instance, instance.position)
  if (instance.cancelled) {
    const failure: Failure<SagaCode> = {
      code: 'SAGA_CANCELLED',
      message: SAGA_CODES.SAGA_CANCELLED,
    }
    const doubtful = inDoubt || record?.status === 'RETRYING'
    return {
      kind: 'move',
      move: turnsBack(instance, { failure, position: instance.position - (doubtful ? 0 : 1) }),
    }
  }
  // A saga without steps is complete.
  if (!step) return { kind: 'move', move: { ...stays(instance), status: 'COMPLETED' } }
  const reply = replyFor(instance, step)
  const attempt = (record?.attempts ?? 0) + 1
  if (!step.waits || reply || record?.status === 'RETRYING') {
    return { kind: 'act', step, attempt, reply }
  }
  if (record === undefined || record.status === 'RESTARTED') {
    return { kind: 'move', move: beginWaiting(instance, step) }
  }
  if (step.waits.for === 'timer') return { kind: 'act', step, attempt, reply }
  const failure: Failure<SagaCode> = {
    code: 'SAGA_REPLY_TIMEOUT',
    message: `${step.name}: ${SAGA_CODES.SAGA_REPLY_TIMEOUT}`,
  }
  const failed = recordStep(instance, step, { status: 'FAILED', failure })
  const back = turnsBack(instance, { failure, position: instance.position - 1 })
  return { kind: 'move', move: { ...back, record: failed, unlessReplied: true } }
}

/** The move that an action's outcome leads to. */
export function afterAction(
  instance: Instance,
  task: Extract<Task, { kind: 'act' }>,
  { outcome, steps, inDoubt }: { outcome: StepOutcome; steps: readonly Step[]; inDoubt: boolean },
): Move {
  const { step, attempt } = task
  const { position } = instance
  switch (outcome.kind) {
    case 'done': {
      const isLast = position + 1 >= steps.length
      return {
        ...stays(instance),
        status: isLast ? 'COMPLETED' : 'RUNNING',
        position: position + 1,
        record: recordStep(instance, step, {
          status: 'COMPLETED',
          attempts: attempt,
          output: outcome.output,
        }),
        used: task.reply?.id,
      }
    }
    case 'refused': {
      const { failure } = outcome
      // An attempt before this one, or one whose process died, may have done it all the same.
      const doubtful = inDoubt || attempt > 1
      const record = recordStep(instance, step, { status: 'REFUSED', attempts: attempt, failure })
      return {
        ...turnsBack(instance, { failure, position: position - (doubtful ? 0 : 1) }),
        record,
        used: task.reply?.id,
      }
    }
    case 'aborted':
    case 'failed': {
      const { failure } = outcome
      const attempts = outcome.kind === 'aborted' ? attempt - 1 : attempt
      const delayMs = outcome.kind === 'aborted' ? 0 : delayAfter(step.retry, attempt)
      if (delayMs === undefined) {
        const record = recordStep(instance, step, { status: 'FAILED', attempts, failure })
        return { ...turnsBack(instance, { failure, position }), record, used: task.reply?.id }
      }
      const record = recordStep(instance, step, { status: 'RETRYING', attempts, failure })
      return { ...stays(instance), next: { delayMs, waitsFor: [] }, record }
    }
  }
}

/** The move that a compensation's outcome leads to. */
export function afterUndo(
  instance: Instance,
  { step, attempt }: Extract<Task, { kind: 'undo' }>,
  outcome: StepOutcome,
): Move {
  if (outcome.kind === 'done') {
    const record = recordStep(instance, step, { status: 'COMPENSATED', undo_attempts: attempt })
    return { ...stays(instance), position: instance.position - 1, record }
  }
  const { failure } = outcome
  const undoAttempts = outcome.kind === 'aborted' ? attempt - 1 : attempt
  const record = recordStep(instance, step, {
    status: 'UNDOING',
    undo_attempts: undoAttempts,
    failure,
  })
  const delayMs = outcome.kind === 'aborted' ? 0 : delayAfter(step.undoRetry, attempt)
  if (delayMs !== undefined) return { ...stays(instance), next: { delayMs, waitsFor: [] }, record }
  const stuck: Failure<SagaCode> = {
    code: 'SAGA_STUCK',
    message: `${step.name} cannot be undone: ${failure.message}`,
  }
  return { ...stays(instance), status: 'FAILED', record, failure: stuck }
}

/** The last step before the position that can be undone and is not yet. */
function nextUndo(instance: Instance, steps: readonly Step[]): Task {
  for (let position = Math.min(instance.position, steps.length - 1); position >= 0; position -= 1) {
    const step = steps[position]
    const record = recordAt(instance, position)
    if (!step?.compensate || record?.status === 'COMPENSATED') continue
    if (position < instance.position) {
      return { kind: 'move', move: { ...stays(instance), position } }
    }
    return { kind: 'undo', step, attempt: (record?.undo_attempts ?? 0) + 1 }
  }
  return { kind: 'move', move: { ...stays(instance), status: 'COMPENSATED', position: -1 } }
}

function beginWaiting(instance: Instance, step: Step): Move {
  const { waits } = step
  const timed = waits?.for === 'timer' ? waits.afterMs : waits?.timeoutMs
  return {
    ...stays(instance),
    next: { delayMs: timed, waitsFor: waits?.for === 'reply' ? waits.events : [] },
    record: recordStep(instance, step, { status: 'WAITING' }),
    unlessReplied: true,
  }
}

function turnsBack(
  instance: Instance,
  { failure, position }: { failure: Failure; position: number },
): Move {
  // Steps behind it that an operator restarted were done before that.
  const restarted = instance.records.filter(({ status }) => status === 'RESTARTED')
  const last = Math.max(position, ...restarted.map((record) => record.position))
  return { ...stays(instance), status: 'COMPENSATING', position: last, failure }
}

function stays(from: Instance): Move {
  const { status, position } = from
  return {
    from,
    status,
    position,
    next: undefined,
    record: undefined,
    used: undefined,
    unlessReplied: false,
    failure: undefined,
  }
}

function recordStep(
  instance: Instance,
  { name }: Step,
  change: Partial<StepRecord> & Pick<StepRecord, 'status'> & { failure?: Failure },
): NonNullable<Move['record']> {
  const { position } = instance
  const before = recordAt(instance, position) ?? NOTHING_YET
  return { failure: undefined, ...before, ...change, position, name }
}

const NOTHING_YET = { output: null, attempts: 0, undo_attempts: 0, round: 0 }

/** Undefined when the policy gives up. */
function delayAfter(policy: RetryPolicy, attempt: number): number | undefined {
  if (policy.attempts !== undefined && attempt >= policy.attempts) return undefined
  return nextDelay(policy, attempt)
}
