/*
 * What a saga does next, and what becomes of it after that. Pure: instance × outcome → move.
 *
 *                every step done
 *   RUNNING ───────────────────────────▶ COMPLETED
 *    │ │ ▲
 *    │ │ └──── resume, cancel ────────┐
 *    │ └── killed its orchestrators ─▶ FAILED ◀─┐
 *    │                                │         │ an undoing failed for good,
 *    │ refused, failed for good,      │         │ or killed its orchestrators
 *    │ timed out, cancelled,          │         │
 *    │ past its deadline      resume  │         │
 *    ▼                                ▼         │
 *   COMPENSATING ───────────────────────────────┘
 *    │ every step undone, last one first
 *    ▼
 *   COMPENSATED
 *
 *   A step that waits (for a reply, a time, its next attempt) keeps its state and begins a new turn.
 *   Where steps run side by side, the saga stands at the first of them until all branches are done:
 *   how far each branch is follows from the records of its steps. A branch that was refused keeps
 *   the others from beginning another step; when none is under way any more, the saga turns back.
 *   Operators move a saga by a turn of their own: see control.ts.
 */
import { failureOf, type Failure } from '@posthorn/engine'
import { SAGA_CODES, type SagaCode } from '../errors.ts'
import { unitAt, type Branch, type Unit } from '../define/step.ts'
import {
  contextAt,
  recordAt,
  replyFor,
  type Instance,
  type Move,
  type RecordChange,
  type Sleep,
  type StepRecord,
} from './instance.ts'
import {
  delayAfter,
  foresee,
  recordStep,
  stayAt,
  type ActTask,
  type Next,
  type Situation,
  type StepOutcome,
  type Timing,
} from './move.ts'
import type { Step } from '../define/saga.ts'
import { isPassed, nextUndo, turnBack } from './undo.ts'

export function nextOf(instance: Instance, situation: Situation): Next {
  const { steps, forks, running, realNow } = situation
  if (instance.status === 'COMPENSATING') return nextUndo(instance, steps)
  const unit = unitAt(forks, instance.position)
  const failure = reasonToTurnBack(instance, unit)
  if (failure) {
    if (running.size > 0) return NOTHING_NEW
    return { kind: 'move', move: turnBack(stayAt(instance), { failure, ...situation }) }
  }
  // A saga without steps is complete.
  if (instance.position >= steps.length) {
    return { kind: 'move', move: { ...stayAt(instance), status: 'COMPLETED' } }
  }
  const heads = headsOf(instance, unit)
  // Passed already: an upgrade put it before steps that were done.
  if (heads.length === 0) return { kind: 'move', move: settle(stayAt(instance), situation) }
  const tasks: ActTask[] = []
  for (const position of heads) {
    if (running.has(position)) continue
    const task = nextAt(instance, { position, step: steps[position] as Step, realNow })
    if (task?.kind === 'move') return { kind: 'move', move: settle(task.move, situation) }
    if (task) tasks.push(task)
  }
  if (tasks.length > 0) return { kind: 'begin', tasks }
  if (running.size > 0) return NOTHING_NEW
  return { kind: 'move', move: fallAsleep(stayAt(instance), { unit, steps }) }
}

const NOTHING_NEW = { kind: 'begin', tasks: [] } as const

/** The positions at which a run begins: if its process was lost before, these steps may have taken effect. */
export function doubtfulHeads(instance: Instance, { forks }: Pick<Situation, 'forks'>): number[] {
  if (instance.status !== 'RUNNING' || instance.position >= instance.step_names.length) return []
  return headsOf(instance, unitAt(forks, instance.position))
}

/** The step that each branch is at; none for a branch that is over. */
function headsOf(instance: Instance, { branches }: Unit): number[] {
  return branches.flatMap((branch) => headOf(instance, branch) ?? [])
}

function headOf(instance: Instance, { from, to }: Branch): number | undefined {
  for (let position = from; position < to; position += 1) {
    if (!isPassed(recordAt(instance, position))) return position
  }
  return undefined
}

interface Place {
  readonly position: number
  readonly step: Step
}

type TimedPlace = Place & Pick<Situation, 'realNow'>

/** What the step of a branch needs now; undefined if it waits. */
function nextAt(
  instance: Instance,
  place: TimedPlace,
): ActTask | { readonly kind: 'move'; readonly move: Move } | undefined {
  const { position, step } = place
  const record = recordAt(instance, position)
  if (!record && step.when) return moveTo(decideWhen(instance, place))
  const isLate = record?.timed_out === true
  const reply = isLate ? undefined : replyFor(instance, step)
  const attempt = (record?.attempts ?? 0) + 1
  const act: ActTask = { kind: 'act', position, step, reply, isLate, attempt }
  if (isResting(instance, place)) return undefined
  if (!step.waits || reply || isLate || record?.status === 'RETRYING') return act
  if (record?.status !== 'WAITING') return beginWaiting(instance, place) ?? act
  if (step.waits.for !== 'reply') return act
  return moveTo(timeOut(instance, place))
}

