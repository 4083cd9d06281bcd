import { storableText, type Operator } from '@posthorn/engine/internal'
import { type Transaction } from '@posthorn/engine'
import { recoverAlert } from '@posthorn/operate'
import {
  allowedActions,
  directionOf,
  stepAtHand,
  stepsAtHand,
  type SagaActionName,
} from './actions.ts'
import { SagaError } from '../errors.ts'
import { keyOf, type SagaStatus } from '../run/instance.ts'
import {
  goOnAfterSkip,
  lockSaga,
  recordAction,
  requestCancel,
  resumeFailed,
  selectStanding,
  skipAction,
  skipCompensation,
  terminate,
  type RecordedAction,
  type StandingRow,
  type Steered,
} from './control.sql.ts'
import { isUuid } from '../outbox/event-outbox.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'

/** What came of an operator's wish. */
export type Steering =
  | { readonly done: true }
  | {
      readonly done: false
      /** The status that the saga has; undefined if there is no such saga. */
      readonly was: SagaStatus | undefined
      /**
       * `status`: the saga's status does not allow it; `moved`: the saga is no longer at the step that
       * was named.
       */
      readonly why: 'missing' | 'status' | 'moved'
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

/**
 * Cancels a saga: what it has done is undone, last step first. A step that is under way ends first,
 * and is undone with the others. Only a running saga, or one that failed while it ran.
 */
export function cancelSaga(tx: Transaction, id: string, operator?: Operator): Promise<Steering> {
  return turn(tx, id, { action: 'cancel', change: requestCancel, operator })
}

/** Lets a failed saga go on where it was, with the attempts of its compensation back at zero. */
export function resumeSaga(tx: Transaction, id: string, operator?: Operator): Promise<Steering> {
  return turn(tx, id, { action: 'resume', change: resumeFailed, operator })
}

interface Turning {
  readonly action: 'cancel' | 'resume'
  readonly change: (tx: Transaction, id: string) => Promise<Steered | undefined>
  readonly operator: Operator | undefined
}

async function turn(tx: Transaction, id: string, { action, change, operator }: Turning) {
  const found = isUuid(id) ? await change(tx, id) : undefined
  if (!found?.done) return refusal(found?.was)
  if (operator) await note(tx, id, { action, was: found.was, ...operator })
  await goesOn(tx, id)
  return { done: true } as const
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
    await goOnAfterSkip(tx, id, isForward ? 'RUNNING' : 'COMPENSATING')
    await goesOn(tx, id)
  }
  return act(tx, id, { ...options, action: 'skip', change })
}

/** Ends a saga where it is, as `TERMINATED`: nothing more is done, and nothing is undone. */
export function terminateSaga(tx: Transaction, id: string, operator: SagaOperator) {
  return act(tx, id, {
    ...operator,
    action: 'terminate',
    change: async (saga) => {
      const isLastHeld = await terminate(tx, id)
      await recoverAlert(tx, { source: 'sagas', subject: id })
      if (isLastHeld) await recoverAlert(tx, { source: 'sagas', subject: keyOf(saga) })
    },
  })
}

interface Wish extends SagaOperator {
  readonly action: SagaActionName
  change(saga: StandingRow): Promise<void>
}

/** The saga is locked first: a step that ends now is stored before or not at all. */
async function act(
  tx: Transaction,
  id: string,
  { action, change, ...operator }: Wish,
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
  await change(saga)
  await note(tx, id, { action, was, tenant, ...operator, step })
  return { done: true }
}

type Noted = Pick<RecordedAction, 'tenant' | 'step'>

async function note(
  tx: Transaction,
  id: string,
  { by, reason, step, ...rest }: Operator & Pick<RecordedAction, 'action' | 'was'> & Partial<Noted>,
): Promise<void> {
  const tenant = rest.tenant ?? (await selectStanding(tx, id))?.tenant ?? null
  await recordAction(tx, id, {
    ...{ ...rest, tenant, step, by: storableText(by) },
    reason: reason === undefined ? undefined : storableText(reason),
  })
}

async function goesOn(tx: Transaction, id: string): Promise<void> {
  await recoverAlert(tx, { source: 'sagas', subject: id })
  tx.ringLater(sagaTurns.bell)
}

function refusal(was: SagaStatus | undefined): Steering {
  return { done: false, was, why: was === undefined ? 'missing' : 'status' }
}
