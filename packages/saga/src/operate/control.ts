import type { Transaction } from '@posthorn/engine'
import { recoverAlert, type Operator } from '@posthorn/engine/operate'
import {
  allowedActions,
  directionOf,
  restartSteps,
  stepAtHand,
  stepsAtHand,
  type SagaActionName,
} from './actions.ts'
import { SagaError } from './errors.ts'
import { unitAt } from './fork.ts'
import { keyOf, type SagaStatus } from './instance.ts'
import { isUuid } from './reads.ts'
import {
  endSaga,
  lockSaga,
  recordAction,
  redirectSaga,
  requestCancel,
  restartStepsFrom,
  resumeFailed,
  selectStanding,
  skipAction,
  skipCompensation,
  type StandingRow,
} from './sql/control.ts'
import { sagaTurns } from './turn-outbox.ts'

/** What came of an operator's wish. */
export type Steering =
  | { readonly done: true }
  | {
      readonly done: false
      /** The status that the saga has; undefined if there is no such saga. */
      readonly was: SagaStatus | undefined
      /**
       * `status`: it allows no such thing; `moved`: the saga is no longer at the step that was named;
       * `step`: the saga cannot be restarted from that step; `undoing`: nor from any, see `RestartOptions`.
       */
      readonly why: 'missing' | 'status' | 'moved' | 'step' | 'undoing'
    }

/** Who acts, and why. */
export interface SagaOperator {
  readonly by: string
  /** Not empty: it stays with the saga, and in the audit. */
  readonly reason: string
  /** Where the operator saw the saga: if it has moved on since, nothing is done. */
  readonly step?: string
}

export interface SkipOptions extends SagaOperator {
  readonly step: string
  /** What the step would have returned: later steps find it in their context. */
  readonly data?: object
}

export interface RestartOptions extends SagaOperator {
  /** The first step that is tried again. */
  readonly from: string
  /** `forward`: not once it is being undone, where the other side does nothing for what was undone. */
  readonly while?: 'forward'
}

/**
 * Cancels a saga: what it has done is undone, last step first. A step that is under way ends first,
 * and is undone with the others. Only a running saga, or one that failed while it ran.
 */
export async function cancelSaga(
  tx: Transaction,
  id: string,
  operator?: Operator,
): Promise<Steering> {
  const found = isUuid(id) ? await requestCancel(tx, id) : undefined
  if (!found?.cancelled) return refusal(found?.was)
  if (operator) await note(tx, id, { action: 'cancel', was: found.was, ...operator })
  await goesOn(tx, id)
  return { done: true }
}

/** Lets a failed saga go on where it was, with the attempts of its compensation back at zero. */
export async function resumeSaga(
  tx: Transaction,
  id: string,
  operator?: Operator,
): Promise<Steering> {
  const found = isUuid(id) ? await resumeFailed(tx, id) : undefined
  if (!found?.resumed) return refusal(found?.was)
  if (operator) await note(tx, id, { action: 'resume', was: found.was, ...operator })
  await goesOn(tx, id)
  return { done: true }
}

/**
 * Passes over the step at hand: it counts as done, with the data that is given for it. While the saga
 * compensates it passes over what undoes the step, which then stays as it is.
 */
export function skipStep(tx: Transaction, id: string, options: SkipOptions): Promise<Steering> {
  const change = async (saga: StandingRow) => {
    const { step: name, data } = options
    const position = saga.step_names.indexOf(name)
    const isForward = directionOf(saga) === 'forward'
    await (isForward ? skipAction : skipCompensation)(tx, id, { position, name, data })
    await redirectSaga(tx, id, {
      status: isForward ? 'RUNNING' : 'COMPENSATING',
      // The orchestrator goes on from there: it knows what runs beside the step, and what is undone next.
      position: saga.position,
      attempts: 1,
    })
    await goesOn(tx, id)
  }
  return act(tx, id, { ...options, action: 'skip', change })
}

/**
 * Ends a saga in the direction it has, `COMPLETED` or `COMPENSATED`: what is left to do was done by
 * hand, and no step or compensation runs any more.
 */
export function completeSaga(tx: Transaction, id: string, operator: SagaOperator) {
  return act(tx, id, {
    ...operator,
    action: 'complete',
    change: async (saga) =>
      end(tx, id, { saga, to: directionOf(saga) === 'forward' ? 'COMPLETED' : 'COMPENSATED' }),
  })
}