function moveTo(move: Move) {
  return { kind: 'move', move } as const
}

/** Whether a step waits for its time, its reply or its next attempt, and none of them is here. */
function isResting(instance: Instance, { position, step }: Place): boolean {
  const record = recordAt(instance, position)
  if (record?.status === 'RETRYING') return (record.due_at ?? 0) > instance.now
  if (record?.status !== 'WAITING' || record.timed_out || replyFor(instance, step)) return false
  return dueOf(record, step) > instance.now
}

/** A record without a time, of a step that an upgrade gave another kind, is due at once. */
function dueOf(record: StepRecord, { waits }: Step): number {
  if (record.due_at !== null) return record.due_at
  return waits?.for === 'reply' && waits.timeoutMs === undefined ? Infinity : 0
}

/** The answer is stored before the step begins: after a crash, other code must not say otherwise. */
function decideWhen(instance: Instance, place: TimedPlace): Move {
  try {
    const status = place.step.when?.(contextAt(instance, place.position)) ? 'RUNNING' : 'SKIPPED'
    const endedAt = status === 'SKIPPED' ? place.realNow : undefined
    return { ...stayAt(instance), records: [recordStep(instance, place, { status, endedAt })] }
  } catch (error) {
    return giveUp(instance, place, failureOf<SagaCode>(error, 'SAGA_STEP_FAILED'))
  }
}

/** The step was never begun, and never will be. */
function giveUp(instance: Instance, place: TimedPlace, failure: Failure): Move {
  return {
    ...stayAt(instance),
    records: [recordStep(instance, place, { status: 'FAILED', failure, endedAt: place.realNow })],
  }
}

/** Undefined if what it waits for is here. */
function beginWaiting(instance: Instance, place: TimedPlace) {
  const { waits } = place.step
  const until =
    waits?.for === 'time' ? timeOf(waits.until, contextAt(instance, place.position)) : {}
  if ('failure' in until) return moveTo(giveUp(instance, place, until.failure))
  const { at } = until
  if (at !== undefined && at <= instance.now) return undefined
  const delayMs =
    waits?.for === 'timer' ? waits.afterMs : waits?.for === 'reply' ? waits.timeoutMs : undefined
  const record = recordStep(instance, place, {
    status: 'WAITING',
    delayMs,
    due_at: at ?? null,
    startedAt: place.realNow,
  })
  return moveTo({ ...stayAt(instance), records: [record], unlessReplied: true })
}

function timeOf(
  until: (context: object) => Date | string,
  context: object,
): { at?: number } | { failure: Failure } {
  try {
    const given = until(context)
    const at = new Date(given).getTime()
    if (!Number.isNaN(at)) return { at }
    return { failure: { code: 'SAGA_STEP_FAILED', message: `${String(given)} is not a time` } }
  } catch (error) {
    return { failure: failureOf<SagaCode>(error, 'SAGA_STEP_FAILED') }
  }
}

/** Nothing came: that is the end of the step, or what it does otherwise is noted as begun. */
function timeOut(instance: Instance, place: TimedPlace): Move {
  const { step } = place
  const stays = { ...stayAt(instance), unlessReplied: true }
  if (step.otherwise) {
    const record = recordStep(instance, place, { status: 'WAITING', timed_out: true })
    return { ...stays, records: [record] }
  }
  const code: SagaCode = step.parse ? 'SAGA_SIGNAL_TIMEOUT' : 'SAGA_REPLY_TIMEOUT'
  const failure = { code, message: `${step.name}: ${SAGA_CODES[code]}` }
  const change = { status: 'FAILED', failure, timed_out: true, endedAt: place.realNow } as const
  const record = recordStep(instance, place, change)
  return { ...stays, records: [record] }
}

/** The move that an action's outcome leads to. */
export function afterAction(
  instance: Instance,
  task: ActTask,
  { outcome, timing, ...situation }: Situation & { outcome: StepOutcome; timing: Timing },
): Move {
  const { step, attempt, position } = task
  const isDoubtful = situation.doubt.has(position)
  const record = actionRecord(outcome, { attempt, step, isDoubtful })
  const isOver = record.status !== 'RETRYING'
  const used = isOver ? task.reply?.id : undefined
  const { startedAt } = timing
  const endedAt = isOver ? timing.endedAt : undefined
  const records = [recordStep(instance, task, { ...record, startedAt, endedAt })]
  return settle({ ...stayAt(instance), records, used }, situation)
}

