import type { Transaction } from '@posthorn/engine'
import { recoverAlert } from '@posthorn/engine/operate'
import type { SagaStatus } from './instance.ts'
import { isUuid } from './reads.ts'
import { requestCancel, resumeFailed } from './sql/control.ts'
import { sagaTurns } from './turn-outbox.ts'

/** What came of an operator's wish. */
export type Steering =
  | { readonly done: true }
  /** `was`: the status that stood against it; undefined if there is no such saga. */
  | { readonly done: false; readonly was: SagaStatus | undefined }

/**
 * Cancels a saga: what it has done is undone, last step first. A step that is under way ends first,
 * and is undone with the others. Only a running saga, or one that failed while it ran.
 */
export async function cancelSaga(tx: Transaction, id: string): Promise<Steering> {
  const found = isUuid(id) ? await requestCancel(tx, id) : undefined
  if (!found?.cancelled) return { done: false, was: found?.was }
  await goesOn(tx, id)
  return { done: true }
}

/** Lets a failed saga go on where it was, with the attempts of its compensation back at zero. */
export async function resumeSaga(tx: Transaction, id: string): Promise<Steering> {
  const found = isUuid(id) ? await resumeFailed(tx, id) : undefined
  if (!found?.resumed) return { done: false, was: found?.was }
  await goesOn(tx, id)
  return { done: true }
}

async function goesOn(tx: Transaction, id: string): Promise<void> {
  await recoverAlert(tx, { source: 'sagas', subject: id })
  tx.ringLater(sagaTurns.bell)
}
