import type { Failure } from '@posthorn/engine'
import { isSeenBy, type Fork, type Reply } from '../define/step.ts'
import type { Step } from '../define/saga.ts'

/** Where a saga is. Only an operator leads out of `FAILED`, and to `TERMINATED`. */
export type SagaStatus =
  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'

/**
 * Where a step is; a step without a record has not begun, or is being tried for the first time.
 * `RUNNING`: its condition held, so that it is taken; `SKIPPED`: it did not.
 */
export type StepStatus =
  | 'RUNNING'
  | 'WAITING'
  | 'RETRYING'
  | 'COMPLETED'
  | 'SKIPPED'
  | 'REFUSED'
  | 'FAILED'
  | 'UNDOING'
  | 'COMPENSATED'

/** What is stored of a step. */
export interface StepRecord {
  readonly position: number
  readonly status: StepStatus
  readonly output: object | null
  /** Attempts that failed, or were made. */
  readonly attempts: number
  readonly undo_attempts: number
  /** Until when it waits: milliseconds of the business clock. */
  readonly due_at: number | null
  readonly timed_out: boolean
  readonly error_code: string | null
  readonly error: string | null
}

/** A saga under way, as it was when its turn was taken. */
export interface Instance {
  readonly id: string
  readonly name: string
  readonly version: number
  /** The names of its steps: those it was begun with, not those of today's definition. */
  readonly step_names: readonly string[]
  readonly forks: readonly Fork[] | null
  readonly tenant: string | null
  readonly traceparent: string | null
  readonly status: SagaStatus
  readonly input: object
  /** The step that is tried, or the first of those side by side; while compensating, the one that is undone. */
  readonly position: number
  readonly turn: number
  /** How often it has moved. */
  readonly moves: number
  /** How many replies have come: an orchestrator that decides to wait must have seen them all. */
  readonly replies: number
  readonly cancelled: boolean
  readonly error_code: string | null
  readonly error: string | null
  /** A process that did not know its definition left it to others. */
  readonly held: boolean
  /** Both in milliseconds of the business clock. */
  readonly deadline_at: number | null
  readonly now: number
  readonly records: readonly StepRecord[]
  /** Replies that no step has used, oldest first. */
  readonly kept: readonly Reply[]
}

/** A step's record as a move leaves it. */
export interface RecordChange extends StepRecord {
  readonly name: string
  /** Instead of `due_at`: so long from the moment it is written. */
  readonly delayMs: number | undefined
  /** Real time of this process, in milliseconds: its attempt began and ended, its undoing did. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly undoStartedAt: number | undefined
  readonly undoneAt: number | undefined
}

/** When the turn after this one is due: the earlier of the two, or only when a reply comes. */
export interface Sleep {
  readonly delayMs: number | undefined
  /** Milliseconds of the business clock. */
  readonly wakeAt: number | undefined
  readonly waitsFor: readonly string[]
}

/**
 * A change of a saga, guarded by the turn, move, position and status it was decided on. If one of
 * them is another by now, another process has moved the saga and nothing is written.
 */
export interface Move {
  readonly from: Instance
  readonly status: SagaStatus
  readonly position: number
  /** Another turn ends this one. */
  readonly next: Sleep | undefined
  readonly records: readonly RecordChange[]
  /** The id of the reply that a step has used. */
  readonly used: string | undefined
  /** True: only if no reply has come since. */
  readonly unlessReplied: boolean
  /** Why it compensates or has failed. */
  readonly failure: Failure | undefined
}

/** What the saga is after a move that keeps its turn; `now`: when it was written. */
export function applyMove({ from, status, position, records, used, failure }: Move, now: number) {
  const changed = new Set(records.map((record) => record.position))
  const kept = from.records.filter((record) => !changed.has(record.position))
  const instance: Instance = {
    ...from,
    now,
    moves: from.moves + 1,
    status,
    position,
    ...(failure && { error_code: failure.code, error: failure.message }),
    records:
      records.length === 0
        ? from.records
        : [...kept, ...records.map((each) => storedAt(each, now))],
    kept: used === undefined ? from.kept : from.kept.filter(({ id }) => id !== used),
  }
  return instance
}

function storedAt(record: RecordChange, now: number): StepRecord {
  return record.delayMs === undefined ? record : { ...record, due_at: now + record.delayMs }
}

/** What a step at a position sees: the input, and what the steps before it have returned. */
export function contextAt(instance: Instance, position: number): object {
  const forks = instance.forks ?? []
  const outputs = instance.records
    .filter((record) => record.output !== null && isSeenBy(forks, record.position, position))
    .toSorted((a, b) => a.position - b.position)
    .map(({ output }) => output)
  return Object.assign({}, instance.input, ...outputs) as object
}

export function recordAt(instance: Instance, position: number): StepRecord | undefined {
  return instance.records.find((record) => record.position === position)
}

/** The kept reply that a step waits for. */
export function replyFor({ kept }: Instance, { waits }: Step): Reply | undefined {
  if (waits?.for !== 'reply') return undefined
  return kept.find(({ type }) => waits.events.includes(type))
}

/** What a definition is called in alerts. */
export function keyOf({ name, version }: { name: string; version: number }): string {
  return `${name} v${version}`
}