/** Ends a saga where it is, as `TERMINATED`: nothing more is done, and nothing is undone. */
export function terminateSaga(tx: Transaction, id: string, operator: SagaOperator) {
  return act(tx, id, {
    ...operator,
    action: 'terminate',
    change: async (saga) => end(tx, id, { saga, to: 'TERMINATED' }),
  })
}

/**
 * Goes forward again from a step that the saga has reached, with all attempts at zero. Every step
 * before it must stand. Steps keep their idempotency keys, so that the other side knows a call that it
 * has had; one that was undone gets another.
 */
export function restartSaga(tx: Transaction, id: string, options: RestartOptions) {
  const change = async (saga: StandingRow) => {
    const { position, step_names: names, forks } = saga
    const from = names.indexOf(options.from)
    const name = stepAtHand(saga)
    const isUndoing = directionOf(saga) === 'back' && name !== undefined
    const undoing = isUndoing ? { position, name } : undefined
    await restartStepsFrom(tx, id, { from, positions: positionsFrom(saga, from), undoing })
    // Side by side, a saga is at the first step of all branches.
    const unit = unitAt(forks ?? [], from)
    await redirectSaga(tx, id, { status: 'RUNNING', position: unit.from, attempts: 1 })
    await goesOn(tx, id)
  }
  return act(tx, id, { ...options, action: 'restart', change })
}

/** Branches beside it go on as they are, unless they have been undone. */
function positionsFrom(saga: StandingRow, from: number): number[] {
  const { to, branches } = unitAt(saga.forks ?? [], from)
  const own = branches.find((branch) => from >= branch.from && from < branch.to)
  return [...saga.step_names.keys()].filter((at) => {
    if (at < from || directionOf(saga) === 'back') return at >= from
    return at >= to || at < (own?.to ?? to)
  })
}

interface Wish extends SagaOperator {
  readonly action: SagaActionName
  readonly from?: string
  readonly while?: 'forward'
  change(saga: StandingRow): Promise<void>
}

/** The saga is locked first: a step that ends now is stored before or not at all. */
async function act(
  tx: Transaction,
  id: string,
  { action, from, while: direction, change, ...operator }: Wish,
): Promise<Steering> {
  if (operator.reason.trim() === '') throw new SagaError('SAGA_REASON_MISSING')
  if (!isUuid(id)) return refusal(undefined)
  await lockSaga(tx, id)
  const saga = await selectStanding(tx, id)
  if (!saga) return refusal(undefined)
  const { status: was, tenant } = saga
  if (!allowedActions(saga).includes(action)) return refusal(was)
  const { step = stepAtHand(saga) } = operator
  if (step !== undefined && !stepsAtHand(saga).includes(step)) {
    return { done: false, was, why: 'moved' }
  }
  if (direction !== undefined && directionOf(saga) !== direction) {
    return { done: false, was, why: 'undoing' }
  }
  if (from !== undefined && !restartSteps(saga).includes(from)) {
    return { done: false, was, why: 'step' }
  }
  await change(saga)
  await note(tx, id, { action, was, tenant, ...operator, step: from ?? step })
  return { done: true }
}

async function end(
  tx: Transaction,
  id: string,
  { saga, to }: { saga: StandingRow; to: 'COMPLETED' | 'COMPENSATED' | 'TERMINATED' },
): Promise<void> {
  const isLastHeld = await endSaga(tx, id, to)
  await recoverAlert(tx, { source: 'sagas', subject: id })
  if (isLastHeld) await recoverAlert(tx, { source: 'sagas', subject: keyOf(saga) })
}

async function note(
  tx: Transaction,
  id: string,
  {
    action,
    was,
    by,
    reason,
    ...rest
  }: Operator & {
    readonly action: SagaActionName
    readonly was: SagaStatus
    readonly tenant?: string | null
    readonly step?: string | undefined
  },
): Promise<void> {
  const tenant = rest.tenant ?? (await selectStanding(tx, id))?.tenant ?? null
  await recordAction(tx, id, { action, was, tenant, by, reason, step: rest.step })
}

async function goesOn(tx: Transaction, id: string): Promise<void> {
  await recoverAlert(tx, { source: 'sagas', subject: id })
  tx.ringLater(sagaTurns.bell)
}

function refusal(was: SagaStatus | undefined): Steering {
  return { done: false, was, why: was === undefined ? 'missing' : 'status' }
}
