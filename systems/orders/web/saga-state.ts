import {
  type Answer,
  type ItemOf,
  moved,
  type StateRole,
  useFresh,
  useRefresh,
} from '@posthorn/dashboard/kit'

export type SagaItem = ItemOf<'/api/v1/sagas'>
export type SagaDetails = Answer<'/api/v1/sagas/{id}'>
export type SagaStep = SagaDetails['steps'][number]
type SagaState = SagaItem['status']
export type Order = Answer<'/api/v1/orders/{id}'>

export const ORDER_STATES = [
  'RUNNING',
  'COMPLETED',
  'COMPENSATED',
  'FAILED',
] as const satisfies readonly Order['status'][]

/** The role of a message in the same state. */
export const SAGA_ROLES: Readonly<Record<SagaState, StateRole>> = {
  RUNNING: 'claimed',
  COMPENSATING: 'retry',
  COMPLETED: 'confirmed',
  COMPENSATED: 'cancelled',
  FAILED: 'dead',
  TERMINATED: 'cancelled',
}
export const SAGA_STATES = Object.keys(SAGA_ROLES) as SagaState[]

interface StepLook {
  /** Undefined for a step that has not begun. */
  readonly role: StateRole | undefined
  readonly word: string
}

const STEP_LOOKS: Readonly<Record<string, StepLook>> = {
  PENDING: { role: undefined, word: 'not started' },
  RUNNING: { role: 'claimed', word: 'in progress' },
  WAITING: { role: 'ready', word: 'waits' },
  RETRYING: { role: 'retry', word: 'tried again' },
  COMPLETED: { role: 'confirmed', word: 'done' },
  SKIPPED: { role: 'cancelled', word: 'not needed' },
  REFUSED: { role: 'dead', word: 'refused' },
  FAILED: { role: 'dead', word: 'failed' },
  UNDOING: { role: 'retry', word: 'being undone' },
  COMPENSATED: { role: 'cancelled', word: 'undone' },
}

/** A status that only a newer server knows has no role. */
export function lookOfStep({ status, skipped }: Pick<SagaStep, 'status' | 'skipped'>): StepLook {
  if (skipped === 'action' && status === 'COMPLETED') return { role: 'cancelled', word: 'skipped' }
  if (skipped === 'compensation' && status === 'COMPENSATED') {
    return { role: 'cancelled', word: 'not undone: skipped' }
  }
  return STEP_LOOKS[status] ?? { role: undefined, word: status }
}

/** Whether nothing changes by itself any more. */
export function isOver({ status }: Pick<SagaItem, 'status'>): boolean {
  return status !== 'RUNNING' && status !== 'COMPENSATING'
}

const SIGNAL = 'signal:'

export function signalsOf({ waitsFor }: Pick<SagaItem, 'waitsFor'>): string[] {
  return waitsFor.filter((type) => type.startsWith(SIGNAL)).map((type) => type.slice(SIGNAL.length))
}

function nameOfEvent(type: string): string {
  return type.startsWith(SIGNAL) ? `the signal ${type.slice(SIGNAL.length)}` : type
}

/** The progress of a saga and its next step, as a sentence. */
export function standingOf({ status, step, waitsFor, cancelledAt, held }: SagaItem): string {
  if (held !== null) return 'Waiting for a server that knows this saga.'
  switch (status) {
    case 'RUNNING':
      if (cancelledAt !== null)
        return 'Cancelled: the step in progress ends, then all steps are undone.'
      return waitsFor.length > 0
        ? `Waiting at ${step ?? 'a step'} for ${waitsFor.map(nameOfEvent).join(' or ')}.`
        : `At ${step ?? 'a step'}.`
    case 'COMPENSATING':
      return `Undoing steps, last first; ${step ?? 'a step'} is next.`
    case 'COMPLETED':
      return 'All steps done.'
    case 'COMPENSATED':
      return 'Did not complete; its steps are undone.'
    case 'FAILED':
      return 'Stuck: fix the cause, then resume it.'
    case 'TERMINATED':
      return 'Ended by an operator where it was; nothing more is done or undone.'
  }
}

/** A step that sends nothing is not in the stream: running sagas are read this often. */
const LOOK_MS = 5_000

/** Reads sagas and orders again when one of their events moves, and while one of these runs. */
export function useSagaChanges(shown: readonly Pick<SagaItem | Order, 'status'>[]): void {
  useFresh(['sagas'], moved('sagas.events'))
  useFresh(['sagas'], (event) => event.kind === 'operation' && event.outbox === 'sagas')
  useRefresh(['sagas'], shown.every(isOver) ? undefined : LOOK_MS)
}