function actionRecord(
  outcome: StepOutcome,
  { attempt, step, isDoubtful }: { attempt: number; step: Step; isDoubtful: boolean },
): Partial<RecordChange> & Pick<RecordChange, 'status'> & { failure?: Failure } {
  if (outcome.kind === 'done') {
    return { status: 'COMPLETED', attempts: attempt, output: outcome.output }
  }
  const { failure } = outcome
  if (outcome.kind === 'refused') {
    // An attempt before this one, or one whose process died, may have done it all the same.
    const undoes = step.compensate !== undefined && (isDoubtful || attempt > 1)
    return { status: undoes ? 'UNDOING' : 'REFUSED', attempts: attempt, failure }
  }
  if (outcome.kind === 'aborted') {
    return { status: 'RETRYING', attempts: attempt - 1, delayMs: 0, failure }
  }
  const delayMs = delayAfter(step.retry, attempt)
  if (delayMs === undefined) return { status: 'FAILED', attempts: attempt, failure }
  return { status: 'RETRYING', attempts: attempt, delayMs, failure }
}

/** What follows from the records of a move: the saga goes on, turns back, sleeps or stays. */
function settle(move: Move, situation: Situation): Move {
  const { steps, forks, running } = situation
  const { cancelled } = move.from
  const [record] = move.records
  const isStraight = forks.length === 0 && !cancelled
  // What nearly every move is: the one step at hand is done.
  if (isStraight && isPassed(record) && record?.position === move.position) {
    const position = move.position + 1
    return { ...move, position, status: position >= steps.length ? 'COMPLETED' : 'RUNNING' }
  }
  const after = foresee(move)
  const unit = unitAt(forks, after.position)
  const failure = failureIn(after, unit) ?? (cancelled ? failureBy('SAGA_CANCELLED') : undefined)
  if (failure) return running.size > 0 ? move : turnBack(move, { failure, ...situation })
  const heads = headsOf(after, unit)
  if (heads.length === 0) {
    const status = unit.to >= steps.length ? 'COMPLETED' : 'RUNNING'
    return { ...move, position: unit.to, status }
  }
  const isAtRest =
    running.size === 0 &&
    heads.every((position) => isResting(after, { position, step: steps[position] as Step }))
  return isAtRest ? fallAsleep(move, { unit, steps }) : move
}

/**
 * Ends the turn: nothing can be done before a time, or before a reply comes. A step's own outcome
 * must be stored whether or not a reply came meanwhile: then the saga falls asleep in a second move.
 */
function fallAsleep(move: Move, { unit, steps }: { unit: Unit; steps: readonly Step[] }): Move {
  const after = foresee(move)
  const heads = headsOf(after, unit)
  const waitsFor = heads.flatMap((position) => {
    const waits = steps[position]?.waits
    return waits?.for === 'reply' && recordAt(after, position)?.status === 'WAITING'
      ? waits.events
      : []
  })
  const isOutcome = move.records.length > 0 && !move.unlessReplied
  if (isOutcome && waitsFor.length > 0) return move
  return { ...move, next: sleepOf(move, { heads, waitsFor }), unlessReplied: waitsFor.length > 0 }
}

function sleepOf(
  move: Move,
  { heads, waitsFor }: { heads: readonly number[]; waitsFor: readonly string[] },
): Sleep {
  const delays = move.records.flatMap(({ delayMs }) => delayMs ?? [])
  const changed = new Map(move.records.map((record) => [record.position, record]))
  const times = heads.flatMap((position) => {
    const record = changed.get(position) ?? recordAt(move.from, position)
    return record?.due_at ?? []
  })
  if (move.from.deadline_at !== null) times.push(move.from.deadline_at)
  return {
    delayMs: delays.length > 0 ? Math.min(...delays) : undefined,
    wakeAt: times.length > 0 ? Math.min(...times) : undefined,
    waitsFor,
  }
}

/** Why a saga must not go on: a branch was refused or failed, it was cancelled, its time is over. */
function reasonToTurnBack(instance: Instance, unit: Unit): Failure | undefined {
  const failed = failureIn(instance, unit)
  if (failed) return failed
  if (instance.cancelled) return failureBy('SAGA_CANCELLED')
  const isOver = instance.deadline_at !== null && instance.deadline_at <= instance.now
  return isOver ? failureBy('SAGA_DEADLINE_EXCEEDED') : undefined
}

/** The first failure among the branches. */
function failureIn(instance: Instance, { from, to }: Unit): Failure | undefined {
  const failed = instance.records.find(
    ({ position, status }) => position >= from && position < to && ENDS_BADLY.has(status),
  )
  if (!failed) return undefined
  const code = failed.error_code ?? ('SAGA_STEP_FAILED' satisfies SagaCode)
  return { code, message: failed.error ?? code }
}

const ENDS_BADLY: ReadonlySet<StepRecord['status']> = new Set(['REFUSED', 'FAILED', 'UNDOING'])

function failureBy(code: SagaCode): Failure<SagaCode> {
  return { code, message: SAGA_CODES[code] }
}
