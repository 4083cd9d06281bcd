import type { Failure } from '@posthorn/engine'
import type { Step } from './saga.ts'
import type { Reply } from './step.ts'

/** Where a saga is. Only an operator leads out of `FAILED`, and to `TERMINATED`. */
export type SagaStatus =
  'RUNNING' | 'COMPENSATING' | 'COMPLETED' | 'COMPENSATED' | 'FAILED' | 'TERMINATED'

/**
 * Where a step is; a step without a record has not begun, or is being tried for the first time.
 * `RESTARTED`: an operator went back before it; it begins anew, and may still have its old effect.
 */
export type StepStatus =
  | 'WAITING'
  | 'RETRYING'
  | 'COMPLETED'
  | 'REFUSED'
  | 'FAILED'
  | 'UNDOING'
  | 'COMPENSATED'
  | 'RESTARTED'

/** What is stored of a step. */
export interface StepRecord {
  readonly position: number
  readonly status: StepStatus
  readonly output: object | null
  /** Attempts that failed, or were made. */
  readonly attempts: number
  readonly undo_attempts: number
  /** How often it was undone and then begun anew. */
  readonly round: number
}

/** A saga under way, as it was when its turn was taken. */
export interface Instance {
  readonly id: string
  readonly name: string
  readonly version: number
  /** The names of its steps: those it was begun with, not those of today's definition. */
  readonly step_names: readonly string[]
  readonly tenant: string | null
  readonly traceparent: string | null
  readonly status: SagaStatus
  readonly input: object
  /** The step that is tried; while compensating, the one that is undone. */
  readonly position: number
  readonly turn: number
  /** How many replies have come: an orchestrator that decides to wait must have seen them all. */
  readonly replies: number
  readonly cancelled: boolean
  readonly error_code: string | null
  readonly error: string | null
  /** A process that did not know its definition left it to others. */
  readonly held: boolean
  readonly records: readonly StepRecord[]
  /** Replies that no step has used, oldest first. */
  readonly kept: readonly Reply[]
}

/**
 * A change of a saga, guarded by the turn, position and status it was decided on. If one of them is
 * another by now, another process has moved the saga and nothing is written.
 */
export interface Move {
  readonly from: Instance
  readonly status: SagaStatus
  readonly position: number
  /** Another turn ends this one: `delayMs` until it is due, undefined if only a reply begins it. */
  readonly next:
    { readonly delayMs: number | undefined; readonly waitsFor: readonly string[] } | undefined
  readonly record:
    (StepRecord & { readonly name: string; readonly failure: Failure | undefined }) | undefined
  /** The reply that the step has used. */
  readonly used: string | undefined
  /** True: only if no reply has come since. */
  readonly unlessReplied: boolean
  /** Why it compensates or has failed. */
  readonly failure: Failure | undefined
}

/** What the saga is after a move that keeps its turn. */
export function applyMove({ from, status, position, record, used, failure }: Move): Instance {
  const { records, kept } = from
  return {
    ...from,
    status,
    position,
    ...(failure && { error_code: failure.code, error: failure.message }),
    records: record
      ? [...records.filter((each) => each.position !== record.position), record]
      : records,
    kept: used === undefined ? kept : kept.filter(({ id }) => id !== used),
  }
}

/** What a step at a position sees: the input, and what the steps before it have returned. */
export function contextAt(instance: Instance, position: number): object {
  const outputs = instance.records
    .filter((record) => record.position < position && record.output !== null)
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
