import { setTimeout as sleep } from 'node:timers/promises'
import { currentTraceparent } from '@posthorn/engine/internal'
import { uuid, type Transaction, type Failure } from '@posthorn/engine'
import type { Pool } from 'pg'
import { SagaError, type SagaCode } from '../errors.ts'
import { getSaga, type SagaDetails } from '../operate/reads.ts'
import type { StepDetails } from '../operate/reads.sql.ts'
import type { AnySaga, Saga, SagaKind } from '../define/saga.ts'
import { insertSagas, selectEnded, type NewSaga } from './start.sql.ts'
import { claimKeys, type NewKey } from './keys.sql.ts'
import { sagaTurns } from '../outbox/turn-outbox.ts'

export interface StartOptions {
  /**
   * What you call it, such as the order's number: a second start of the same saga with it, for the same
   * tenant, changes nothing and returns the first one's id. Replies find the saga by it.
   */
  readonly key?: string
  /** A UUIDv7 of your own, with the same effect. */
  readonly id?: string
  readonly tenant?: string
}

export interface Started {
  readonly id: string
  /** False: a saga with this id or key was there before. */
  readonly created: boolean
}

/** Begins a durable saga in the caller's transaction: it runs if and only if that commits. */
export async function startSaga<Input extends object>(
  tx: Transaction,
  // oxlint-disable-next-line typescript/no-explicit-any -- any context that its steps build
  saga: Saga<Input, any, SagaKind>,
  start: StartOptions & { readonly input: Input },
): Promise<Started> {
  const [started] = await startSagas(tx, saga, [start])
  return started as Started
}

/** The same for many, in one statement. */
export async function startSagas<Input extends object>(
  tx: Transaction,
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  saga: Saga<Input, any, SagaKind>,
  starts: readonly (StartOptions & { readonly input: Input })[],
): Promise<Started[]> {
  if (starts.length === 0) return []
  const sagas = starts.map((start) => newSaga(saga, start))
  const known = await claimKeys(tx, sagas.flatMap(keyOf))
  const created = new Set(
    await insertSagas(
      tx,
      sagas.filter(({ id }) => !known.has(id)),
    ),
  )
  tx.ringLater(sagaTurns.bell)
  return sagas.map(({ id }) => ({ id: known.get(id) ?? id, created: created.has(id) }))
}

/** The key that a saga is started with. */
export function keyOf({ id, name, key, tenant }: NewSaga): NewKey[] {
  return key === undefined ? [] : [{ id, saga: name, key, tenant }]
}

/** A saga as it is stored before its first step. */
export function newSaga(
  saga: AnySaga,
  { id, key, tenant, input }: StartOptions & { input: object },
): NewSaga {
  return {
    id: id ?? uuid(),
    key,
    name: saga.name,
    version: saga.version,
    step_names: saga.steps.map(({ name }) => name),
    forks: saga.forks.length > 0 ? saga.forks : undefined,
    deadline_ms: saga.deadlineMs,
    tenant,
    traceparent: currentTraceparent(),
    input: JSON.stringify(input),
  }
}

/** Longest pause between two looks. */
const LAST_LOOK_MS = 500

/** Waits for a saga's end, wherever it runs. */
export async function awaitSaga<Context extends object>(
  pool: Pool,
  id: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<SagaResult<Context>> {
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, LAST_LOOK_MS)) {
    const ended = await selectEnded(pool, id)
    if (ended === undefined) throw new SagaError('SAGA_MISSING', `there is no saga ${id}`)
    if (ended) break
    await sleep(pauseMs, undefined, signal ? { signal } : {})
  }
  return resultOf<Context>(await getSaga(pool, id))
}

/** How a saga ended. */
export type SagaResult<Context extends object> = {
  readonly id: string
  readonly steps: readonly StepResult[]
} & (
  | { readonly status: 'COMPLETED'; readonly context: Context }
  | { readonly status: 'COMPENSATED' | 'FAILED'; readonly error: Failure }
)

/** `SKIPPED`: it never ran (its condition did not hold), or what it did was rolled back with the rest. */
export type StepResultStatus = 'COMPLETED' | 'REFUSED' | 'FAILED' | 'COMPENSATED' | 'SKIPPED'

export interface StepResult {
  readonly name: string
  readonly status: StepResultStatus
  readonly attempts: number
  readonly error: Failure | undefined
}

/** The result of a saga that has ended. */
function resultOf<Context extends object>(saga: SagaDetails | undefined): SagaResult<Context> {
  if (!saga) throw new SagaError('SAGA_MISSING')
  const { id, status } = saga
  const steps = saga.steps.map(stepResult)
  if (status === 'COMPLETED') {
    const outputs = saga.steps.map(({ output }) => output)
    return { id, steps, status, context: Object.assign({}, saga.input, ...outputs) as Context }
  }
  const failed: Failure<SagaCode> = { code: 'SAGA_STEP_FAILED', message: 'the saga failed' }
  const error = saga.error ?? failed
  return { id, steps, status: status === 'COMPENSATED' ? status : 'FAILED', error }
}

function stepResult({ name, status, attempts, error }: StepDetails): StepResult {
  return { name, status: ENDED[status], attempts, error }
}

const ENDED: Record<StepDetails['status'], StepResultStatus> = {
  PENDING: 'SKIPPED',
  RUNNING: 'SKIPPED',
  WAITING: 'SKIPPED',
  RETRYING: 'FAILED',
  COMPLETED: 'COMPLETED',
  SKIPPED: 'SKIPPED',
  REFUSED: 'REFUSED',
  FAILED: 'FAILED',
  UNDOING: 'FAILED',
  COMPENSATED: 'COMPENSATED',
}
